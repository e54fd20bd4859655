"""The vectors of a large table on the disk, read for the rows that are asked for."""

from collections.abc import Sequence

import numpy as np

from indexer.engines.vectors import BLOCK_ROWS, Rows, unit, widened
from lmk_encoder.types import FloatMatrix, FloatVector


class MappedRows:
    """(M, D) vectors that lie in several arrays, mostly maps of files.

    Reads as ``VectorRows`` does: float32 of unit length. What is read often stays in the
    system's file cache, which every process shares and which gives way when memory is short.
    """

    def __init__(self, parts: Sequence[np.ndarray], at: Rows) -> None:
        """
        Args:
            parts: (n, D) float16 each, at least one.
            at: (M,), where each row lies, counted through all parts.
        """
        self._parts = parts
        self._begins = np.cumsum([0, *map(len, parts)])
        self._at: Rows = at.astype(np.int32 if self._begins[-1] < 2**31 else np.int64)

    def __len__(self) -> int:
        return len(self._at)

    @property
    def dimension(self) -> int:
        """D, the width of every row."""
        return int(self._parts[0].shape[1])

    def __getitem__(self, rows: Rows | slice | int) -> FloatMatrix:
        """Some rows, or one, as float32 of unit length."""
        at = self._at[rows]
        found = unit(self._raw(np.atleast_1d(at)))
        return found if np.ndim(at) else found[0]

    def cosines(self, query: FloatVector, rows: Rows | None = None) -> FloatVector:
        """(M,) cosine of every row with a query of unit length; or of ``rows`` only."""
        at: Rows = self._at if rows is None else self._at[rows]
        found = np.empty(len(at), np.float32)
        for begin in range(0, len(at), BLOCK_ROWS):
            block = self._raw(at[begin : begin + BLOCK_ROWS])
            lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
            found[begin : begin + BLOCK_ROWS] = (block @ query) / np.maximum(lengths, 1e-12)
        return found

    def _raw(self, at: Rows) -> FloatMatrix:
        """Rows as they are stored, as float32."""
        of = np.searchsorted(self._begins, at, side="right") - 1
        if not len(at):
            return np.empty((0, self.dimension), np.float32)
        if (of == of[0]).all():  # mostly
            return widened(self._parts[of[0]][at - self._begins[of[0]]])
        found = np.empty((len(at), self.dimension), np.float32)
        for part in np.unique(of):
            here = of == part
            found[here] = widened(self._parts[part][at[here] - self._begins[part]])
        return found
