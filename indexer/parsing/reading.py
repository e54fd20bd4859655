"""One file read in worker processes, with second tries where a part of it defeats the parser.

A page that hangs, crashes or eats memory is found and left out, and the rest of its document is
read. A damaged PDF is given to a second reader. Pages without text are given to OCR, one call
each, so that a slow page has its own limit.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from indexer.documents import Document
from indexer.errors import Blank, Damaged, GivenUp, Locked, NoTextLayer, ParseError
from indexer.parsing.dispatch import parse
from indexer.parsing.options import ParseOptions
from indexer.parsing.pdf_pages import count_pages, ocr_page, pages_without_text, try_pages

logger = logging.getLogger(__name__)
T = TypeVar("T")

MAX_BAD_PAGES = 8  # of one document; with more of them it is damaged as a whole
_CHUNK = 32  # pages tried in one call, while looking for the bad ones
_SECOND_SHARE = 0.4  # of the time limit, for the second reader of a damaged file
_SHARE = 0.1  # of the time limit of a file, for that call and for one page


class Caller(Protocol):
    """Runs a function in a worker process, within limits (``pool.ParserPool.call``)."""

    def __call__(
        self, function: Callable[..., T], *arguments: object, time_share: float = 1.0
    ) -> T:
        """``function(*arguments)``; raises GivenUp when a limit was broken."""


def read(call: Caller, path: Path, options: ParseOptions) -> Document:
    """The Document in the file at ``path``.

    Raises:
        ParseError: what ``parse`` raises, or GivenUp where nothing could be saved.
    """
    try:
        document = call(parse, path, options)
    except GivenUp as error:
        bad_pages = _bad_pages(call, path, options, error)
        logger.info("%s: pages %s are left out: %s", path, sorted(bad_pages), error)
        options = replace(options, bad_pages=bad_pages)
        document = call(parse, path, options)
    except (Damaged, Blank) as error:
        second = _read_again(call, path, options)
        if second is None:
            raise error
        return second
    except NoTextLayer:
        if not options.ocr_pages:
            raise
        options = _with_ocr(call, path, options)
        return call(parse, path, options)
    if _seems_lost(document, options):
        second = _read_again(call, path, options)
        if second is not None and second.coverage.with_text > document.coverage.with_text:
            return second
    if options.ocr_pages and document.coverage.no_text:
        document = call(parse, path, _with_ocr(call, path, options))
    return document


def _seems_lost(document: Document, options: ParseOptions) -> bool:
    """Whether the first reader of a PDF may have lost pages that another one would find: more
    fail than are read, or some are blank in a file whose table of objects was made anew."""
    coverage = document.coverage
    lost = len(set(coverage.failed) - options.bad_pages)
    return lost > coverage.with_text or (coverage.blank > 0 and "repaired" in document.metadata)


def _read_again(call: Caller, path: Path, options: ParseOptions) -> Document | None:
    """What the second reader of PDFs makes of the damaged file at ``path``; None if nothing.

    Raises Locked: it needs a password, which the first reader could not tell.
    """
    options = replace(options, second_reader=True)
    try:
        return call(parse, path, options, time_share=_SECOND_SHARE)
    except Locked:
        raise
    except ParseError as error:
        logger.info("%s: the second reader: %s", path, error)
        return None


def _bad_pages(call: Caller, path: Path, options: ParseOptions, error: GivenUp) -> frozenset[int]:
    """The pages of the PDF at ``path`` that break a limit; raises ``error`` if that is not it."""
    try:
        count = call(count_pages, path, options.passwords, time_share=_SHARE)
    except ParseError:
        raise error from None  # no PDF, or one that cannot even be opened
    bad: set[int] = set()
    for first in range(1, count + 1, _CHUNK):
        last = min(first + _CHUNK - 1, count)
        if _can_read(call, path, first, last, options):
            continue
        bad |= {
            page
            for page in range(first, last + 1)
            if not _can_read(call, path, page, page, options)
        }
        if len(bad) > MAX_BAD_PAGES:
            raise error
    if not bad or len(bad) == count:
        raise error
    return frozenset(bad)


def _can_read(call: Caller, path: Path, first: int, last: int, options: ParseOptions) -> bool:
    try:
        call(try_pages, path, first, last, options.passwords, time_share=_SHARE)
    except GivenUp:
        return False
    return True


def _with_ocr(call: Caller, path: Path, options: ParseOptions) -> ParseOptions:
    """``options`` with what OCR reads on the pages of the PDF that have no text."""
    numbers = call(pages_without_text, path, options)
    texts: dict[int, str] = {}
    for number in numbers[: options.ocr_pages]:
        try:
            texts[number] = call(ocr_page, path, number, options.passwords)
        except ParseError as error:  # it stays a page without text, and is listed
            logger.info("%s: page %d: %s", path, number, error)
    return replace(options, page_texts={n: text for n, text in texts.items() if text.strip()})
