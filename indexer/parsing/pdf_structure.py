"""Outline, page labels, metadata and attachments of a PDF: what it says about itself.

All of it is extra: a file whose structure is damaged keeps its text, and loses titles.
"""

import logging
import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

import pypdfium2 as pdfium

from indexer.parsing.decode import clean_line

logger = logging.getLogger(__name__)
MAX_OUTLINE_ENTRIES = 20_000  # a damaged outline can repeat without end
MAX_OUTLINE_DEPTH = 32
MAX_ATTACHMENTS = 1_000  # named

# "D:20210304050607+02'00'"; everything behind the year may be missing.
_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([-+]\d\d)(?:'?(\d\d))?)?"
)


class OutlineEntry(NamedTuple):
    """A bookmark: ``page`` is 1-based, 0 if its target is not found; ``level`` 1 is outermost."""

    title: str
    page: int
    level: int


class PdfStructure(NamedTuple):
    """What a PDF says about itself beside its pages; empty where it says nothing."""

    outline: tuple[OutlineEntry, ...] = ()
    labels: tuple[str, ...] = ()  # empty where every label is the page's number
    # title, author, subject, keywords, created, modified, attachments
    metadata: tuple[tuple[str, str], ...] = ()


def read_structure(pdf: pdfium.PdfDocument) -> PdfStructure:
    """Structure of an open PDF; a part that cannot be read is left empty or cut short."""
    return PdfStructure(tuple(_outline(pdf)), _labels(pdf), tuple(_metadata(pdf)))


def _outline(pdf: pdfium.PdfDocument) -> Iterator[OutlineEntry]:
    """The bookmarks. pypdfium2 goes into none twice."""
    try:
        for i, bookmark in enumerate(pdf.get_toc(max_depth=MAX_OUTLINE_DEPTH)):
            if i == MAX_OUTLINE_ENTRIES:
                return
            target = bookmark.get_dest()
            page = target.get_index() if target is not None else None
            title = clean_line(bookmark.get_title())
            if title:
                yield OutlineEntry(title, 0 if page is None else page + 1, bookmark.level + 1)
    except (pdfium.PdfiumError, UnicodeError) as error:  # what was read so far stays
        logger.debug("outline cut short: %r", error)


def _labels(pdf: pdfium.PdfDocument) -> tuple[str, ...]:
    try:
        labels = tuple(clean_line(pdf.get_page_label(i)) for i in range(len(pdf)))
    except (pdfium.PdfiumError, UnicodeError) as error:
        logger.debug("no page labels: %r", error)
        return ()
    numbers = tuple(str(number) for number in range(1, len(labels) + 1))
    return () if labels == numbers or not any(labels) else labels


def _metadata(pdf: pdfium.PdfDocument) -> Iterator[tuple[str, str]]:
    try:
        for name in ("Title", "Author", "Subject", "Keywords"):
            if value := clean_line(pdf.get_metadata_value(name)):
                yield name.lower(), value
        for name, key in (("CreationDate", "created"), ("ModDate", "modified")):
            if date := _date(pdf.get_metadata_value(name)):
                yield key, date
        count = min(pdf.count_attachments(), MAX_ATTACHMENTS)
        names = [clean_line(pdf.get_attachment(i).get_name()) for i in range(count)]
        if any(names):
            yield "attachments", ", ".join(filter(None, names))
    except (pdfium.PdfiumError, UnicodeError) as error:
        logger.debug("metadata cut short: %r", error)


def _date(written: str) -> str:
    """A date of the information dictionary in ISO 8601; "" where it is missing or rubbish."""
    found = _DATE.match(written.strip())
    if found is None:
        return ""
    year, month, day, hour, minute, second, utc, ahead, ahead_minutes = found.groups()
    zone = "+00:00" if utc else f"{ahead}:{ahead_minutes or '00'}" if ahead else ""
    date = f"{year}-{month or '01'}-{day or '01'}"
    time = f"{hour or '00'}:{minute or '00'}:{second or '00'}"
    try:
        return datetime.fromisoformat(f"{date}T{time}{zone}").isoformat()
    except ValueError:  # a thirteenth month
        return ""
