"""Rows and landmarks of documents, read when they are needed and kept while they are."""

from collections.abc import Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer import analysis
from indexer.documents import Section
from indexer.search.beside import beside
from indexer.search.recent import Recent
from indexer.search.snapshot import Snapshot
from indexer.store.tables import Tables

_CACHED_DOCUMENTS = 64


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The landmarks of one document, in order.

    ``terms`` and ``headings`` are the terms of each text, and of the titles of the sections
    around it, between spaces: " pump valv ".
    """

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    unit_first: tuple[int, ...]
    unit_last: tuple[int, ...]
    texts: tuple[str, ...]
    terms: tuple[str, ...]
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document to find places in: its row, with ``sections`` and ``furniture`` put together,
    and its landmarks."""

    row: dict[str, Any]
    landmarks: Landmarks


class RowCache:
    """The documents that were shown last. For any number of threads."""

    def __init__(self, snapshot: Snapshot, tables: Tables) -> None:
        self._snapshot, self._tables = snapshot, tables
        self._recent: Recent[int, Loaded] = Recent(_CACHED_DOCUMENTS)

    def load(self, documents: Collection[int]) -> dict[int, Loaded]:
        """Documents by their numbers: one read for all that are not at hand."""
        found = self._recent.known(documents)
        missing = sorted(set(documents) - found.keys())
        if missing:
            rows = beside(self._read_rows, missing)
            read = self._read_landmarks(missing, rows)
            self._recent.keep(read)
            found |= read
        return found

    def _read_rows(self, documents: Sequence[int]) -> dict[str, dict[str, Any]]:
        columns = ["doc_id", "unit", "unit_starts", "unit_labels", "sections", "furniture"]
        numbers = self._snapshot.document_ids[documents]
        found = self._tables.take(self._tables.documents, columns, numbers)
        rows = {row["doc_id"]: row for row in found.to_pylist()}
        for row in rows.values():
            row["sections"] = [Section(**section) for section in row["sections"]]
            row["furniture"] = list(zip(row["furniture"][::2], row["furniture"][1::2], strict=True))
        return rows

    def _read_landmarks(
        self, documents: Sequence[int], rows: Future[dict[str, dict[str, Any]]]
    ) -> dict[int, Loaded]:
        """A landmark's place follows from the texts before it, its units from its place: reading
        only texts and terms takes a third of the time."""
        snapshot = self._snapshot
        numbers = np.concatenate(
            [snapshot.landmark_ids[slice(*snapshot.offsets[i : i + 2])] for i in documents]
        )
        columns = ["text", "search_text", "_rowid"]
        found = self._tables.take(self._tables.landmarks, columns, numbers)
        order = np.argsort(snapshot.landmark_places.of(found["_rowid"].to_numpy()))
        texts, terms = (found[name].take(order).to_pylist() for name in columns[:2])
        read: dict[int, Loaded] = {}
        first = 0
        for i in documents:
            stop = first + int(np.diff(snapshot.offsets[i : i + 2])[0])
            row = rows.result()[snapshot.documents[i].doc_id]
            read[i] = Loaded(row, _landmarks(texts[first:stop], terms[first:stop], row))
            first = stop
        return read


def _landmarks(texts: Sequence[str], terms: Sequence[str], row: dict[str, Any]) -> Landmarks:
    ends = np.cumsum([len(text) for text in texts])
    starts = np.concatenate([[0], ends[:-1]])
    return Landmarks(
        starts=tuple(starts.tolist()),
        ends=tuple(ends.tolist()),
        unit_first=_units(row["unit_starts"], starts),
        unit_last=_units(row["unit_starts"], np.maximum(starts, ends - 1)),
        texts=tuple(texts),
        terms=tuple(f" {text} " for text in terms),
        headings=_headings(starts, ends, row["sections"]),
    )


def _units(unit_starts: Sequence[int], offsets: NDArray[np.int64]) -> tuple[int, ...]:
    """``documents.unit_at`` of all offsets at once."""
    numbers = np.searchsorted(np.array(unit_starts, dtype=np.int64), offsets, side="right")
    return tuple(np.maximum(numbers, 1).tolist())


def _headings(
    starts: NDArray[np.int64], ends: NDArray[np.int64], sections: Sequence[Section]
) -> tuple[str, ...]:
    """The terms of the titles around each landmark. A section holds it by its middle."""
    middles = (starts + ends) // 2
    around: list[list[str]] = [[] for _ in starts]
    for section in sections:
        first, stop = np.searchsorted(middles, [section.start, section.end])
        terms = analysis.search_text(section.title)
        for i in range(first, stop):
            around[i].append(terms)
    return tuple(f" {' '.join(titles)} " for titles in around)
