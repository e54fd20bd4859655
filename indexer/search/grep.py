"""Regular expressions over the texts of an index: every match with its page or line."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from indexer.documents import UnitType, unit_at
from indexer.query.exact import Range, pattern_ranges
from indexer.query.language import Condition, Pattern
from indexer.search.masks import Masks, paths_meeting
from indexer.search.snapshot import CatalogueEntry, Snapshot
from indexer.search.texts import AT_ONCE, read_texts
from indexer.store.tables import Tables

LINE_CHARS = 300  # of a very long line, so much around the match


@dataclass(frozen=True, slots=True)
class GrepMatch:
    """A match ``[start, end)`` in a document's text and the line it begins on.

    ``number`` is the unit (page, line ...) of its start, from 1; ``label`` the printed one where
    it differs. ``line`` begins at ``line_start`` of the text; of a long line it is a part.
    ``paths`` are all files that hold the document and meet the conditions, ``path`` the first.
    """

    doc_id: str
    path: str
    title: str
    unit: UnitType
    number: int
    label: str | None
    start: int
    end: int
    line: str
    line_start: int
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GrepResult:
    """Matches in the order of paths and places. ``stopped`` says why not all texts were looked
    through: None, "limit" or "time". ``documents`` is how many were."""

    matches: tuple[GrepMatch, ...]
    documents: int
    stopped: str | None = None


def grep(
    snapshot: Snapshot,
    tables: Tables,
    masks: Masks,
    pattern: Pattern,
    conditions: Sequence[Condition],
    *,
    limit: int,
    timeout_s: float,
) -> GrepResult:
    """Look through the documents that meet the conditions until ``limit`` or time is reached."""
    deadline = time.monotonic() + timeout_s
    found = (snapshot.documents[i] for i in np.flatnonzero(masks.allowed(conditions)))
    among = [replace(entry, paths=paths_meeting(entry, conditions)) for entry in found]
    among.sort(key=lambda entry: entry.paths)
    matches: list[GrepMatch] = []
    seen = 0
    for entry, row, text in _texts(tables, among):
        left_s = max(deadline - time.monotonic(), 1e-3)
        try:
            for place in pattern_ranges(pattern, text, timeout_s=left_s):
                if len(matches) == limit:
                    return GrepResult(tuple(matches), seen + 1, "limit")
                matches.append(_match(entry, row, text, place))
        except TimeoutError:  # what was found so far stays
            return GrepResult(tuple(matches), seen, "time")
        seen += 1
        if time.monotonic() > deadline and seen < len(among):
            return GrepResult(tuple(matches), seen, "time")
    return GrepResult(tuple(matches), seen)


def _texts(
    tables: Tables, entries: Sequence[CatalogueEntry]
) -> Iterator[tuple[CatalogueEntry, dict[str, Any], str]]:
    for begin in range(0, len(entries), AT_ONCE):
        some = entries[begin : begin + AT_ONCE]
        doc_ids = [entry.doc_id for entry in some]
        columns = ["doc_id", "unit", "unit_starts", "unit_labels"]
        found = tables.read_in(tables.documents, columns, "doc_id", doc_ids).to_pylist()
        rows = {row["doc_id"]: row for row in found}
        for entry, (doc_id, text) in zip(some, read_texts(tables, doc_ids), strict=True):
            if doc_id in rows:  # else it is just leaving the index
                yield entry, rows[doc_id], text


def _match(entry: CatalogueEntry, row: dict[str, Any], text: str, place: Range) -> GrepMatch:
    start, end = place
    number = unit_at(row["unit_starts"], start)
    label = row["unit_labels"][number - 1] if row["unit_labels"] else None
    first, stop = _line(text, start)
    return GrepMatch(
        doc_id=entry.doc_id,
        path=entry.paths[0],
        title=entry.name,
        unit=row["unit"],
        number=number,
        label=label if label != str(number) else None,
        start=start,
        end=end,
        line=text[first:stop],
        line_start=first,
        paths=entry.paths,
    )


def _line(text: str, at: int) -> Range:
    """The line around a character, or the part of it that is not too long to be shown."""
    first = text.rfind("\n", 0, at) + 1
    stop = text.find("\n", at)
    stop = len(text) if stop == -1 else stop
    if stop - first > LINE_CHARS:
        first = max(first, at - LINE_CHARS // 3)
        stop = min(stop, first + LINE_CHARS)
    return first, stop
