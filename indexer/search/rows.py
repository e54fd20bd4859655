"""Rows and landmarks of documents, read when they are needed and kept while they are."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indexer import analysis
from indexer.documents import Section
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
            rows = self._read_rows(missing)
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
        self, documents: Sequence[int], rows: dict[str, dict[str, Any]]
    ) -> dict[int, Loaded]:
        snapshot = self._snapshot
        columns = ["ordinal", "start", "end", "unit_first", "unit_last", "text", "search_text"]
        numbers = np.concatenate(
            [snapshot.landmark_ids[slice(*snapshot.offsets[i : i + 2])] for i in documents]
        )
        found = self._tables.take(self._tables.landmarks, ["doc_id", *columns], numbers)
        found = found.sort_by([("doc_id", "ascending"), ("ordinal", "ascending")])
        ids = np.array(found["doc_id"].to_pylist())
        read: dict[int, Loaded] = {}
        for i in documents:
            doc_id = snapshot.documents[i].doc_id
            low, high = np.searchsorted(ids, doc_id), np.searchsorted(ids, doc_id, "right")
            own = found.slice(low, high - low).to_pydict()
            landmarks = Landmarks(
                starts=tuple(own["start"]),
                ends=tuple(own["end"]),
                unit_first=tuple(own["unit_first"]),
                unit_last=tuple(own["unit_last"]),
                texts=tuple(own["text"]),
                terms=tuple(f" {text} " for text in own["search_text"]),
                headings=_headings(own["start"], own["end"], rows[doc_id]["sections"]),
            )
            read[i] = Loaded(rows[doc_id], landmarks)
        return read


def _headings(
    starts: Sequence[int], ends: Sequence[int], sections: Sequence[Section]
) -> tuple[str, ...]:
    """The terms of the titles around each landmark. A section holds it by its middle."""
    middles = (np.array(starts) + np.array(ends)) // 2
    around: list[list[str]] = [[] for _ in starts]
    for section in sections:
        first, stop = np.searchsorted(middles, [section.start, section.end])
        terms = analysis.search_text(section.title)
        for i in range(first, stop):
            around[i].append(terms)
    return tuple(f" {' '.join(titles)} " for titles in around)
