"""Outline, page labels, metadata and attachments of a PDF. The only module that knows pypdf.

All of it is extra: a file whose structure is damaged keeps its text, and loses titles.
"""

import io
import logging
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pypdf import DocumentInformation, PdfReader
from pypdf.generic import Destination

from indexer.parsing.decode import clean_line

logger = logging.getLogger(__name__)
MAX_OUTLINE_ENTRIES = 20_000  # a damaged outline can repeat without end
MAX_OUTLINE_DEPTH = 32


class OutlineEntry(NamedTuple):
    """A bookmark: ``page`` is 1-based, ``level`` 1 is outermost."""

    title: str
    page: int
    level: int


class PdfStructure(NamedTuple):
    """What a PDF says about itself beside its pages; empty where it says nothing."""

    outline: tuple[OutlineEntry, ...] = ()
    labels: tuple[str, ...] = ()  # empty where every label is the page's number
    # title, author, subject, keywords, created, modified, attachments
    metadata: tuple[tuple[str, str], ...] = ()


def read_structure(data: bytes) -> PdfStructure:
    """Structure of the PDF ``data``; each part that cannot be read is left empty.

    Files that open with the empty password are decrypted; any other password is the text
    reader's business to refuse.
    """
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return PdfStructure()
    except Exception as error:  # pypdf raises anything at all on damaged files
        logger.debug("no structure: %r", error)
        return PdfStructure()
    return PdfStructure(_outline(reader), _labels(reader), _metadata(reader))


def _outline(reader: PdfReader) -> tuple[OutlineEntry, ...]:
    entries: list[OutlineEntry] = []
    try:
        for level, item in _flat(reader.outline):
            page = reader.get_destination_page_number(item)
            title = clean_line(item.title or "")
            if page is not None and page >= 0 and title:
                entries.append(OutlineEntry(title, page + 1, level))
            if len(entries) >= MAX_OUTLINE_ENTRIES:
                break
    except Exception as error:  # as above; what was read so far stays
        logger.debug("outline cut short: %r", error)
    return tuple(entries)


def _flat(outline: Sequence[object]) -> Iterator[tuple[int, Destination]]:
    """pypdf nests the children of an entry as a list behind it."""
    pending = [(1, iter(outline))]
    while pending:
        level, items = pending[-1]
        for item in items:
            if isinstance(item, list):
                if level < MAX_OUTLINE_DEPTH:
                    pending.append((level + 1, iter(item)))
                    break
            elif isinstance(item, Destination):
                yield level, item
        else:
            pending.pop()


def _labels(reader: PdfReader) -> tuple[str, ...]:
    try:
        labels = tuple(clean_line(label) for label in reader.page_labels)
    except Exception as error:  # as above
        logger.debug("no page labels: %r", error)
        return ()
    numbers = tuple(str(number) for number in range(1, len(labels) + 1))
    return () if labels == numbers else labels


def _metadata(reader: PdfReader) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    try:
        information = reader.metadata
        for name in ("title", "author", "subject", "keywords"):
            value = getattr(information, name, None)
            if isinstance(value, str) and clean_line(value):
                found[name] = clean_line(value)
        for name in ("created", "modified"):
            if date := _date(information, name):
                found[name] = date
        if names := [clean_line(name) for name in reader.attachments]:
            found["attachments"] = ", ".join(names)
    except Exception as error:  # as above
        logger.debug("metadata cut short: %r", error)
    return tuple(found.items())


def _date(information: DocumentInformation | None, name: str) -> str | None:
    """A date of the information dictionary in ISO 8601; None where it is missing or rubbish."""
    try:
        if name == "created":
            date = information and information.creation_date
        else:
            date = information and information.modification_date
    except Exception:  # as above: a date may be any object, in any form
        return None
    return date.isoformat() if date else None
