"""The text of one PDF page, and for each of its characters the pdfium character it came from.

The same function serves indexing and highlighting, so that boxes fit the stored text exactly.
"""

import ctypes
import re
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import pypdfium2.raw as pdfium_c

from indexer.parsing.pdf_handles import OpenPage
from indexer.parsing.pdf_layout import arrange
from indexer.parsing.pdf_notes import read_notes

PAGE_END = "\n\n"  # closes every page, so that a blank page is a unit with an extent of its own
GENERATED = -1  # source of a character that no glyph stands for

# pdfium's marks for a hyphen that it takes for a word broken by layout; it eats the line end.
_HYPHENS_AT_LINE_END = "\x02\ufffe"
_SOFT_HYPHEN = "\xad"
# What is not taken over as it stands: controls, halves of pairs, private use, what is no
# character, and presentation forms (ligatures and positional shapes of letters that people
# type as letters).
_SPECIAL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\ud800-\uf8ff\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc\ufffd-\uffff"
    "\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U000f0000-\U0010ffff]"
)


class PageText(NamedTuple):
    """Cleaned text of a page, with the pdfium index of each character (or GENERATED).

    ``unmapped`` counts characters whose font does not tell what letter they are. They are
    left out: what stands for them (NUL, private use, U+FFFD) means nothing to a reader.
    """

    text: str
    sources: Sequence[int]
    unmapped: int


def read_page(page: OpenPage) -> PageText:
    """Text of a page: ``\\n`` line ends, NFC, presentation forms folded, PAGE_END at the end.

    Columns are read one after the other, cells of a row are parted by tabs, and what was
    written on the page afterwards (notes, form values) comes last. A hyphen at a line end
    stays "-" with the line end after it, as a reader sees it.
    """
    raw = raw_text(page.text)
    return assemble(raw, arrange(raw, page.text), read_notes(page.page, page.form))


def raw_text(handle: pdfium_c.FPDF_TEXTPAGE) -> str:
    """pdfium's characters of a page, one code unit each: the place in it is pdfium's index."""
    count = pdfium_c.FPDFText_CountChars(handle)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium_c.FPDFText_GetText(handle, 0, count, buffer)
    text = bytes(buffer)[: 2 * count].decode("utf-16-le", "surrogatepass")
    if written == count + 1 and len(text) == count and "\x00" not in text:
        return text
    # GetText leaves characters out that have no code; one by one they are all there.
    get_unicode = pdfium_c.FPDFText_GetUnicode
    return "".join(map(chr, (get_unicode(handle, i) for i in range(count))))


def assemble(
    raw: str, ranges: Iterable[tuple[int, int, str]] | None = None, notes: Sequence[str] = ()
) -> PageText:
    """PageText of pdfium's characters (pure, so that odd ones can be tested).

    ``ranges`` of ``raw`` are read in this order, each closed by its string; without them ``raw``
    is read as it stands. ``notes`` are lines that stand in no text layer.
    """
    parts: list[str] = []
    numbers = _numbers(len(raw))
    sources = array("i")
    unmapped = 0
    for start, end, closing in ranges if ranges is not None else [(0, len(raw), "")]:
        unmapped += _append(raw, numbers, start, end, parts, sources)
        if closing:
            parts.append(closing)
            sources.append(GENERATED)
    text = "".join(parts)
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        text, sources = _composed(text, sources)
    text = text.rstrip()
    del sources[len(text) :]
    tail = "\n".join(["", *notes] if text and notes else notes) + PAGE_END
    sources.extend([GENERATED] * len(tail))
    return PageText(text + tail, sources, unmapped)


@lru_cache(maxsize=1)
def _many_numbers(count: int) -> "array[int]":
    return array("i", range(count))


def _numbers(count: int) -> "array[int]":
    """0, 1, 2 ... at least ``count`` of them."""
    return _many_numbers(1 << max(16, count.bit_length()))


def _append(
    raw: str,
    numbers: "array[int]",
    start: int,
    end: int,
    parts: list[str],
    sources: "array[int]",
) -> int:
    """Add ``raw[start:end]`` to the text; how many of its characters were unmapped."""
    lines = raw[start:end].replace("\r\n", "\n")
    if _is_plain(lines):
        parts.append(lines)
        while (line_end := raw.find("\r\n", start, end)) >= 0:
            sources += numbers[start:line_end]
            start = line_end + 1
        sources += numbers[start:end]
        return 0
    unmapped = 0
    done = start
    for found in _SPECIAL.finditer(raw, start, end):
        at = found.start()
        if at > done:
            parts.append(raw[done:at])
            sources += numbers[done:at]
        done = at + 1
        if found[0] == "\r" and raw[done : done + 1] == "\n":
            continue  # the usual line end
        piece = _piece(raw, at)
        if piece is None:
            unmapped += 1
        elif piece:
            parts.append(piece)
            sources.extend([at] * len(piece))
            if raw[at] in _HYPHENS_AT_LINE_END:
                sources[-1] = GENERATED  # the line end
    if end > done:
        parts.append(raw[done:end])
        sources += numbers[done:end]
    return unmapped


def _is_plain(text: str) -> bool:
    """Whether nothing in ``text`` is special."""
    if text.isascii():  # much faster, and true of most pages
        return text.replace("\n", "").isprintable()
    return _SPECIAL.search(text) is None


def _piece(raw: str, at: int) -> str | None:
    """What the special character at ``at`` adds to the text; None if it is unmapped."""
    character = raw[at]
    following = raw[at + 1] if at + 1 < len(raw) else "\n"
    if "\ud800" <= character <= "\udbff" and "\udc00" <= following <= "\udfff":
        return chr(0x10000 + ((ord(character) - 0xD800) << 10) + (ord(following) - 0xDC00))
    if "\udc00" <= character <= "\udfff" and at and "\ud800" <= raw[at - 1] <= "\udbff":
        return ""  # joined with the half before
    if character in _HYPHENS_AT_LINE_END:
        return "-\n"
    if character == _SOFT_HYPHEN:
        return "-" if following in "\r\n" else character
    if character in "\t\x0b\x0c":
        return " "
    if character == "\r":
        return "" if following == "\n" else "\n"
    if character == "\x00" or _means_nothing(ord(character)):
        return None
    if character < " " or "\x7f" <= character < "\xa0":
        return ""
    return unicodedata.normalize("NFKC", character)  # a presentation form


def _means_nothing(code: int) -> bool:
    """Private use, lone surrogates, U+FFFD and code points that are no characters."""
    return (
        0xD800 <= code <= 0xF8FF
        or 0xFDD0 <= code <= 0xFDEF
        or code == 0xFFFD
        or code & 0xFFFE == 0xFFFE
        or code >= 0xF0000
    )


def _composed(text: str, sources: "array[int]") -> tuple[str, "array[int]"]:
    """``text`` in NFC, so that every character keeps a source; line by line, since few need it."""
    lines: list[str] = []
    composed = array("i")
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if unicodedata.is_normalized("NFC", line):
            lines.append(line)
            composed += sources[start:end]
        else:
            lines.append(_composed_line(line, sources[start:end], composed))
        composed += sources[end : end + 1]  # the line end
        start = end + 1
    return "\n".join(lines), composed


def _composed_line(line: str, sources: "array[int]", composed: "array[int]") -> str:
    """A line in NFC, cluster by cluster; the sources of its characters are added to ``composed``.

    Composition never crosses the border of a grapheme cluster (UAX #29), so the pieces
    together are the NFC of the whole.
    """
    import regex  # costs start-up time that most pages do not need

    characters: list[str] = []
    for cluster in regex.finditer(r"\X", line):
        piece = unicodedata.normalize("NFC", cluster[0])
        characters.append(piece)
        if piece == cluster[0]:
            composed += sources[cluster.start() : cluster.end()]
        else:
            composed.extend([sources[cluster.start()]] * len(piece))
    return "".join(characters)
