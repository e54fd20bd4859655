"""A PDF page as an image, with pixel boxes around ranges of its text."""

import ctypes
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from indexer.errors import ParseError
from indexer.parsing.pdf import open_pdf
from indexer.parsing.pdf_handles import OpenPage, load_text
from indexer.parsing.pdf_page import read_page

Box = tuple[float, float, float, float]

MAX_SIDE = 4000  # pixels; a poster at scale 2 would not fit into memory or a screen
_FRACTION = 64  # pdfium answers in whole pixels, so it is asked about a page so many times larger


class RenderedPage(NamedTuple):
    """A PNG image of a page, and boxes ``(left, top, right, bottom)`` in its pixels.

    The origin is the top left corner of the image, whatever the page's rotation, crop box
    or media box. Boxes lie in text order, one for each line that a range touches.
    """

    png: bytes
    width: int
    height: int
    boxes: tuple[Box, ...]


def render_page(
    path: Path,
    page: int,
    ranges: Sequence[tuple[int, int]] = (),
    page_text: str = "",
    *,
    scale: float = 2.0,
    passwords: Sequence[str] = (),
) -> RenderedPage:
    """Image of the 1-based ``page`` of the PDF at ``path``, at 72 dpi times ``scale``.

    ``ranges`` are offsets within the page's text, and ``page_text`` is that text as it was
    stored. If the file now holds another text there, the boxes would lie, so there are none.
    ``passwords`` open an encrypted file.
    For one thread of one process, like ``parse``: call it through ``ParserPool.call``.

    Raises:
        ParseError: the file cannot be read, or it has no such page.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        what = f"{path} cannot be read: {error.strerror or error}."
        raise ParseError(what, fix="Check that the file is there and may be read.") from error
    with open_pdf(data, path, passwords) as pdf:
        if not 1 <= page <= len(pdf):
            what = f"{path} has no page {page}: it has {len(pdf)}."
            raise ParseError(what, fix="Index the file again if it has changed.")
        try:
            return _render(pdf[page - 1], ranges, page_text, scale)
        except pdfium.PdfiumError as error:
            what = f"{path}: page {page} cannot be drawn: {error}."
            raise ParseError(what, fix="Open it in a viewer and save it again.") from error


def _render(
    page: pdfium.PdfPage, ranges: Sequence[tuple[int, int]], page_text: str, scale: float
) -> RenderedPage:
    scale = min(scale, MAX_SIDE / max(page.get_width(), page.get_height(), 1.0))
    image = page.render(scale=scale).to_pil()
    png = io.BytesIO()
    image.save(png, "PNG", compress_level=1)  # for a screen nearby: speed before size
    boxes: tuple[Box, ...] = ()
    if ranges and (handle := load_text(page.raw)):
        try:
            boxes = tuple(_boxes(page, handle, ranges, page_text, image.size))
        finally:
            pdfium_c.FPDFText_ClosePage(handle)
    return RenderedPage(png.getvalue(), image.width, image.height, boxes)


def _boxes(
    page: pdfium.PdfPage,
    handle: pdfium_c.FPDF_TEXTPAGE,
    ranges: Sequence[tuple[int, int]],
    page_text: str,
    size: tuple[int, int],
) -> Iterator[Box]:
    """Boxes of ``ranges``, a rectangle for each line of text."""
    text, sources, _ = read_page(OpenPage(page.raw, handle, page.formenv))
    if text != page_text:
        return
    for start, end in ranges:
        line: Box | None = None
        for offset in range(max(start, 0), min(end, len(text))):
            source = sources[offset]
            if text[offset].isspace() or source < 0:
                continue
            box = _character_box(page, handle, source, size)
            if box is None:
                continue
            if line is not None and _same_line(line, box, _runs_down(page, handle, source)):
                line = _union(line, box)
            else:
                if line is not None:
                    yield line
                line = box
        if line is not None:
            yield line


def _character_box(
    page: pdfium.PdfPage, handle: pdfium_c.FPDF_TEXTPAGE, source: int, size: tuple[int, int]
) -> Box | None:
    """Pixel box of a character: its font's box, widened to the ink where a glyph hangs over."""
    loose = pdfium_c.FS_RECTF()
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not pdfium_c.FPDFText_GetLooseCharBox(handle, source, loose):
        return None
    pdfium_c.FPDFText_GetCharBox(handle, source, left, right, bottom, top)
    user = (
        min(loose.left, left.value),
        min(loose.bottom, bottom.value),
        max(loose.right, right.value),
        max(loose.top, top.value),
    )
    return _to_pixels(page, user, size)


def _to_pixels(page: pdfium.PdfPage, user: Box, size: tuple[int, int]) -> Box | None:
    """A box in the page's user space as pixels, by the transformation that drew the image."""
    corners = []
    for x, y in ((user[0], user[1]), (user[2], user[3])):
        pixel_x, pixel_y = ctypes.c_int(), ctypes.c_int()
        width, height = size[0] * _FRACTION, size[1] * _FRACTION
        if not (math.isfinite(x) and math.isfinite(y)) or not pdfium_c.FPDF_PageToDevice(
            page.raw, 0, 0, width, height, 0, x, y, pixel_x, pixel_y
        ):
            return None
        corners.append((pixel_x.value / _FRACTION, pixel_y.value / _FRACTION))
    (x0, y0), (x1, y1) = corners
    left, right = sorted(min(max(x, 0.0), size[0]) for x in (x0, x1))
    top, bottom = sorted(min(max(y, 0.0), size[1]) for y in (y0, y1))
    # Outside the crop box nothing is drawn, and nothing is to be marked.
    return (left, top, right, bottom) if right > left and bottom > top else None


def _runs_down(page: pdfium.PdfPage, handle: pdfium_c.FPDF_TEXTPAGE, source: int) -> bool:
    """Whether the writing runs up or down in the image: turned text, or a turned page."""
    angle = pdfium_c.FPDFText_GetCharAngle(handle, source)  # radians
    return bool(round(angle / (math.pi / 2) + page.get_rotation() / 90) % 2)


def _same_line(line: Box, box: Box, runs_down: bool) -> bool:
    """Whether ``box`` goes on with ``line``.

    The smaller of the two must lie in the other by half, across the direction of writing,
    and the gap along it must be one between words, not between columns.
    """
    along, across = (1, 0) if runs_down else (0, 1)
    extent = min(line[across + 2] - line[across], box[across + 2] - box[across])
    overlap = min(line[across + 2], box[across + 2]) - max(line[across], box[across])
    gap = max(line[along], box[along]) - min(line[along + 2], box[along + 2])
    return overlap > 0.5 * extent and gap < 3 * extent


def _union(first: Box, second: Box) -> Box:
    return (
        min(first[0], second[0]),
        min(first[1], second[1]),
        max(first[2], second[2]),
        max(first[3], second[3]),
    )
