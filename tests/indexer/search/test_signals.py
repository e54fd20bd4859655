"""Signals of every document, on snapshots made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.engines.vectors import VectorRows
from indexer.search.signals import PADDING, best_places, document_cosines
from indexer.search.snapshot import CatalogueEntry, Snapshot


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
    """Weights 1, 1/2, 1/4 on the best three; what a short document lacks is half an average."""
    cosines = np.array([0.1, 0.8, 0.4, 0.6, 0.5])
    long, short = best_places(cosines, np.array([0, 4, 5]), float(cosines.mean()))
    assert long == pytest.approx((0.8 + 0.6 / 2 + 0.4 / 4) / 1.75)
    average = cosines.mean()
    padding = PADDING * 0.75
    assert short == pytest.approx((0.5 + padding * average) / (1 + padding))


@given(st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=8), min_size=1, max_size=6))
def test_best_places_are_those_of_a_plain_loop(documents):
    cosines = np.array([value for document in documents for value in document])
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])])
    found = best_places(cosines, offsets, float(cosines.mean()))
    for document, score in zip(documents, found, strict=True):
        best = sorted(document, reverse=True)[:3]
        weights = [1.0, 0.5, 0.25]
        padding = PADDING * sum(weights[len(best) :])
        total = sum(w * b for w, b in zip(weights, best, strict=False)) + padding * cosines.mean()
        assert score == pytest.approx(total / (sum(weights[: len(best)]) + padding))


def test_the_vector_of_a_lone_landmark_counts_half():
    vectors = np.array([[1, 0], [0, 1], [0, 1]], dtype=np.float32)
    one, *_ = document_cosines(snapshot(1, 99, 99, documents=vectors), np.array([1, 0], np.float32))
    assert one == pytest.approx(1 / 3 + (1 - 1 / 3) / 2)
