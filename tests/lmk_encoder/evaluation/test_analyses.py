"""The paper's analyses on vectors whose answers can be worked out by hand."""

import numpy as np
import pytest

pytest.importorskip("ir_measures", reason="extra eval")

from lmk_encoder.errors import DataError
from lmk_encoder.evaluation.analyses import (
    LandmarkView,
    affinity,
    landmark_views,
    neighbour_hits,
    position_of_content,
    position_of_evidence,
    spread,
)
from lmk_encoder.evaluation.analysis_run import analyses_table, analysis_panels, run_analyses
from lmk_encoder.evaluation.datasets import Evidence, RetrievalSet
from lmk_encoder.evaluation.ranked import Effort, Ranked
from lmk_encoder.landmarks import Interval
from lmk_encoder.testing import KeywordEncoder
from lmk_encoder.types import TextInput, no_progress


def view(chunks, landmarks, vector=None):
    chunks, landmarks = np.array(chunks, np.float32), np.array(landmarks, np.float32)
    return LandmarkView(landmarks.mean(axis=0) if vector is None else vector, landmarks, chunks)


def test_landmarks_that_are_their_chunks_are_found_and_left_wins():
    """30 orthogonal chunks: a chunk's own landmark is nearest, the one before is one of 29 ties."""
    one = view(np.eye(30), np.eye(30))
    hits = neighbour_hits([one])
    assert hits["right@10"] == 1
    assert hits["chance@10"] == pytest.approx(1 / 3)
    assert hits["chunks"] == 29
    found = affinity([one])
    assert found["left_wins"] == 1
    assert found["by_distance"] == {str(d): float(d == 0) for d in range(-3, 4)}


def test_landmarks_that_look_ahead_are_nearer_to_the_right():
    ahead = view(np.eye(12), np.roll(np.eye(12), 1, axis=1))  # landmark i is chunk i + 1
    found = affinity([ahead])
    assert found["by_distance"]["1"] == 1
    assert found["left_wins"] == 0
    assert neighbour_hits([ahead])["left@10"] == 1  # chunk i finds landmark i - 1


def test_a_far_neighbour_is_not_among_ten():
    """Landmark i is chunk i + 15: the neighbours of a chunk share nothing with it."""
    chunks = np.linspace(0, 1, 40)[:, None] * [[1, 0]] + [[0, 1]]
    chunks /= np.linalg.norm(chunks, axis=1, keepdims=True)
    hits = neighbour_hits([view(chunks, chunks[::-1].copy())])
    assert hits["right@10"] < 0.4


def test_position_of_content_by_fifths():
    one = view(np.eye(10), np.eye(10), vector=np.arange(10, dtype=np.float32))
    assert position_of_content([one]) == pytest.approx([0.5, 2.5, 4.5, 6.5, 8.5])


def test_position_of_evidence_worked_out_by_hand():
    data = RetrievalSet(
        "s",
        {"a": "x" * 100, "b": "x" * 100},
        {"q1": "?", "q2": "?"},
        {"q1": {"a": 1}, "q2": {"b": 1}},
        {"q1": Evidence("a", ((0, 10),)), "q2": Evidence("b", ((90, 100),))},
    )
    run = {"q1": {"a": 0.9, "b": 0.1}, "q2": {"a": 0.5, "b": 0.4}}
    found = position_of_evidence(data, Ranked(run, Effort(1, 1.0, 1.0), 1, 1))
    assert found["accuracy@1_by_place"] == [1.0, None, None, None, 0.0]
    assert found["rank_correlation"] == pytest.approx(-1)
    data.evidence.clear()
    assert position_of_evidence(data, Ranked(run, Effort(1, 1.0, 1.0), 1, 1)) == {}


def test_spread_is_the_distance_of_best_and_worst():
    rows = {
        tokens: {"document": {"ndcg@10": document}, "landmark": {"ndcg@10": 0.7}}
        for tokens, document in ((32, 0.5), (64, 0.6))
    }
    found = spread(rows)
    assert found["document"]["spread"] == pytest.approx(0.1)
    assert found["landmark"] == {"by_granularity": {"32": 0.7, "64": 0.7}, "spread": 0}


def test_views_hold_what_the_encoder_gives():
    encoder = KeywordEncoder()
    texts = ["one two three four five six", "one"]
    (found,) = landmark_views(encoder, texts, Interval(2), no_progress)
    inputs = [TextInput(text, Interval(2)) for text in (texts[0], "one two ")]
    whole, alone = encoder.encode_document(inputs)
    assert found.landmarks == pytest.approx(whole.landmark_vectors)
    assert found.chunks[0] == pytest.approx(alone.vector)


def test_all_of_a_set_with_table_and_panels(tiny):
    data = RetrievalSet(
        "s",
        {"a": "the pump was replaced in march", "b": "the roof leaks above the library"},
        {"q1": "pump", "q2": "roof"},
        {"q1": {"a": 1}, "q2": {"b": 1}},
        {"q1": Evidence("a", ((4, 8),)), "q2": Evidence("b", ((4, 8),))},
    )
    found = run_analyses(tiny, data, granularities=[8, 4], policy="interval", progress=no_progress)
    assert list(found["granularity"]["document"]["by_granularity"]) == ["8", "4"]
    assert len(analyses_table({"s": found}).splitlines()) == 3
    panels = analysis_panels("s", found)
    assert panels[2].lines["document"][0] == [4, 8]
    short = RetrievalSet("s", {"a": "pump", "b": "roof"}, data.queries, data.qrels)
    with pytest.raises(DataError, match="No document of s has two landmarks"):
        run_analyses(tiny, short, granularities=[8], policy="interval", progress=no_progress)
