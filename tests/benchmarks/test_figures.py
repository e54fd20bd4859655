"""Figures of rankings against values worked out by hand."""

import math

import pytest

from benchmarks.harness.figures import Answer, figures
from benchmarks.harness.sets import Query


def ndcg(found, right):
    return figures([Answer(found, None)], [Query("q", right)], 0)["ndcg@10"]


def test_ndcg_of_one_right_document_is_its_discount():
    assert ndcg([4, 7, 1], frozenset({7})) == pytest.approx(1 / math.log2(3))
    assert ndcg([4, 7, 1], frozenset({9})) == 0
    assert ndcg([], frozenset({9})) == 0
    assert ndcg(list(range(11)), frozenset({10})) == 0  # the eleventh does not count


def test_ndcg_of_several_is_set_against_the_best_order():
    found = (1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    assert ndcg([1, 5, 2], frozenset({1, 2})) == pytest.approx(found)


def test_a_place_counts_if_the_right_document_shows_it_early_enough():
    queries = [
        Query("whole", frozenset({0}), answer=(10, 14)),
        Query("cut", frozenset({0}), answer=(10, 14)),
        Query("third", frozenset({0}), spans=((50, 60),)),
        Query("elsewhere", frozenset({0}), spans=((50, 60),)),
        Query("no place", frozenset({0})),
    ]
    answers = [
        Answer([0], {0: [(5, 14)]}),
        Answer([0], {0: [(5, 13), (13, 20)]}),
        Answer([1, 0], {0: [(0, 9), (10, 20), (59, 70)]}),
        Answer([1], {1: [(50, 60)]}),
        Answer([0], {0: [(0, 9)]}),
    ]
    counted = figures(answers, queries, 12.4)
    assert counted["passage@1"] == pytest.approx(1 / 4)
    assert counted["passage@3"] == pytest.approx(2 / 4)
    assert counted["recall@10"] == pytest.approx(4 / 5)
    assert counted["bytes_per_doc"] == 12


def test_a_system_without_places_has_no_figure_for_them():
    counted = figures([Answer([0], None)], [Query("q", frozenset({0}), answer=(0, 1))], 0)
    assert counted["passage@1"] is counted["passage@3"] is None


def test_the_interval_holds_the_mean():
    answers = [Answer([number % 2], None) for number in range(100)]
    low, high = figures(answers, [Query("q", frozenset({1}))] * 100, 0)["ci"]
    assert 0.38 < low < 0.5 < high < 0.62
