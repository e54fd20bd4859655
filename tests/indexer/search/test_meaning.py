"""Scores with candidates from an engine agree with the scores of all documents."""

from concurrent.futures import Future

import numpy as np
import pytest

from indexer.engines.base import ExactEngine, RescoredEngine
from indexer.engines.vectors import VectorRows
from indexer.search import meaning
from indexer.search.fusion import standardised
from indexer.search.meaning import Meaning
from indexer.search.snapshot import CatalogueEntry, Snapshot

DIMENSION = 64


def collection(num_documents: int) -> Snapshot:
    """Documents of 1 to 39 landmarks around a topic each."""
    drawn = np.random.default_rng(0)
    counts = drawn.integers(1, 40, num_documents)
    topics = drawn.normal(size=(num_documents, DIMENSION))
    landmarks = np.repeat(topics, counts, axis=0) + drawn.normal(size=(counts.sum(), DIMENSION))
    landmarks = (landmarks / np.linalg.norm(landmarks, axis=1, keepdims=True)).astype(np.float32)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    means = np.add.reduceat(landmarks, offsets[:-1])
    entries = tuple(
        CatalogueEntry(str(i), "text", "", "", str(i), 0, (f"/{i}",)) for i in range(num_documents)
    )
    return Snapshot(
        generation=0,
        documents=entries,
        position={entry.doc_id: i for i, entry in enumerate(entries)},
        document_vectors=VectorRows.of(means),
        landmark_vectors=VectorRows.of(landmarks),
        offsets=offsets,
        document_ids=np.arange(num_documents),
        landmark_ids=np.arange(len(landmarks)),
    )


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return collection(1_500)


@pytest.fixture
def both(snapshot, monkeypatch):
    """Scores of all documents, and with an engine that finds exactly the nearest landmarks."""
    monkeypatch.setattr(meaning, "NEAREST", 300)
    monkeypatch.setattr(meaning, "NAMED", 20)
    rows = snapshot.landmark_vectors
    found = RescoredEngine(
        "nearest", rows, lambda query, number: np.argsort(-rows.cosines(query))[:number]
    )
    return Meaning(snapshot, ExactEngine(rows)), Meaning(snapshot, found)


def queries(snapshot, count):
    drawn = np.random.default_rng(1)
    made = snapshot.landmark_vectors[drawn.integers(len(snapshot.landmark_vectors), size=count)]
    made = made + drawn.normal(0, 1 / 8, made.shape).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_the_first_ten_and_their_standing_are_those_of_all_documents(snapshot, both):
    every, some = both
    same = 0
    for query in queries(snapshot, 20):
        exact = every.scores(query, [])
        found = some.scores(query, [])
        assert found["document"] == pytest.approx(exact["document"])
        first = np.argsort(-exact["places"], kind="stable")[:10]
        same += set(first) == set(np.argsort(-found["places"], kind="stable")[:10])
        # In units of the spread over all documents, which fusion works with.
        wrong = standardised(exact["places"])[first] - standardised(found["places"])[first]
        assert np.abs(wrong).max() < 0.5
    assert same >= 19


def test_documents_that_other_signals_name_are_scored_exactly(snapshot, both):
    every, some = both
    query = queries(snapshot, 1)[0]
    exact = every.scores(query, [])["places"]
    last = int(np.argmin(exact))
    words = np.zeros(len(exact))
    words[last] = 3.0
    said: Future[np.ndarray] = Future()
    said.set_result(words)
    found = some.scores(query, [said])["places"]
    assert found[last] == pytest.approx(exact[last], abs=1e-3)


def test_only_allowed_documents_are_candidates(snapshot, both):
    every, some = both
    query = queries(snapshot, 1)[0]
    exact = every.scores(query, [])["places"]
    allowed = exact <= np.quantile(exact, 0.02)
    found = some.scores(query, [], allowed=allowed)["places"]
    first = np.argsort(-np.where(allowed, exact, -np.inf), kind="stable")[:10]
    # Short documents are filled up with the average, which is that of a sample.
    assert found[first] == pytest.approx(exact[first], abs=1e-3)


def test_nothing_that_is_allowed_is_no_error(snapshot, both):
    """A phrase that no document holds, in a collection that is large enough for candidates."""
    nothing = np.zeros(len(snapshot.documents), dtype=bool)
    found = both[1].scores(queries(snapshot, 1)[0], [], allowed=nothing)
    assert np.isfinite(found["places"]).all()
