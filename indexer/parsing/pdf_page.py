"""The text of one PDF page, and for each of its characters the pdfium character it came from.

The same function serves indexing and highlighting, so that boxes fit the stored text exactly.
"""

import unicodedata
from array import array
from collections.abc import Sequence
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

PAGE_END = "\n\n"  # closes every page, so that a blank page is a unit with an extent of its own
GENERATED = -1  # source of a character that no glyph stands for

# pdfium's mark for a hyphen that it takes for a word broken by layout; it eats the line end.
_HYPHEN_AT_LINE_END = 0x02
_SOFT_HYPHEN = 0xAD
# Presentation forms: ligatures and positional shapes of letters that people type as letters.
_PRESENTATION = ((0xFB00, 0xFB06), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC))


class PageText(NamedTuple):
    """Cleaned text of a page, with the pdfium index of each character (or GENERATED).

    ``unmapped`` counts characters whose font does not tell what letter they are. They are
    left out: what stands for them (NUL, private use, U+FFFD) means nothing to a reader.
    """

    text: str
    sources: Sequence[int]
    unmapped: int


def read_page(textpage: pdfium.PdfTextPage) -> PageText:
    """Text of a page: ``\\n`` line ends, NFC, presentation forms folded, PAGE_END at the end.

    A hyphen at a line end stays "-" with the line end after it, as a reader sees it.
    """
    raw, get_unicode = textpage.raw, pdfium_c.FPDFText_GetUnicode
    return assemble([get_unicode(raw, i) for i in range(pdfium_c.FPDFText_CountChars(raw))])


def assemble(codes: Sequence[int]) -> PageText:
    """PageText of pdfium's character codes (pure, so that odd ones can be tested)."""
    characters: list[str] = []
    sources = array("i")
    unmapped = 0
    plain = True  # nothing so far that normalising could touch
    for i, code in enumerate(codes):
        if 0x20 <= code < 0x7F or code == 0x0A:
            characters.append(chr(code))
            sources.append(i)
            continue
        piece = _piece(codes, i)
        if piece is None:
            unmapped += 1
        elif piece:
            plain = plain and piece.isascii()
            characters.extend(piece)
            sources.extend([i] * len(piece))
            if code == _HYPHEN_AT_LINE_END:
                sources[-1] = GENERATED  # the line end
    text = "".join(characters)
    if not plain and not unicodedata.is_normalized("NFC", text):
        text, sources = _composed(text, sources)
    text = text.rstrip()
    del sources[len(text) :]
    sources.extend([GENERATED] * len(PAGE_END))
    return PageText(text + PAGE_END, sources, unmapped)


def _piece(codes: Sequence[int], i: int) -> str | None:
    """What the character at ``i`` adds to the text; None if it is unmapped."""
    code = codes[i]
    following = codes[i + 1] if i + 1 < len(codes) else 0x0A
    if 0xD800 <= code <= 0xDBFF and 0xDC00 <= following <= 0xDFFF:
        return chr(0x10000 + ((code - 0xD800) << 10) + (following - 0xDC00))
    if 0xDC00 <= code <= 0xDFFF and i and 0xD800 <= codes[i - 1] <= 0xDBFF:
        return ""  # joined with the half before
    if code == _HYPHEN_AT_LINE_END:
        return "-\n"
    if code == _SOFT_HYPHEN and following in (0x0A, 0x0D):
        return "-"
    if code == 0x09 or code in (0x0B, 0x0C):
        return " "
    if code == 0x0D:
        return "" if following == 0x0A else "\n"
    if code == 0x00 or code == 0xFFFD or _means_nothing(code):
        return None
    if code < 0x20 or 0x7F <= code < 0xA0:
        return ""
    if any(first <= code <= last for first, last in _PRESENTATION):
        return unicodedata.normalize("NFKC", chr(code))
    return chr(code)


def _means_nothing(code: int) -> bool:
    """Private use, lone surrogates and code points that are no characters."""
    return (
        0xD800 <= code <= 0xF8FF
        or 0xFDD0 <= code <= 0xFDEF
        or code & 0xFFFE == 0xFFFE
        or code >= 0xF0000
    )


def _composed(text: str, sources: Sequence[int]) -> tuple[str, "array[int]"]:
    """``text`` in NFC, cluster by cluster, so that every character keeps a source.

    Composition never crosses the border of a grapheme cluster (UAX #29), so the pieces
    together are the NFC of the whole.
    """
    import regex  # costs start-up time that most pages do not need

    characters: list[str] = []
    composed = array("i")
    for cluster in regex.finditer(r"\X", text):
        piece = unicodedata.normalize("NFC", cluster[0])
        characters.append(piece)
        if piece == cluster[0]:
            composed.extend(sources[cluster.start() : cluster.end()])
        else:
            composed.extend([sources[cluster.start()]] * len(piece))
    return "".join(characters), composed
