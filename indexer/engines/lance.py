"""The vector index of the table itself: always in step, new rows included, nothing kept beside."""

import numpy as np

from indexer.engines.base import RescoredEngine
from indexer.engines.vectors import Rows, Vectors
from indexer.store.tables import Tables
from lmk_encoder.types import FloatVector


class RowPlaces:
    """Where the rows of a table stand in memory, by the numbers that the table gives them."""

    def __init__(self, row_ids: np.ndarray) -> None:
        """``row_ids`` (M,): the table's number of every row in memory."""
        self._order = np.argsort(row_ids)
        self._sorted = row_ids[self._order]

    def of(self, row_ids: np.ndarray) -> Rows:
        """Rows in memory, -1 for those that are not there."""
        at = np.searchsorted(self._sorted, row_ids)
        at = np.minimum(at, max(0, len(self._sorted) - 1))
        if not len(self._sorted):
            return np.full(len(row_ids), -1)
        return np.where(self._sorted[at] == row_ids, self._order[at], -1)


def lance_engine(tables: Tables, rows: Vectors, places: RowPlaces) -> RescoredEngine:
    """An engine that asks LanceDB for landmarks; ``places`` finds its numbers in ``rows``."""

    def find(query: FloatVector, number: int) -> Rows:
        return places.of(tables.nearest(tables.landmarks, query, number))

    return RescoredEngine("lance", rows, find)
