"""Fusion on scores small enough to check with a pencil."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search.fusion import best_first, contributions, reciprocal_ranks, standardised


def fuse(signals, weights, method="z"):
    return sum(contributions(signals, weights, method).values())


def test_weighted_z_by_hand():
    """(1, 3) has mean 2 and deviation 1, so z = (-1, 1); equal scores say nothing."""
    fused = fuse({"a": np.array([1.0, 3.0]), "b": np.array([7.0, 7.0])}, {"a": 0.5, "b": 9})
    assert fused.tolist() == [-0.5, 0.5]


def test_one_document_alone_scores_zero():
    assert standardised(np.array([0.7])).tolist() == [0.0]


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.randoms())
def test_fusion_does_not_depend_on_the_order_of_documents(scores, random):
    order = list(range(len(scores)))
    random.shuffle(order)
    signal = np.array(scores)
    fused = fuse({"a": signal}, {"a": 1.0})
    assert fuse({"a": signal[order]}, {"a": 1.0}) == pytest.approx(fused[order], abs=1e-6)


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30), st.floats(0.5, 2), st.floats(-1, 1))
def test_standardised_scores_ignore_scale_and_offset(scores, scale, offset):
    signal = np.array(scores)
    assert standardised(signal * scale + offset) == pytest.approx(standardised(signal), abs=1e-3)


def test_reciprocal_ranks_by_hand():
    """Two documents share the first rank; the third has rank 3."""
    assert reciprocal_ranks(np.array([5.0, 1.0, 5.0]), k=0).tolist() == [1.0, 1 / 3, 1.0]


def test_a_signal_without_a_weight_adds_nothing():
    signals = {"a": np.array([1.0, 3.0]), "b": np.array([7.0, 1.0])}
    assert fuse(signals, {"a": 1.0}).tolist() == [-1.0, 1.0]


@given(st.lists(st.integers(-3, 3) | st.floats(-5, 5), max_size=60))
def test_best_first_keeps_the_order_of_equal_scores(scores):
    ordered = best_first(np.array(scores, dtype=float))
    assert ordered.tolist() == sorted(range(len(scores)), key=lambda i: -scores[i])
