"""Passages as a person reads them. Pure: the offsets of passages and highlights stay exact."""

from collections.abc import Iterable
from itertools import accumulate

import regex

from indexer.analysis import SOFT_HYPHEN

Range = tuple[int, int]  # [start, end)

_LAYOUT = regex.compile(
    rf"(?P<left>\p{{L}}+)(?P<hyphen>[-{SOFT_HYPHEN}])\s*\n\s*(?P<right>\p{{Ll}}+)|{SOFT_HYPHEN}"
)


def reading_text(text: str, ranges: Iterable[Range] = ()) -> tuple[str, list[Range]]:
    """``text`` without what layout put into its words, and ``ranges`` moved along.

    A word broken at a line end is one word again, "for-⏎wards" is "forwards"; a compound that
    the text also has unbroken keeps its hyphen. Soft hyphens go.

    >>> reading_text("look for-\\nwards", [(5, 15)])
    ('look forwards', [(5, 13)])
    """
    cuts = [cut for found in _LAYOUT.finditer(text) if (cut := _cut(text, found))]
    if not cuts:
        return text, list(ranges)
    gone = [0, *accumulate(end - start for start, end in cuts)]

    def moved(offset: int) -> int:
        before = sum(end <= offset for _, end in cuts)
        inside = sum(max(offset - start, 0) for start, end in cuts if start < offset < end)
        return offset - gone[before] - inside

    kept = [0, *(end for _, end in cuts)]
    until = [*(start for start, _ in cuts), len(text)]
    shown = "".join(text[a:b] for a, b in zip(kept, until, strict=True))
    return shown, [(moved(start), moved(end)) for start, end in ranges]


def _cut(text: str, found: regex.Match[str]) -> Range:
    """What of a match is not to be read."""
    if found["hyphen"] is None:
        return int(found.start()), int(found.end())
    start, end = int(found.start("hyphen")), int(found.start("right"))
    unbroken = rf"\b{found['left']}-{found['right']}\b"
    if found["hyphen"] == "-" and regex.search(unbroken, text, regex.IGNORECASE):
        start += 1  # a compound: only the line end goes
    return start, end
