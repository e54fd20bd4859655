"""Headings of a PDF without an outline, by the size of its lines (pure)."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from indexer.parsing.pdf_lines import SizedLine
from indexer.parsing.sections import Heading

_LARGER = 1.15  # than running text, at least
_STEP = 0.5  # points; sizes that differ by less are one
_LONGEST = 120  # characters
_MAX_LEVELS = 4
_FEWEST_LETTERS = 2
_FEWEST = 3  # headings; one large line tells nothing
_MAX_SHARE = 0.15  # of all lines; more of them are no headings
_ENDS_SENTENCE = re.compile(r"[.,;:?!]$")


def headings_by_size(
    text: str, lines: Sequence[SizedLine], furniture: Sequence[tuple[int, int]], title: str
) -> list[Heading]:
    """Headings among ``lines`` (ranges of ``text``); none where sizes are no sure sign.

    Lines that lie in ``furniture`` (rising ranges) are none. Neighbouring lines of one large
    size are one heading. The document's own title is none of its sections.
    """
    weights: Counter[float] = Counter()
    for line in lines:
        weights[_rounded(line.size)] += line.end - line.start
    if not weights:
        return []
    body = max(weights, key=lambda size: weights[size])
    ends = [end for _, end in furniture]
    large = [
        line
        for line in lines
        if _rounded(line.size) >= _LARGER * body
        and line.end - line.start <= _LONGEST
        and not _overlaps(furniture, ends, line)
    ]
    found = [
        (start, size, words)
        for start, size, words in _joined(text, large)
        if words != title
        and sum(map(str.isalpha, words)) >= _FEWEST_LETTERS
        and not _ENDS_SENTENCE.search(words)
    ]
    if not _FEWEST <= len(found) <= _MAX_SHARE * len(lines):
        return []
    ranks = sorted({size for _, size, _ in found}, reverse=True)
    return [
        Heading(start, min(ranks.index(size) + 1, _MAX_LEVELS), words)
        for start, size, words in found
    ]


def _joined(text: str, lines: Sequence[SizedLine]) -> Iterator[tuple[int, float, str]]:
    """Start, size and words of each run of neighbouring lines of one size."""
    run: list[SizedLine] = []
    for line in lines:
        if run and (line.start > run[-1].end + 1 or _rounded(line.size) != _rounded(run[0].size)):
            yield run[0].start, _rounded(run[0].size), _words(text, run)
            run = []
        run.append(line)
    if run:
        yield run[0].start, _rounded(run[0].size), _words(text, run)


def _words(text: str, run: Sequence[SizedLine]) -> str:
    return " ".join(text[run[0].start : run[-1].end].split())


def _overlaps(ranges: Sequence[tuple[int, int]], ends: Sequence[int], line: SizedLine) -> bool:
    following = bisect_right(ends, line.start)
    return following < len(ranges) and ranges[following][0] < line.end


def _rounded(size: float) -> float:
    return round(size / _STEP) * _STEP
