"""PDF to Document: pages as units, outline as sections, what could not be read as coverage."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from indexer.documents import Coverage, Document
from indexer.errors import WRONG_PASSWORD, Blank, Damaged, Locked, NoTextLayer
from indexer.parsing.decode import clean
from indexer.parsing.furniture import find_furniture
from indexer.parsing.language import detect_language
from indexer.parsing.options import DEFAULT_OPTIONS, ParseOptions
from indexer.parsing.pdf_handles import open_page
from indexer.parsing.pdf_headings import headings_by_size
from indexer.parsing.pdf_lines import SizedLine, sized_lines
from indexer.parsing.pdf_outline import place_outline
from indexer.parsing.pdf_page import PAGE_END, read_page
from indexer.parsing.pdf_structure import PdfStructure, read_structure
from indexer.parsing.pdf_title import is_title, largest_line
from indexer.parsing.sections import distinct, nest

_LOW_QUALITY_SHARE = 0.05  # of characters without a meaning: a reader is told from here on

_SHORTEST_SECTION = 80  # characters: less is a heading without its text
ADVICE_ON_SCANS = "Run OCR on it, or install the extra that does: pip install 'lmk[ocr]'."
NO_ADVICE = "OCR found no text on it either."
REPAIRED = "its table of objects was made anew"
DAMAGED = "the file is damaged: its text was saved, without places on the page"
CUT = "the file is damaged: some pages were saved, in the order they lie in it, without places"
DYNAMIC = "it is a dynamic form (XFA), whose fields are not read"
_LOOK_SCALE = 0.25  # of 72 dpi: enough to see whether anything is drawn


class PdfPage(NamedTuple):
    """What was read of a page."""

    text: str  # PAGE_END alone if there is none
    unmapped: int = 0
    is_blank: bool = False  # nothing is drawn on it
    has_failed: bool = False
    is_ocr: bool = False
    lines: tuple[SizedLine, ...] = ()  # measured where somebody needs them

    @property
    def shows_no_text(self) -> bool:
        """Whether something is drawn on it, and none of it is text: probably a scan."""
        return self.text == PAGE_END and not (self.is_blank or self.has_failed)


class _Reading(NamedTuple):
    """What a reader found in a PDF; ``damage`` says what is wrong with it, "" if nothing is."""

    structure: PdfStructure
    pages: list[PdfPage]
    damage: str = ""


def parse_pdf(data: bytes, path: Path, options: ParseOptions = DEFAULT_OPTIONS) -> Document:
    """Document of the PDF ``data``; ``path`` names it in errors and, at need, as title.

    Every page is a unit and ends with PAGE_END, a blank one too, so that the number of a
    page is its place in ``unit_starts``. A page that cannot be read is listed in
    ``coverage.failed``, one that shows something but has no text in ``coverage.no_text``; the
    rest is kept.

    Raises:
        Locked: it needs a password that ``options`` does not hold.
        NoText: no page has a text layer.
        Damaged: it is damaged, or every page is.
    """
    read = _read_again if options.second_reader else _read_first
    structure, pages, damage = read(data, path, options)
    metadata = dict(structure.metadata)
    title = metadata.pop("title", "")
    has_title = is_title(title)
    if damage:
        metadata["damaged"] = damage
    _require_text(pages, path, options)
    if not has_title:
        title = largest_line(pages[0].text, pages[0].lines) or path.stem
    text = "".join(page.text for page in pages)
    starts = tuple(accumulate((len(page.text) for page in pages[:-1]), initial=0))
    furniture = _furniture(pages, starts, [entry.title for entry in structure.outline])
    headings = list(place_outline(structure.outline, text, starts))
    if not headings:
        headings = headings_by_size(text, _placed_lines(pages, starts), furniture, title)
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
        furniture=furniture,
        language=detect_language(text),
        metadata=metadata,
        coverage=_coverage(pages),
    )


def _read_first(data: bytes, path: Path, options: ParseOptions) -> _Reading:
    """What pdfium reads; lines are measured where their sizes will tell titles and headings."""
    with open_pdf(data, path, options.passwords) as pdf:
        structure = read_structure(pdf)
        if not pdfium_c.FPDF_DocumentHasValidCrossReferenceTable(pdf.raw):
            structure = structure._replace(metadata=(*structure.metadata, ("repaired", REPAIRED)))
        sizes_tell = not structure.outline
        has_title = is_title(dict(structure.metadata).get("title", ""))
        pages = [
            read_one(pdf, n, options, measured=sizes_tell or (n == 1 and not has_title))
            for n in range(1, len(pdf) + 1)
        ]
        is_dynamic = pdf.get_formtype() == pdfium_c.FORMTYPE_XFA_FULL
    return _Reading(structure, pages, DYNAMIC if is_dynamic else "")


def _read_again(data: bytes, path: Path, options: ParseOptions) -> _Reading:
    """What the second reader makes of a damaged file."""
    from indexer.parsing.pdf_second import read_damaged

    structure, found, has_tree = read_damaged(data, path, options.passwords)
    pages = [
        PdfPage(page.text.text, page.text.unmapped, page.is_blank)
        if page.text is not None
        else PdfPage(PAGE_END, has_failed=True)
        for page in found
    ]
    return _Reading(structure, pages, DAMAGED if has_tree else CUT)


def open_pdf(data: bytes, path: Path, passwords: Sequence[str] = ()) -> pdfium.PdfDocument:
    """The PDF ``data`` opened by pdfium; the empty password is tried first, then ``passwords``.

    Raises:
        Locked: none of them opens it, or it is encrypted in a way that is not supported.
        Damaged: it is damaged.
    """
    for password in (None, *passwords):
        try:
            pdf = pdfium.PdfDocument(data, password=password)
        except pdfium.PdfiumError as error:
            # For some damage pdfium sets no code, and this one is of a file before.
            code = error.err_code if b"/Encrypt" in data else None
            if code == pdfium_c.FPDF_ERR_PASSWORD:
                continue
            if code == pdfium_c.FPDF_ERR_SECURITY:
                what = f"{path} is encrypted in a way that is not supported."
                raise Locked(what, fix="Save a copy without protection.") from error
            what = f"{path} is no PDF that can be read: it is damaged or incomplete."
            raise Damaged(what, fix="Open it in a viewer and save it again.") from error
        if pdf.get_formtype() != pdfium_c.FORMTYPE_NONE:
            pdf.init_forms()  # or filled-in fields are neither read nor drawn
        return pdf
    raise not_opened(path, passwords)


def not_opened(path: Path, passwords: Sequence[str]) -> Locked:
    """The error of an encrypted PDF that none of ``passwords`` opens."""
    if passwords:
        what = f"{path} is locked: {WRONG_PASSWORD}."
        return Locked(what, fix="Give the right one with --password or --password-file.")
    what = f"{path} needs a password."
    return Locked(what, fix="Give it with --password or --password-file.")


def read_one(
    pdf: pdfium.PdfDocument,
    number: int,
    options: ParseOptions = DEFAULT_OPTIONS,
    *,
    measured: bool = False,
) -> PdfPage:
    """The 1-based page ``number``; with the sizes of its lines if it is to be ``measured``."""
    if number in options.bad_pages:
        return PdfPage(PAGE_END, has_failed=True)
    if number in options.page_texts:
        text = clean(options.page_texts[number]).rstrip()
        return PdfPage(text + PAGE_END, is_ocr=True)
    try:
        with open_page(pdf, number) as page:
            text, sources, unmapped = read_page(page)
            lines = tuple(sized_lines(page.text, text, sources)) if measured else ()
        is_blank = text == PAGE_END and unmapped == 0 and _is_blank(pdf, number)
    except pdfium.PdfiumError:
        return PdfPage(PAGE_END, has_failed=True)
    return PdfPage(text, unmapped, is_blank, lines=lines)


def _coverage(pages: Sequence[PdfPage]) -> Coverage:
    """Which pages were read, and which not: every page is in one of the counts."""

    def numbers(of: Callable[[PdfPage], bool]) -> tuple[int, ...]:
        return tuple(number for number, page in enumerate(pages, start=1) if of(page))

    return Coverage(
        units=len(pages),
        with_text=sum(1 for page in pages if page.text != PAGE_END),
        blank=sum(1 for page in pages if page.is_blank),
        failed=numbers(lambda page: page.has_failed),
        no_text=numbers(lambda page: page.shows_no_text),
        ocr=numbers(lambda page: page.is_ocr),
        poor=numbers(lambda p: p.unmapped > _LOW_QUALITY_SHARE * (p.unmapped + len(p.text))),
    )


def _placed_lines(pages: Sequence[PdfPage], starts: Sequence[int]) -> list[SizedLine]:
    """The measured lines of all pages, as ranges of the document's text."""
    return [
        SizedLine(start + line.start, start + line.end, line.size)
        for start, page in zip(starts, pages, strict=True)
        for line in page.lines
    ]


def _is_blank(pdf: pdfium.PdfDocument, number: int) -> bool:
    """Whether a page without text shows nothing at all; a page with an image may be a scan."""
    page = pdf[number - 1]
    try:
        return _shows_nothing(page)
    finally:
        page.close()


def _shows_nothing(page: pdfium.PdfPage) -> bool:
    kinds = {pdfium_c.FPDFPageObj_GetType(found.raw) for found in page.get_objects(max_depth=1)}
    if not kinds or pdfium_c.FPDF_PAGEOBJ_IMAGE in kinds:
        return not kinds
    bitmap = page.render(scale=_LOOK_SCALE, grayscale=True)
    rows = range(0, bitmap.height * bitmap.stride, bitmap.stride)
    return len({level for row in rows for level in bitmap.buffer[row : row + bitmap.width]}) == 1


def _require_text(pages: Sequence[PdfPage], path: Path, options: ParseOptions) -> None:
    """Raise the error that tells why no page has text, if none has."""
    if any(page.text != PAGE_END for page in pages):
        return
    count = f"{len(pages)} page{'s' if len(pages) != 1 else ''}"
    failed = sum(page.has_failed for page in pages)
    if failed or not pages:
        what = f"{path} cannot be read: {failed} of {count} failed and the others hold no text."
        raise Damaged(what, fix="Open it in a viewer and save it again.")
    if all(page.is_blank for page in pages):
        raise Blank(f"{path} holds no text: {count}, all blank.", fix="Leave it out.")
    what = f"{path} holds no text: {count}, no text layer, probably a scan."
    if any(page.unmapped for page in pages):
        what = f"{path} holds no text: {count}, and its fonts do not tell what their letters are."
    raise NoTextLayer(what, fix=NO_ADVICE if options.ocr_pages else ADVICE_ON_SCANS)


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
    pages: Sequence[PdfPage], starts: Sequence[int], titles: Sequence[str]
) -> tuple[tuple[int, int], ...]:
    found = find_furniture([page.text for page in pages], titles)
    return tuple(
        (start + a, start + b)
        for start, ranges in zip(starts, found, strict=True)
        for a, b in ranges
    )
