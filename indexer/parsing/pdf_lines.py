"""How large the lines of a PDF page are written: what titles and headings are known by."""

import ctypes
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_SAMPLES = 5  # characters of a line that are measured
_MAX_POINTS = 1e4  # a damaged font may be of any size


class SizedLine(NamedTuple):
    """A line of a page's text: its range in that text, and its size in points."""

    start: int
    end: int
    size: float


def sized_lines(
    textpage: pdfium.PdfTextPage, text: str, sources: Sequence[int]
) -> Iterator[SizedLine]:
    """The lines of ``text`` that hold letters, with the middle size of some of these."""
    start = 0
    for line in text.split("\n"):
        letters = [i for i, character in enumerate(line, start) if character.isalnum()]
        letters = letters[:: max(1, len(letters) // _SAMPLES)]
        sizes = sorted(_size(textpage, sources[i]) for i in letters if sources[i] >= 0)
        if sizes:
            yield SizedLine(start, start + len(line), sizes[len(sizes) // 2])
        start += len(line) + 1


def _size(textpage: pdfium.PdfTextPage, source: int) -> float:
    """Size of a character in points: the height of the box its font gives it."""
    box = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFText_GetLooseCharBox(textpage.raw, source, ctypes.byref(box)):
        return 0.0
    return float(min(abs(box.top - box.bottom), _MAX_POINTS))
