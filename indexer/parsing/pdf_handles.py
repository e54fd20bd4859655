"""A page of a PDF and its text, open in pdfium: bare handles.

pypdfium2's own objects cost a tenth of a millisecond a page, for finalizers which a ``with``
statement has no need of.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c


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
        text = pdfium_c.FPDFText_LoadPage(page)
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
