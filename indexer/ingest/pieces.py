"""A text of any length in bounded memory: it is encoded and written piece by piece.

A piece ends where a unit does (a page, a line), a million characters or so after it began.
Pieces are encoded apart: no window lies over their border, and the document vector is the mean
of all landmarks. Shorter documents are one piece.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from indexer.documents import Document
from indexer.ingest.rows import landmark_rows
from indexer.offsets import Offsets
from lmk_encoder.types import EncodedDocument, FloatVector, WindowKey

PIECE_CHARS = 1_000_000
LONG_CHARS = 2 * PIECE_CHARS  # from here on a document is cut


class Piece(NamedTuple):
    """Characters ``[start, ...)`` of a document as one of their own, whose first unit is
    number ``unit`` (1-based) of the whole."""

    document: Document
    start: int
    unit: int


def is_long(document: Document) -> bool:
    """Whether the document has to be cut into pieces."""
    return len(document.text) > LONG_CHARS


def pieces_of(document: Document) -> Iterator[Piece]:
    """Yield the pieces of a document, in order; they tile it. A short one is its only piece."""
    if not is_long(document):
        yield Piece(document, 0, 1)
        return
    start, length = 0, len(document.text)
    while start < length:
        end = _end(document, start)
        starts = document.unit_starts
        inside = starts[bisect_right(starts, start) : bisect_left(starts, end)]
        yield Piece(
            replace(
                document,
                text=document.text[start:end],
                unit_starts=Offsets(chain((0,), (offset - start for offset in inside))),
                unit_labels=(),
                sections=(),
                breaks=_shifted(document.breaks, start, end),
                borders=_shifted(document.borders, start, end),
                definitions=_shifted(document.definitions, start, end),
                furniture=tuple(
                    (max(a, start) - start, min(b, end) - start)
                    for a, b in document.furniture
                    if a < end and b > start
                ),
            ),
            start,
            max(bisect_right(starts, start), 1),
        )
        start = end


def _end(document: Document, start: int) -> int:
    length = len(document.text)
    if length - start <= LONG_CHARS:
        return length
    starts, most = document.unit_starts, start + PIECE_CHARS
    unit = starts[max(bisect_right(starts, most) - 1, 0)]
    if unit > start:
        return unit
    space = document.text.rfind(" ", start + PIECE_CHARS // 2, most)  # a line without an end
    return space + 1 if space >= 0 else most


def _shifted(offsets: Sequence[int], start: int, end: int) -> tuple[int, ...]:
    return tuple(offset - start for offset in offsets if start < offset < end)


def piece_rows(
    doc_id: str, piece: Piece, encoded: EncodedDocument, first: int, dimension: int
) -> pa.Table:
    """Rows of ``landmarks`` of a piece; ``first`` is the ordinal of its first landmark."""
    rows = landmark_rows([(doc_id, piece.document, encoded)], dimension)
    moved = {
        "ordinal": first,
        "start": piece.start,
        "end": piece.start,
        "unit_first": piece.unit - 1,
        "unit_last": piece.unit - 1,
    }
    for name, by in moved.items():
        at, field = rows.schema.get_field_index(name), rows.schema.field(name)
        numbers = rows[name].to_numpy() + by
        rows = rows.set_column(at, field, pa.array(numbers, field.type))
    return rows


class Whole:
    """What the pieces of one document add up to."""

    def __init__(self, dimension: int) -> None:
        self.num_landmarks = 0
        self._sum: FloatVector = np.zeros(dimension, dtype=np.float32)
        self._spans: list[np.ndarray] = []
        self._windows: list[WindowKey] = []
        self._num_tokens = 0

    def add(self, piece: Piece, encoded: EncodedDocument) -> None:
        """Count the next piece in."""
        self._sum = self._sum + encoded.landmark_vectors.sum(axis=0, dtype=np.float32)
        self._spans.append(encoded.spans + piece.start)
        self._windows += encoded.windows
        self._num_tokens += encoded.num_tokens
        self.num_landmarks += len(encoded.spans)

    def encoded(self) -> EncodedDocument:
        """The document without its landmark vectors, which are written already."""
        return EncodedDocument(
            vector=self._sum / max(float(np.linalg.norm(self._sum)), 1e-12),
            landmark_vectors=np.empty((0, len(self._sum)), dtype=np.float32),
            spans=np.concatenate(self._spans),
            num_tokens=self._num_tokens,
            windows=tuple(self._windows),
        )
