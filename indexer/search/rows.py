"""Rows and landmarks of documents, read when they are needed and kept while they are."""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indexer import analysis
from indexer.documents import Section
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


class RowCache:
    """The rows of the documents that were shown last."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._landmarks: OrderedDict[str, Landmarks] = OrderedDict()
        self._rows: dict[str, dict[str, Any]] = {}

    def load(self, doc_ids: Sequence[str]) -> None:
        """Have these documents at hand: one read for all that lack."""
        missing = lacking(self._landmarks, doc_ids)
        if missing:
            self._rows.update(self._read_rows(missing))
            self._landmarks.update(self._read_landmarks(missing))  # needs the rows
        trim(self._landmarks, max(_CACHED_DOCUMENTS, len(doc_ids)))
        for doc_id in self._rows.keys() - self._landmarks.keys():
            del self._rows[doc_id]

    def row(self, doc_id: str) -> dict[str, Any]:
        """Structure of a document that was loaded."""
        return self._rows[doc_id]

    def landmarks(self, doc_id: str) -> Landmarks:
        """Landmarks of a document that was loaded."""
        return self._landmarks[doc_id]

    def _read_rows(self, doc_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        columns = ["doc_id", "unit", "unit_starts", "unit_labels", "sections", "furniture"]
        found = self._tables.read_in(self._tables.documents, columns, "doc_id", doc_ids)
        rows = {row["doc_id"]: row for row in found.to_pylist()}
        for row in rows.values():
            row["sections"] = [Section(**section) for section in row["sections"]]
            row["furniture"] = list(zip(row["furniture"][::2], row["furniture"][1::2], strict=True))
        return rows

    def _read_landmarks(self, doc_ids: Sequence[str]) -> dict[str, Landmarks]:
        columns = ["ordinal", "start", "end", "unit_first", "unit_last", "text", "search_text"]
        found = self._tables.read_in(
            self._tables.landmarks, ["doc_id", *columns], "doc_id", doc_ids
        )
        found = found.sort_by([("doc_id", "ascending"), ("ordinal", "ascending")])
        ids = np.array(found["doc_id"].to_pylist())
        read: dict[str, Landmarks] = {}
        for doc_id in doc_ids:
            low, high = np.searchsorted(ids, doc_id), np.searchsorted(ids, doc_id, "right")
            own = found.slice(low, high - low).to_pydict()
            read[doc_id] = Landmarks(
                starts=tuple(own["start"]),
                ends=tuple(own["end"]),
                unit_first=tuple(own["unit_first"]),
                unit_last=tuple(own["unit_last"]),
                texts=tuple(own["text"]),
                terms=tuple(f" {text} " for text in own["search_text"]),
                headings=_headings(own["start"], own["end"], self._rows[doc_id]["sections"]),
            )
        return read


def lacking(cache: OrderedDict[str, Any], keys: Collection[str]) -> list[str]:
    """The keys that are not in the cache; those that are become its youngest."""
    for key in keys:
        if key in cache:
            cache.move_to_end(key)
    return [key for key in dict.fromkeys(keys) if key not in cache]


def trim(cache: OrderedDict[str, Any], most: int) -> None:
    """Drop the oldest entries. What the current call asked for is the youngest, and stays."""
    while len(cache) > most:
        cache.popitem(last=False)


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
