"""Signals of every document, on snapshots made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.engines.vectors import VectorRows
from indexer.search import signals
from indexer.search.signals import best_places, document_cosines, text_documents
from indexer.search.snapshot import CatalogueEntry, Snapshot
from indexer.store.tables import TextFound


def snapshot(*counts, documents):
    entries = tuple(
        CatalogueEntry(str(i), "text", "", "", str(i), 0, (f"/{i}",)) for i in range(len(counts))
    )
    total = sum(counts)
    return Snapshot(
        generation=0,
        documents=entries,
        position={entry.doc_id: i for i, entry in enumerate(entries)},
        document_vectors=VectorRows.of(documents),
        landmark_vectors=VectorRows.of(np.ones((total, 2), dtype=np.float32)),
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        document_ids=np.arange(len(counts)),
        landmark_ids=np.arange(total),
    )


def test_best_places_by_hand():
    """Weights 1, 1/2, 1/4 on the best three; what a short document lacks is average."""
    cosines = np.array([0.1, 0.8, 0.4, 0.6, 0.5])
    long, short = best_places(cosines, np.array([0, 4, 5]), float(cosines.mean()))
    assert long == pytest.approx((0.8 + 0.6 / 2 + 0.4 / 4) / 1.75)
    assert short == pytest.approx((0.5 + 0.48 / 2 + 0.48 / 4) / 1.75)  # the average is 0.48


@given(st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=8), min_size=1, max_size=6))
def test_best_places_are_those_of_a_plain_loop(documents):
    cosines = np.array([value for document in documents for value in document])
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])])
    found = best_places(cosines, offsets, float(cosines.mean()))
    for document, score in zip(documents, found, strict=True):
        best = sorted(document, reverse=True)[:3]
        weights = [1.0, 0.5, 0.25]
        padding = sum(weights[len(best) :])
        total = sum(w * b for w, b in zip(weights, best, strict=False)) + padding * cosines.mean()
        assert score == pytest.approx(total / (sum(weights[: len(best)]) + padding))


def test_the_vector_of_a_lone_landmark_counts_half():
    vectors = np.array([[1, 0], [0, 1], [0, 1]], dtype=np.float32)
    one, *_ = document_cosines(snapshot(1, 99, 99, documents=vectors), np.array([1, 0], np.float32))
    assert one == pytest.approx(1 / 3 + (1 - 1 / 3) / 2)


class FullText:
    """Finds the documents 0, 1, 2 ... in this order, with scores 9, 8, 7 ..."""

    def __init__(self, number: int) -> None:
        self.number = number

    def text_documents(self, terms, limit, among=None):
        found = [i for i in range(self.number) if among is None or str(i) in among][:limit]
        return TextFound(np.array(found), 9.0 - np.array(found))


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        (None, [9, 8, 0, 0, 0]),
        ([False, False, False, True, True], [9, 8, 0, 6, 5]),
        ([False, True, False, False, True], [9, 8, 0, 0, 5]),
        ([False] * 5, [9, 8, 0, 0, 0]),
    ],
)
def test_documents_that_will_be_shown_are_candidates_beside_the_best(
    monkeypatch, allowed, expected
):
    """The best two of all are asked for, whatever is shown: scores are scaled by them."""
    monkeypatch.setattr(signals, "TEXT_DOCUMENTS", 2)
    five = snapshot(*[1] * 5, documents=np.ones((5, 2), dtype=np.float32))
    among = None if allowed is None else np.array(allowed)
    assert text_documents(five, FullText(5), ["pump"], among).tolist() == expected
