"""From hidden sentences to accuracy by length and depth."""

import numpy as np
import pytest

pytest.importorskip("ir_measures", reason="extra eval")

from lmk_encoder.errors import ConfigError
from lmk_encoder.evaluation.extrapolation import extrapolation, hidden_sets
from lmk_encoder.evaluation.figures import by_depth
from lmk_encoder.evaluation.landmark import landmark_systems
from lmk_encoder.evaluation.pictures import extrapolation_panels
from lmk_encoder.landmarks import Interval
from lmk_encoder.testing import KeywordEncoder
from lmk_encoder.types import no_progress


def sets(**asked):
    given = {"needle": False, "ruler": False, "documents": 5, "seed": 0, "hay": None} | asked
    return list(hidden_sets(lengths=[400, 200], **given))


def test_every_task_at_every_length():
    assert [one.data.name for one in sets(needle=True)] == [
        *("needle-200", "needle-400", "passkey-200", "passkey-400"),
    ]
    assert len(sets(ruler=True)) == 16
    assert sets() == []


def test_hay_may_be_a_text_of_ones_own():
    (one, *_) = sets(needle=True, hay="Nothing but salt. " * 99)
    assert all("salt" in text for text in one.data.documents.values())


def test_accuracy_by_depth_worked_out_by_hand():
    """Five documents at depths 0, 1/4 ... 1, one a bin; the system is right in the first half."""
    (one, *_) = sets(needle=True)
    right = np.array([float(depth < 0.5) for depth in one.data.depths.values()])
    assert by_depth(one.data, right) == [1.0, 1.0, 0.0, 0.0, 0.0]
    (two, *_) = sets(needle=True, documents=2)
    assert by_depth(two.data, np.ones(2))[1:4] == [None] * 3


def test_sets_without_lengths_cannot_be_drawn():
    with pytest.raises(ConfigError, match="no lengths and depths to draw in harbour"):
        extrapolation_panels({"harbour": {"document": {"accuracy@1": 1}}})


@pytest.mark.parametrize("asked", [{"needle": True}, {"ruler": True}])
def test_a_best_landmark_of_words_finds_what_a_mean_loses(asked):
    encoder = KeywordEncoder(512)

    def run(one):
        return landmark_systems(
            encoder, one.data, policy=Interval(16), progress=no_progress, settings={}
        )

    chosen = [one for one in sets(**asked) if "multi" not in one.data.name]
    results = dict(extrapolation(chosen, run, against="document"))
    scores = {s: [of[s]["accuracy@1"] for of in results.values()] for s in ("document", "landmark")}
    assert np.mean(scores["landmark"]) >= 0.9
    assert all(len(of["document"]["by_depth"]) == 5 for of in results.values())
    rows = extrapolation_panels(results)
    assert len(rows) == len(results) // 2
    assert rows[0][0].lines["landmark"][0] == [200, 400]
    assert rows[0][1].lines["landmark"][0] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
