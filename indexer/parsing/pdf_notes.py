"""What was written on a PDF page afterwards: notes, and what is filled in in its form fields."""

import ctypes
from collections.abc import Callable

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from indexer.parsing.decode import clean

MAX_NOTES = 1_000  # of one page
_MAX_BYTES = 1 << 20  # of one text
# Links and windows hold no text of their own, the rest may carry a remark.
_WITHOUT_TEXT = frozenset(
    {pdfium_c.FPDF_ANNOT_LINK, pdfium_c.FPDF_ANNOT_POPUP, pdfium_c.FPDF_ANNOT_UNKNOWN}
)
_WITH_VALUE = frozenset(
    {
        pdfium_c.FPDF_FORMFIELD_TEXTFIELD,
        pdfium_c.FPDF_FORMFIELD_COMBOBOX,
        pdfium_c.FPDF_FORMFIELD_LISTBOX,
    }
)
_WITH_TICK = frozenset({pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON})


def read_notes(page: pdfium_c.FPDF_PAGE, form: pdfium.PdfFormEnv | None) -> list[str]:
    """Lines for the notes (``Note (Ann): check this``) and filled fields (``Name: Ann``).

    Values of fields are read through ``form``, the document's form environment.
    """
    lines: list[str] = []
    for i in range(min(pdfium_c.FPDFPage_GetAnnotCount(page), MAX_NOTES)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, i)
        if not annotation:
            continue
        try:
            line = _line(annotation, form)
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
        if line and line not in lines:
            lines.append(line)
    return lines


def _line(annotation: pdfium_c.FPDF_ANNOTATION, form: pdfium.PdfFormEnv | None) -> str:
    kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
    if kind == pdfium_c.FPDF_ANNOT_WIDGET:
        return _field(annotation, form) if form is not None else ""
    if kind in _WITHOUT_TEXT:
        return ""
    contents = _text(pdfium_c.FPDFAnnot_GetStringValue, annotation, b"Contents")
    author = _text(pdfium_c.FPDFAnnot_GetStringValue, annotation, b"T")
    who = f" ({author})" if author else ""
    return f"Note{who}: {contents}" if contents else ""


def _field(annotation: pdfium_c.FPDF_ANNOTATION, form: pdfium.PdfFormEnv) -> str:
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form.raw, annotation)
    value = ""
    if kind in _WITH_VALUE:
        value = _text(pdfium_c.FPDFAnnot_GetFormFieldValue, form.raw, annotation)
    elif kind in _WITH_TICK and pdfium_c.FPDFAnnot_IsChecked(form.raw, annotation):
        value = _text(pdfium_c.FPDFAnnot_GetFormFieldExportValue, form.raw, annotation) or "yes"
    if not value:
        return ""
    name = _text(pdfium_c.FPDFAnnot_GetFormFieldAlternateName, form.raw, annotation) or _text(
        pdfium_c.FPDFAnnot_GetFormFieldName, form.raw, annotation
    )
    return f"{name}: {value}" if name else value


def _text(function: Callable[..., int], *arguments: object) -> str:
    """The cleaned UTF-16 string that a pdfium function of the two-call kind gives."""
    size = function(*arguments, None, 0)
    if not 2 < size <= _MAX_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(size)
    function(*arguments, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    text = buffer.raw[: size - 2].decode("utf-16-le", "replace")
    return "\n".join(filter(None, (" ".join(line.split()) for line in clean(text).split("\n"))))
