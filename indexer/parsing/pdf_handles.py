"""A page of a PDF and its text, open in pdfium: bare handles.

pypdfium2's own objects cost a tenth of a millisecond a page, for finalizers which a ``with``
statement has no need of.
"""

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_LOOKED_AT = 9  # characters of a page that tell which way its writing runs


class OpenPage(NamedTuple):
    """pdfium's handles of a page, of its text, and what its form fields are read through."""

    page: pdfium_c.FPDF_PAGE
    text: pdfium_c.FPDF_TEXTPAGE
    form: pdfium.PdfFormEnv | None


@contextmanager
def open_page(pdf: pdfium.PdfDocument, number: int) -> Iterator[OpenPage]:
    """The 1-based page ``number`` of ``pdf``; the handles are good for the ``with`` block.

    Raises:
        pdfium.PdfiumError: the page, or its text, cannot be read.
    """
    page, form = pdfium_c.FPDF_LoadPage(pdf.raw, number - 1), pdf.formenv
    if not page:
        raise pdfium.PdfiumError(f"page {number} cannot be read")
    try:
        if form is not None:
            pdfium_c.FORM_OnAfterLoadPage(page, form.raw)
        text = load_text(page)
        if not text:
            raise pdfium.PdfiumError(f"the text of page {number} cannot be read")
        try:
            yield OpenPage(page, text, form)
        finally:
            pdfium_c.FPDFText_ClosePage(text)
    finally:
        if form is not None:
            pdfium_c.FORM_OnBeforeClosePage(page, form.raw)
        pdfium_c.FPDF_ClosePage(page)


def load_text(page: pdfium_c.FPDF_PAGE) -> pdfium_c.FPDF_TEXTPAGE:
    """pdfium's text of a page; a null handle if it cannot be read.

    pdfium puts what is drawn at one height of the page, as it is shown, in order from left to
    right. Of writing that runs down or upside down, that is the last line first: such a page is
    read as if it were turned until its writing stands upright. Places stay those of the page.
    """
    text = pdfium_c.FPDFText_LoadPage(page)
    rotation = pdfium_c.FPDFPage_GetRotation(page)
    upright = _upright(text, rotation) if text else rotation
    if upright == rotation:
        return text
    pdfium_c.FPDFText_ClosePage(text)
    pdfium_c.FPDFPage_SetRotation(page, upright)
    try:
        return pdfium_c.FPDFText_LoadPage(page)
    finally:
        pdfium_c.FPDFPage_SetRotation(page, rotation)


def _upright(text: pdfium_c.FPDF_TEXTPAGE, rotation: int) -> int:
    """In which rotation of the page, in quarters, most of its writing stands upright."""
    count = pdfium_c.FPDFText_CountChars(text)
    quarters: Counter[int] = Counter(
        round(pdfium_c.FPDFText_GetCharAngle(text, at) / (math.pi / 2))  # clockwise
        for at in range(0, count, count // _LOOKED_AT + 1)
        if pdfium_c.FPDFText_GetUnicode(text, at) > ord(" ")
    )
    for quarter, times in quarters.most_common(1):
        if 2 * times > quarters.total():
            return -quarter % 4
    return rotation
