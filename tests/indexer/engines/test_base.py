"""What is asked of an approximate engine, and when all rows are compared instead."""

import numpy as np
import pytest

from indexer.engines import base
from indexer.engines.base import RescoredEngine
from indexer.engines.vectors import VectorRows

ROWS = 100
ANGLES = np.linspace(0, np.pi / 2, ROWS)  # row 0 is nearest, the last one farthest
VECTORS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1).astype(np.float32)
QUERY = VECTORS[0]


class Find:
    """Finds the rows it is given, and notes how many it was asked for."""

    def __init__(self, *found: int) -> None:
        self.found = np.array(found, dtype=np.int64)
        self.asked: list[int] = []

    def __call__(self, query, number):
        self.asked.append(number)
        return self.found[:number]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(base, "SCAN_ROWS", 0)
    monkeypatch.setattr(base, "LEAST_FOUND", 10)


def last(number: int) -> np.ndarray:
    """(ROWS,) True for the last rows."""
    return np.arange(ROWS) >= ROWS - number


@pytest.mark.parametrize(
    ("found", "allowed", "expected"),
    [
        ([7, -1, 3, 7, 5], None, [3, 5, 7]),  # what was found is put in order
        ([7, -1, -1, 7, 5], None, [0, 1, 2]),  # two rows are too few: all are compared
        ([0, 1, 2, 3], last(50), [50, 51, 52]),  # none of them is allowed
    ],
)
def test_where_too_few_are_found_all_are_compared(found, allowed, expected):
    engine = RescoredEngine("any", VectorRows.of(VECTORS), Find(*found))
    assert engine.search(QUERY, 3, allowed).rows.tolist() == expected


@pytest.mark.parametrize(
    ("k", "allowed", "asked"),
    [(3, None, 10), (20, None, 40), (3, last(50), 20), (3, last(20), 50), (3, last(5), 100)],
)
def test_the_rarer_what_is_allowed_the_more_is_asked_for(k, allowed, asked):
    find = Find(*range(ROWS))
    RescoredEngine("any", VectorRows.of(VECTORS), find).search(QUERY, k, allowed)
    assert find.asked == [asked]
