"""PDF to Document: pages as units, outline as sections, what could not be read as coverage."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from indexer.documents import Coverage, Document
from indexer.errors import Locked, NoText, NoTextLayer, ParseError
from indexer.parsing.furniture import find_furniture
from indexer.parsing.language import detect_language
from indexer.parsing.pdf_page import PAGE_END, read_page
from indexer.parsing.pdf_structure import OutlineEntry, read_structure
from indexer.parsing.pdf_title import is_title, largest_line
from indexer.parsing.sections import Heading, distinct, nest

_LOW_QUALITY_SHARE = 0.05  # of characters without a meaning: a reader is told from here on

# Between the words of a title; joiners and soft hyphens are written in one place, not the other.
_GAP = re.compile("[\\s\u00ad\u200b-\u200f]+")
_QUOTE = re.compile("['\u2018\u2019\u02bc]")  # typesetters curl what bookmarks keep straight
# "3.2 ", "Chapter 4 " and "Chapter 4" on the line above.
_NUMBER = r"(?:[^\S\n]*[\w.]{1,12}[^\S\n]+(?:[\w.]{1,4}[^\S\n]*\n)?)?[^\S\n]*"
_SHORTEST_SECTION = 80  # characters: less is a heading without its text
_LOOK_SCALE = 0.25  # of 72 dpi: enough to see whether anything is drawn


class _Page(NamedTuple):
    text: str  # PAGE_END alone if there is none
    unmapped: int = 0
    is_blank: bool = False  # nothing is drawn on it
    has_failed: bool = False


def parse_pdf(data: bytes, path: Path) -> Document:
    """Document of the PDF ``data``; ``path`` names it in errors and, at need, as title.

    Every page is a unit and ends with PAGE_END, a blank one too, so that the number of a
    page is its place in ``unit_starts``. A page that cannot be read is listed in
    ``coverage.failed``; the rest is kept.

    Raises:
        Locked: it needs a password.
        NoText: no page has a text layer.
        ParseError: it is damaged, or every page is.
    """
    structure = read_structure(data)
    with open_pdf(data, path) as pdf:
        pages = [_read(pdf, number) for number in range(len(pdf))]
        _require_text(pages, path)
        metadata = dict(structure.metadata)
        title = metadata.pop("title", "")
        if not is_title(title):
            title = largest_line(pdf) or path.stem
    text = "".join(page.text for page in pages)
    starts = tuple(accumulate((len(page.text) for page in pages[:-1]), initial=0))
    headings = list(_headings(structure.outline, text, starts))
    unmapped = sum(page.unmapped for page in pages)
    if unmapped > _LOW_QUALITY_SHARE * (unmapped + len(text)):
        metadata["unmapped"] = f"{unmapped / (unmapped + len(text)):.0%} of the characters"
    return Document(
        text=text,
        kind="pdf",
        title=title,
        unit="page",
        unit_starts=starts,
        unit_labels=structure.labels if len(structure.labels) == len(pages) else (),
        sections=nest(headings, len(text)),
        breaks=_breaks(text, starts, [heading.start for heading in headings]),
        furniture=_furniture(pages, starts, [entry.title for entry in structure.outline]),
        language=detect_language(text),
        metadata=metadata,
        coverage=Coverage(
            units=len(pages),
            with_text=sum(1 for page in pages if page.text != PAGE_END),
            blank=sum(1 for page in pages if page.is_blank),
            failed=tuple(i for i, page in enumerate(pages, start=1) if page.has_failed),
        ),
    )


def open_pdf(data: bytes, path: Path) -> pdfium.PdfDocument:
    """The PDF ``data`` opened by pdfium, with the empty password if it is encrypted."""
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        code = error.err_code
        if code == pdfium_c.FPDF_ERR_PASSWORD:
            what, fix = f"{path} needs a password.", "Save a copy without password."
            raise Locked(what, fix) from error
        if code == pdfium_c.FPDF_ERR_SECURITY:
            what = f"{path} is encrypted in a way that is not supported."
            raise Locked(what, fix="Save a copy without protection.") from error
        what = f"{path} is no PDF that can be read: it is damaged or incomplete."
        raise ParseError(what, fix="Open it in a viewer and save it again.") from error


def _read(pdf: pdfium.PdfDocument, index: int) -> _Page:
    try:
        page = pdf[index]
        try:
            textpage = page.get_textpage()
            text, _, unmapped = read_page(textpage)
            textpage.close()
            is_blank = text == PAGE_END and unmapped == 0 and _is_blank(page)
        finally:
            page.close()
    except pdfium.PdfiumError:
        return _Page(PAGE_END, has_failed=True)
    return _Page(text, unmapped, is_blank)


def _is_blank(page: pdfium.PdfPage) -> bool:
    """Whether a page without text shows nothing at all; a page with an image may be a scan."""
    kinds = {pdfium_c.FPDFPageObj_GetType(found.raw) for found in page.get_objects(max_depth=1)}
    if not kinds or pdfium_c.FPDF_PAGEOBJ_IMAGE in kinds:
        return not kinds
    bitmap = page.render(scale=_LOOK_SCALE, grayscale=True)
    rows = range(0, bitmap.height * bitmap.stride, bitmap.stride)
    return len({level for row in rows for level in bitmap.buffer[row : row + bitmap.width]}) == 1


def _require_text(pages: Sequence[_Page], path: Path) -> None:
    """Raise the error that tells why no page has text, if none has."""
    if any(page.text != PAGE_END for page in pages):
        return
    count = f"{len(pages)} page{'s' if len(pages) != 1 else ''}"
    failed = sum(page.has_failed for page in pages)
    if failed:
        what = f"{path} cannot be read: {failed} of {count} failed and the others hold no text."
        raise ParseError(what, fix="Open it in a viewer and save it again.")
    if all(page.is_blank for page in pages):
        raise NoText(f"{path} holds no text: {count}, all blank.", fix="Leave it out.")
    what = f"{path} holds no text: {count}, no text layer, probably a scan."
    if any(page.unmapped for page in pages):
        what = f"{path} holds no text: {count}, and its fonts do not tell what their letters are."
    raise NoTextLayer(what, fix="Run OCR on it first.")


def _breaks(text: str, starts: Sequence[int], headings: Sequence[int]) -> tuple[int, ...]:
    """Page and section starts. A heading right behind another does not leave that one alone:
    "4 Preparing clay" and "4.1 Which clay" open one span."""
    kept: list[int] = []
    pages = set(starts)
    for offset in distinct([*starts, *headings], len(text)):
        before = text[kept[-1] if kept else 0 : offset]
        if offset in pages or len(before.strip()) >= _SHORTEST_SECTION:
            kept.append(offset)
    return tuple(kept)


def _furniture(
    pages: Sequence[_Page], starts: Sequence[int], titles: Sequence[str]
) -> tuple[tuple[int, int], ...]:
    found = find_furniture([page.text for page in pages], titles)
    return tuple(
        (start + a, start + b)
        for start, ranges in zip(starts, found, strict=True)
        for a, b in ranges
    )


def _headings(
    outline: Sequence[OutlineEntry], text: str, starts: tuple[int, ...]
) -> Iterator[Heading]:
    """Where the outline's entries stand in the text: at their words, else at their page's start.

    Two entries of one page are found one behind the other, so that a title that occurs
    twice is not taken for one place.
    """
    ends = (*starts[1:], len(text))
    searched: dict[int, int] = {}  # page -> offset behind the last heading found on it
    for entry in outline:
        if not 1 <= entry.page <= len(starts):
            continue
        start, end = starts[entry.page - 1], ends[entry.page - 1]
        found = find_heading(text, entry.title, searched.get(entry.page, start), end)
        if found is not None:
            start, searched[entry.page] = found
        yield Heading(start, entry.level, entry.title)


def find_heading(text: str, title: str, start: int, end: int) -> tuple[int, int] | None:
    """Range of the lines of ``text[start:end]`` that hold ``title``, or None.

    White space may differ, and a number may stand before the title. A place where the title
    fills its lines is preferred to one inside a sentence, and one further down to the first
    line, which may be a running head.
    """
    words = r"\s*".join(re.escape(word) for word in _GAP.split(title) if word)
    words = _QUOTE.sub(_QUOTE.pattern, words)
    alone = re.compile(rf"^{_NUMBER}{words}[^\S\n]*$", re.IGNORECASE | re.MULTILINE)
    second_line = text.find("\n", start, end) + 1 or end
    found = (
        alone.search(text, second_line, end)
        or alone.search(text, start, end)
        or re.compile(words, re.IGNORECASE).search(text, start, end)
    )
    if found is None:
        return None
    return max(start, text.rfind("\n", start, found.start()) + 1), found.end()
