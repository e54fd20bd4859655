"""Peaks of a document's curve -> the passages that are shown. Pure functions on its rows."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer import analysis
from indexer.documents import Kind, Passage, Units, section_path, units_of, without_furniture
from indexer.search.localise import Peak
from indexer.search.rows import Landmarks

Range = tuple[int, int]  # [start, end) characters of the document's text


def term_counts(texts: Sequence[str], terms: Sequence[str]) -> NDArray[np.int64]:
    """(T, n): how often each of T terms stands in each of n texts of terms between spaces."""
    whole = "\n".join(texts)
    counts = np.zeros((len(terms), len(texts)), dtype=np.int64)
    for row, needle in zip(counts, (f" {term} " for term in terms), strict=True):
        if needle in whole:  # most words of a question are not in a document at all
            row[:] = [text.count(needle) for text in texts]
    return counts


def blanked(text: str, offset: int, furniture: Sequence[tuple[int, int]]) -> str:
    """``text``, which begins at ``offset`` of its document, with the furniture in it blanked."""
    first = bisect_right(furniture, offset, key=itemgetter(1))
    stop = bisect_left(furniture, offset + len(text), key=itemgetter(0))
    inside = [
        (max(start - offset, 0), min(end - offset, len(text)))
        for start, end in furniture[first:stop]
    ]
    return without_furniture(text, inside)


def passage_of(
    peak: Peak,
    landmarks: Landmarks,
    row: dict[str, Any],
    marked: frozenset[str],
    ranges: Sequence[Range],
    kind: Kind,
) -> Passage | None:
    """The passage of a peak, without blank lines and running heads around it; None if there is
    nothing else. Code begins with its indentation, so that its lines stand as in the file.
    Highlights are its words with ``marked`` terms, and ``ranges`` of the document. The section is
    that of its best landmark, where the answer stands: the passage may begin in the one before.
    """
    raw = "".join(landmarks.texts[peak.first : peak.last + 1])
    offset = landmarks.starts[peak.first]
    spoken = blanked(raw, offset, row["furniture"])
    said = _said(spoken, 0, len(spoken), kind)
    if said is None:
        return None
    begin, stop = said
    start, end = offset + begin, offset + stop
    text = raw[begin:stop]
    units = _units(row, start, end)
    words = analysis.matches(spoken[begin:stop], marked)
    marks = [(start + a, start + b) for a, b in words]
    marks += [(max(a, start), min(b, end)) for a, b in ranges if a < end and b > start]
    at = sum(map(len, landmarks.texts[peak.first : peak.best]))
    narrow = _said(spoken, at, at + len(landmarks.texts[peak.best]), kind) or said
    best = offset + narrow[0], offset + narrow[1]
    return Passage(
        start=start,
        end=end,
        text=text,
        unit=row["unit"],
        first=units.first,
        last=units.last,
        label=units.label,
        section=section_path(row["sections"], *best),
        score=min(peak.score, 1.0),  # words of headings come on top
        highlights=merged(marks),
        best=best,
        best_units=_units(row, *best),
    )


def _units(row: dict[str, Any], start: int, end: int) -> Units:
    first, last = units_of(row["unit_starts"], start, end)
    label = row["unit_labels"][first - 1] if row["unit_labels"] else None
    return Units(first, last, label if label != str(first) else None)


def _said(spoken: str, start: int, end: int, kind: Kind) -> Range | None:
    """``[start, end)`` without blank space around it, but with the indentation of code."""
    part = spoken[start:end]
    if not part.strip():
        return None
    begin = len(part) - len(part.lstrip())
    if kind == "code":
        begin = part.rfind("\n", 0, begin) + 1
    return start + begin, start + len(part.rstrip())


def merged(ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Ranges in order, overlapping ones made one."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)
