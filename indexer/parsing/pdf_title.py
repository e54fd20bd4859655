"""A title for a PDF: is the one in its metadata sensible, and what is written largest on page 1?"""

import ctypes
import re

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from indexer.parsing.pdf_page import read_page

_MAX_TITLE = 200  # characters
_SAME_SIZE = 0.92  # lines at least this tall, relative to the tallest, belong to the title
# What programs write when nobody wrote a title.
_NO_TITLE = re.compile(
    r"(?:untitled|no ?title|title|document|dokument|slide|powerpoint presentation"
    r"|microsoft \w+ - .*"
    r"|\S+\.(?:dvi|docx?|pptx?|xlsx?|tex|indd|qxd|pdf|ps|eps|rtf|odt|txt|html?|md|fm|book|ai))"
    r"(?:[ _-]*\d*)?",
    re.IGNORECASE,
)


def is_title(title: str) -> bool:
    """Whether a metadata title was written by a person: no file name, no default."""
    return (
        sum(character.isalpha() for character in title) >= 2
        and _NO_TITLE.fullmatch(title.strip()) is None
    )


def largest_line(pdf: pdfium.PdfDocument) -> str:
    """The neighbouring lines of page 1 that are written largest, in one line; "" if none."""
    try:
        page = pdf[0]
        try:
            return _largest_line(page.get_textpage())
        finally:
            page.close()
    except pdfium.PdfiumError:
        return ""


def _largest_line(textpage: pdfium.PdfTextPage) -> str:
    text, sources, _ = read_page(textpage)
    lines: list[tuple[float, str]] = []
    start = 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if sum(character.isalpha() for character in stripped) >= 2:
            heights = [
                _height(textpage, source)
                for source, character in zip(sources[start : start + len(line)], line, strict=True)
                if source >= 0 and character.isalnum()
            ]
            lines.append((sorted(heights)[len(heights) // 2] if heights else 0.0, stripped))
        start += len(line)
    tallest = max((height for height, _ in lines), default=0.0)
    title: list[str] = []
    for height, line in lines:
        if height >= _SAME_SIZE * tallest:
            title.append(line)
        elif title:
            break
    return " ".join(title)[:_MAX_TITLE].strip()


def _height(textpage: pdfium.PdfTextPage, source: int) -> float:
    """Size of a character in points: the height of the box its font gives it."""
    box = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFText_GetLooseCharBox(textpage.raw, source, ctypes.byref(box)):
        return 0.0
    return float(min(abs(box.top - box.bottom), 1e4))
