"""A second reader for damaged PDFs: what pypdf can still make out where pdfium cannot.

It is slower, and tells no places on the page: for files only that the first reader refuses.
"""

import io
import logging
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pypdf import PageObject, PdfReader
from pypdf.generic import Destination, DictionaryObject, IndirectObject

from indexer.errors import Damaged
from indexer.parsing.decode import clean_line
from indexer.parsing.pdf_page import PAGE_END, PageText, assemble
from indexer.parsing.pdf_structure import (
    MAX_OUTLINE_DEPTH,
    MAX_OUTLINE_ENTRIES,
    OutlineEntry,
    PdfStructure,
)

logger = logging.getLogger(__name__)
MAX_PAGES = 20_000  # a damaged page tree can repeat without end
_TOLD = ("title", "author", "subject", "keywords")
# Behind a file whose end is missing, so that pypdf looks for its objects one by one.
_END = b"\nstartxref\n0\n%%EOF\n"
_TRAILER = b"\ntrailer\n<<>>" + _END


class SecondPage(NamedTuple):
    """A page's text (None if it could not be read), and whether nothing is drawn on it."""

    text: PageText | None
    is_blank: bool


class SecondReading(NamedTuple):
    """What is left of a damaged PDF. ``has_tree``: the order of its pages is the file's own."""

    structure: PdfStructure
    pages: tuple[SecondPage, ...]
    has_tree: bool


def read_damaged(data: bytes, path: Path, passwords: Sequence[str] = ()) -> SecondReading:
    """The pages that pypdf finds in ``data``; without a page tree, those lying about in the file.

    Raises:
        Locked: it needs a password that is not among ``passwords``.
        Damaged: there is no page to be found.
    """
    reader = _open(data, path)
    if reader.is_encrypted and not any(map(reader.decrypt, ("", *passwords))):
        from indexer.parsing.pdf import not_opened

        raise not_opened(path, passwords)
    pages = _tree(reader)
    has_tree = bool(pages)
    if not has_tree:
        pages = list(islice(_stray_pages(reader), MAX_PAGES))
    if not pages:
        raise _damaged(path)
    numbers = {_number_of(page): n for n, page in enumerate(pages, start=1)}
    structure = PdfStructure(
        outline=tuple(_outline(reader, numbers)) if has_tree else (), metadata=_metadata(reader)
    )
    return SecondReading(structure, tuple(map(_read, pages)), has_tree)


def _open(data: bytes, path: Path) -> PdfReader:
    for end in (b"", _END, _TRAILER):
        try:
            return PdfReader(io.BytesIO(data + end), strict=False)
        except Exception as error:  # a damaged file makes it raise anything at all
            logger.debug("%s: %r", path, error)
    raise _damaged(path)


def _damaged(path: Path) -> Damaged:
    what = f"{path} is no PDF that can be read: it is damaged or incomplete."
    return Damaged(what, fix="Open it in a viewer and save it again.")


def _tree(reader: PdfReader) -> list[PageObject]:
    try:
        return list(islice(reader.pages, MAX_PAGES))
    except Exception as error:
        logger.debug("no page tree: %r", error)
        return []


def _stray_pages(reader: PdfReader) -> Iterator[PageObject]:
    """Objects of the type page, in the order in which they lie in the file."""
    places = [
        (float(offset), number, generation)
        for generation, objects in reader.xref.items()
        for number, offset in objects.items()
    ]
    plain = reader.xref.get(0, {})
    for number, (stream, index) in reader.xref_objStm.items():
        places.append((plain.get(stream, 0) + index / 1e6, number, 0))
    for _, number, generation in sorted(places):
        try:
            reference = IndirectObject(number, generation, reader)
            value = reader.get_object(reference)
        except Exception as error:
            logger.debug("object %d: %r", number, error)
            continue
        if isinstance(value, DictionaryObject) and value.get("/Type") == "/Page":
            page = PageObject(reader, reference)
            page.update(value)
            yield page


def _read(page: PageObject) -> SecondPage:
    try:
        if page.get_contents() is None:
            return SecondPage(PageText(PAGE_END, (), 0), is_blank=True)
        return SecondPage(assemble(page.extract_text()), is_blank=False)
    except Exception as error:  # a page of it is damaged: the others are read
        logger.debug("page lost: %r", error)
        return SecondPage(None, is_blank=False)


def _metadata(reader: PdfReader) -> tuple[tuple[str, str], ...]:
    try:
        told = reader.metadata
        named = {name: clean_line(str(told.get(f"/{name.title()}", ""))) for name in _TOLD if told}
    except Exception as error:
        logger.debug("no metadata: %r", error)
        return ()
    return tuple((name, value) for name, value in named.items() if value)


def _outline(reader: PdfReader, numbers: dict[int, int]) -> list[OutlineEntry]:
    """The bookmarks; ``numbers`` are the pages (from 1) by the numbers of their objects."""
    entries: list[OutlineEntry] = []

    def add(items: Sequence[Any], level: int) -> None:
        for item in items:
            if len(entries) == MAX_OUTLINE_ENTRIES:
                return
            if isinstance(item, list):
                if level < MAX_OUTLINE_DEPTH:
                    add(item, level + 1)
            elif isinstance(item, Destination) and (title := clean_line(str(item.title))):
                page = item.page
                number = page.idnum if isinstance(page, IndirectObject) else -1
                entries.append(OutlineEntry(title, numbers.get(number, 0), level))

    try:
        add(reader.outline, 1)
    except Exception as error:
        logger.debug("outline cut short: %r", error)
    return entries


def _number_of(page: PageObject) -> int:
    return page.indirect_reference.idnum if page.indirect_reference is not None else -1
