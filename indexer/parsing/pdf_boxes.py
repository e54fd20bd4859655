"""Rectangles of runs and characters of a PDF page, by calls of pdfium that cost little.

There are hundreds on a page. Called through the prototypes that pypdfium2 declares, each takes
four times as long: ctypes checks and converts every argument. Here nothing is checked, so only
what has the right C type may be handed over: handles, ``int`` and what ``byref`` gives.
"""

import ctypes
import struct
from collections.abc import Callable, Sequence
from itertools import accumulate

import pypdfium2.raw as pdfium_c

Rectangle = tuple[float, float, float, float]  # left, top, right, bottom; y grows upwards

_unpack = struct.Struct("4d").unpack
_unpack_loose = struct.Struct("4f").unpack


def _bare(function: object) -> Callable[..., int]:
    """``function`` of pdfium, which returns a C int, without any check of its arguments."""
    address = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    return ctypes.PYFUNCTYPE(ctypes.c_int)(address)  # type: ignore[arg-type]


_count_rects = _bare(pdfium_c.FPDFText_CountRects)
_get_rect = _bare(pdfium_c.FPDFText_GetRect)
_get_char_box = _bare(pdfium_c.FPDFText_GetCharBox)
_get_loose_char_box = _bare(pdfium_c.FPDFText_GetLooseCharBox)


class Boxes:
    """Where the characters of a page stand, in its user space; ``text`` is the handle of its text.

    A run is a range of characters that were drawn in one go, on one line.
    """

    def __init__(self, text: pdfium_c.FPDF_TEXTPAGE) -> None:
        self._handle = text
        self._found = (ctypes.c_double * 4)()
        self._loose = pdfium_c.FS_RECTF()
        self._to_loose = ctypes.byref(self._loose)
        self._places = [ctypes.byref(self._found, 8 * i) for i in range(4)]

    def runs(self, start: int = 0, count: int = -1) -> list[Rectangle]:
        """Rectangles of the runs among ``count`` characters from ``start`` on; -1: all."""
        handle, found = self._handle, self._found
        left, top, right, bottom = self._places
        return [
            _unpack(found)
            for i in range(_count_rects(handle, start, count))
            if _get_rect(handle, i, left, top, right, bottom)
        ]

    def runs_of_lines(
        self, lines: Sequence[tuple[int, int]], runs: Sequence[Rectangle]
    ) -> list[Sequence[Rectangle]]:
        """The runs of each line, a range of characters; ``runs`` are those of the whole page."""
        counts = [_count_rects(self._handle, a, b - a) if b > a else 0 for a, b in lines]
        if sum(counts) != len(runs):  # one goes on over a line end, or a line shows nothing
            return [self.runs(a, b - a) if b > a else () for a, b in lines]
        ends = accumulate(counts)
        return [runs[end - count : end] for end, count in zip(ends, counts, strict=True)]

    def middle(self, character: int) -> float:
        """x of the middle of a character."""
        left, right, bottom, top = self._places
        _get_char_box(self._handle, character, left, right, bottom, top)
        return (self._found[0] + self._found[1]) / 2

    def height(self, character: int) -> float:
        """Height that the font gives to all its characters: its size; 0 where it is not known."""
        if not _get_loose_char_box(self._handle, character, self._to_loose):
            return 0.0
        _, top, _, bottom = _unpack_loose(self._loose)
        return float(abs(top - bottom))
