"""How large the lines of a PDF page are written: what titles and headings are known by."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pypdfium2.raw as pdfium_c

from indexer.parsing.pdf_boxes import Boxes

_SAMPLES = 5  # characters of a line that are measured
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
        letters = [i for i, character in enumerate(line, start) if character.isalnum()]
        letters = letters[:: max(1, len(letters) // _SAMPLES)]
        sizes = [where.height(sources[i]) for i in letters if sources[i] >= 0]
        if sizes:
            size = min(sorted(sizes)[len(sizes) // 2], _MAX_POINTS)
            yield SizedLine(start, start + len(line), size)
        start += len(line) + 1
