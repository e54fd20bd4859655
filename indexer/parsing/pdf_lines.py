"""How large the lines of a PDF page are written: what titles and headings are known by."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import pypdfium2.raw as pdfium_c

from indexer.parsing.pdf_boxes import Boxes

_SAMPLES = 5  # characters of a line that are measured
_ASCII_LETTERS = bytes(chr(code).isascii() and chr(code).isalnum() for code in range(256))
_MAX_POINTS = 1e4  # a damaged font may be of any size


class SizedLine(NamedTuple):
    """A line of a page's text: its range in that text, and its size in points."""

    start: int
    end: int
    size: float


def sized_lines(
    handle: pdfium_c.FPDF_TEXTPAGE, text: str, sources: Sequence[int]
) -> Iterator[SizedLine]:
    """The lines of ``text`` that hold letters, with the middle size of some of these."""
    where = Boxes(handle)
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        letters = list(compress(sources[start:end], _are_letters(line)))
        letters = [i for i in letters[:: max(1, len(letters) // _SAMPLES)] if i >= 0]
        if letters:
            yield SizedLine(start, end, min(_middle_height(where, letters), _MAX_POINTS))
        start = end + 1


def _are_letters(line: str) -> Iterable[object]:
    """For every character, something true if it is a letter or a digit."""
    return line.encode().translate(_ASCII_LETTERS) if line.isascii() else map(str.isalnum, line)


def _middle_height(where: Boxes, letters: Sequence[int]) -> float:
    majority = len(letters) // 2 + 1
    heights = [where.height(letter) for letter in letters[:majority]]
    if heights.count(heights[0]) < majority:  # else the others make no difference
        heights += [where.height(letter) for letter in letters[majority:]]
    return sorted(heights)[len(heights) // 2]
