"""The vectors of one table; in memory, float32 while they are few, float16 when they are many."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.types import FloatMatrix, FloatVector

Rows = NDArray[np.int64]

FLOAT32_ROWS = 100_000  # up to here twice the memory is taken for four times the speed
BLOCK_ROWS = 512  # widened to float32 at a time: they stay in the cache of a core


class Vectors(Protocol):
    """(M, D) vectors that are read as float32 of unit length, whatever holds them."""

    def __len__(self) -> int:
        """M."""

    @property
    def dimension(self) -> int:
        """D, the width of every row."""

    def __getitem__(self, rows: Rows | slice | int) -> FloatMatrix:
        """Some rows, or one."""

    def cosines(self, query: FloatVector, rows: Rows | None = None) -> FloatVector:
        """(M,) cosine of every row with a query of unit length; or of ``rows`` only."""


class VectorRows:
    """``Vectors`` in memory.

    Fill every row once with ``put``, then only read.
    """

    def __init__(self, num_rows: int, dimension: int) -> None:
        is_small = num_rows <= FLOAT32_ROWS
        self._stored = np.zeros((num_rows, dimension), np.float32 if is_small else np.float16)
        # float16 loses a little length: it is given back when rows are read.
        self._scale = None if is_small else np.ones(num_rows, np.float32)

    @classmethod
    def of(cls, vectors: np.ndarray) -> "VectorRows":
        """The rows of a matrix."""
        rows = cls(*vectors.shape)
        rows.put(np.arange(len(vectors)), vectors)
        return rows

    def __len__(self) -> int:
        return len(self._stored)

    @property
    def dimension(self) -> int:
        """D, the width of every row."""
        return int(self._stored.shape[1])

    @property
    def nbytes(self) -> int:
        """Memory taken."""
        return self._stored.nbytes + (0 if self._scale is None else self._scale.nbytes)

    def put(self, rows: Rows, vectors: np.ndarray) -> None:
        """Store vectors, which need not be of unit length; a zero vector stays one."""
        for begin in range(0, len(vectors), BLOCK_ROWS):
            block = unit(vectors[begin : begin + BLOCK_ROWS].astype(np.float32))
            at = rows[begin : begin + BLOCK_ROWS]
            self._stored[at] = block
            if self._scale is not None:
                self._scale[at] = 1 / _lengths(self._stored[at].astype(np.float32))

    def __getitem__(self, rows: Rows | slice | int) -> FloatMatrix:
        """Some rows, or one, as float32 of unit length."""
        found = widened(self._stored[rows])
        return found if self._scale is None else found * self._scale[rows][..., None]

    def cosines(self, query: FloatVector, rows: Rows | None = None) -> FloatVector:
        """(M,) cosine of every row with a query of unit length; or of ``rows`` only."""
        if rows is None and self._scale is None:
            return np.asarray(self._stored @ query)
        number = len(self) if rows is None else len(rows)
        found = np.empty(number, np.float32)
        for begin in range(0, number, BLOCK_ROWS):
            stop = min(begin + BLOCK_ROWS, number)
            at = slice(begin, stop) if rows is None else rows[begin:stop]
            np.dot(widened(self._stored[at]), query, out=found[begin:stop])
        if self._scale is not None:
            found *= self._scale if rows is None else self._scale[rows]
        return found


def widened(block: np.ndarray) -> FloatMatrix:
    """Finite numbers as float32; float16 at three times the speed of ``astype``.

    The sign, and exponent and mantissa below it, are moved to where float32 has them; what is
    left is the difference of the exponents' zeros.
    """
    if block.dtype != np.float16:
        return block
    bits = np.atleast_1d(block).view(np.int16).astype(np.int32)  # the sign fills the upper half
    bits <<= 13
    bits &= ~0x70000000
    found = bits.view(np.float32)
    found *= np.float32(2.0**112)
    return found.reshape(block.shape)


def unit(block: FloatMatrix) -> FloatMatrix:
    """Rows (n, D) of unit length; a zero row stays one."""
    return np.asarray(block / _lengths(block)[:, None])


def _lengths(block: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(np.linalg.norm(block, axis=1), 1e-12))
