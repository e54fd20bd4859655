import numpy as np
import pytest

from lmk_encoder.evaluation.datasets import Evidence, RetrievalSet
from lmk_encoder.evaluation.localisation import overlaps, passage_hits
from lmk_encoder.evaluation.ranked import Effort, Vectors, as_run, rank

EAST, NORTH = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
VECTORS = Vectors.stack(
    ["a", "b"],
    [
        (np.stack([EAST, NORTH, EAST]), np.array([[0, 4], [4, 9], [9, 12]])),
        (np.stack([(EAST + NORTH) / np.sqrt(2).astype(np.float32)]), np.array([[0, 7]])),
    ],
)
DATA = RetrievalSet(
    "s",
    {"a": "x" * 12, "b": "y" * 7},
    {"n": "north", "e": "east"},
    {"n": {"a": 1}, "e": {"a": 1}},
    {"n": Evidence("a", ((8, 9),)), "e": Evidence("a", ((5, 6),))},
)
QUERIES = np.stack([NORTH, EAST])


def test_a_document_counts_by_its_best_vector():
    scores = VECTORS.best_scores(QUERIES)
    assert scores == pytest.approx(np.array([[1, 0.7071], [1, 0.7071]]), abs=1e-4)


def test_means_are_of_unit_length_and_span_the_document():
    means = VECTORS.means()
    assert means.matrix == pytest.approx(np.array([[0.8944, 0.4472], [0.7071, 0.7071]]), abs=1e-4)
    assert means.spans.tolist() == [[0, 12], [0, 7]]


def test_places_are_the_best_spans_of_the_right_document():
    places = VECTORS.places({"n": NORTH, "e": EAST}, DATA.evidence)
    assert places["n"].best.tolist() == [[4, 9], [0, 4], [9, 12]]
    assert places["e"].best.tolist() == [[0, 4], [9, 12], [4, 9]]


def test_passage_hits_worked_out_by_hand():
    """North points to its answer at once, east with its third span; each has one span of three."""
    places = VECTORS.places({"n": NORTH, "e": EAST}, DATA.evidence)
    assert passage_hits(places, DATA.evidence) == {
        "passage_hit@1": 0.5,
        "passage_hit@3": 1.0,
        "passage_chance@1": pytest.approx(1 / 3),
    }
    assert passage_hits({}, {}) == {}


def test_touching_is_not_overlapping():
    spans = np.array([[0, 4], [4, 9]])
    assert overlaps(spans, [(3, 4)]).tolist() == [True, False]
    assert overlaps(spans, [(9, 12)]).tolist() == [False, False]
    assert overlaps(spans, [(0, 1), (8, 20)]).tolist() == [True, True]


def test_rank_counts_vectors_as_they_are_stored():
    ranked = rank(DATA, QUERIES, VECTORS, Effort(10, 2.0, 1.0), settings={"model": "m"})
    assert (ranked.num_vectors, ranked.num_bytes) == (4, 16)  # 4 vectors of 2 float16 numbers
    assert ranked.places == {}
    assert ranked.run["n"]["a"] == pytest.approx(1)


def test_a_run_holds_the_best_hundred():
    scores = np.random.default_rng(0).permutation(150).astype(np.float32)[None]
    docs = [f"d{i}" for i in range(150)]
    (found,) = as_run(["q"], docs, scores).values()
    assert sorted(found.values()) == list(range(50, 150))
    assert all(scores[0][docs.index(doc)] == score for doc, score in found.items())
