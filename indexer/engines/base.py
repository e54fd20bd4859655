"""What a vector engine is, and how an approximate one is made exact where it has to be."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from indexer.engines.vectors import Rows, Vectors
from lmk_encoder.types import FloatVector

Mask = NDArray[np.bool_]
Find = Callable[[FloatVector, int], Rows]  # query, number -> rows, about the nearest

OVERSAMPLING = 2  # so many times the rows asked for are compared exactly,
LEAST_FOUND = 1_000  # and at least so many: a short code orders the first rows badly
SCAN_ROWS = 20_000  # so few allowed rows are all compared exactly


class Nearest(NamedTuple):
    """Rows, nearest first, with their cosines."""

    rows: Rows
    cosines: FloatVector


class VectorEngine(Protocol):
    """Nearest rows of one set of vectors. Safe to ask from several threads."""

    @property
    def name(self) -> str:
        """As in ``--engine``."""

    def search(self, query: FloatVector, k: int, allowed: Mask | None = None) -> Nearest:
        """The ``k`` nearest rows, fewer only where fewer are there.

        Args:
            query: (D,), of unit length.
            k: how many, at least 1.
            allowed: (M,), the rows that may be found; None is all of them.
        """


class ExactEngine:
    """Compares the query with every row."""

    name = "exact"

    def __init__(self, rows: Vectors) -> None:
        self._rows = rows

    def search(self, query: FloatVector, k: int, allowed: Mask | None = None) -> Nearest:
        """The ``k`` nearest rows."""
        among = None if allowed is None else np.flatnonzero(allowed)
        return _best(self._rows.cosines(query, among), k, among)


class RescoredEngine:
    """An approximate engine: what it finds is compared exactly, and what filters leave is
    enough. ``find`` gives about the nearest rows; -1 and repeated rows are passed over."""

    def __init__(self, name: str, rows: Vectors, find: Find) -> None:
        self.name = name
        self._rows, self._find = rows, find
        self._exact = ExactEngine(rows)

    def search(self, query: FloatVector, k: int, allowed: Mask | None = None) -> Nearest:
        """The ``k`` nearest rows of those found."""
        there = len(self._rows) if allowed is None else int(allowed.sum())
        wanted = min(k, there)
        if there <= max(wanted, SCAN_ROWS):
            return self._exact.search(query, k, allowed)
        # The rarer what is allowed, the more has to be found for enough of it to be left.
        number = max(LEAST_FOUND, OVERSAMPLING * wanted) * len(self._rows) // there
        number = min(len(self._rows), number)
        found = np.unique(self._find(query, number))
        found = found[found >= 0]
        if allowed is not None:
            found = found[allowed[found]]
        if len(found) < wanted:
            return self._exact.search(query, k, allowed)
        return _best(self._rows.cosines(query, found), k, found)


def _best(cosines: FloatVector, k: int, rows: Rows | None) -> Nearest:
    """The best ``k``; equal cosines in the order of the rows."""
    k = min(k, len(cosines))
    if k < len(cosines):
        # Everything that reaches the k-th best, so that ties are broken by the order.
        floor = np.partition(cosines, len(cosines) - k)[len(cosines) - k] if k else np.inf
        left = np.flatnonzero(cosines >= floor)
    else:
        left = np.arange(len(cosines))
    order = left[np.argsort(-cosines[left], kind="stable")[:k]]
    return Nearest(order if rows is None else rows[order], cosines[order])
