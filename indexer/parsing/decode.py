"""Bytes to text, and the one cleaning step for every string that leaves a parser.

Order of guessing: byte order mark (UTF-32 before UTF-16, whose mark is its prefix), UTF-16
without a mark by where its NULs stand, UTF-8, a declared encoding, and last a Western code
page that accepts anything. A few wrong bytes do not rule out UTF-8 or what is declared. Nothing
here depends on the platform's default encoding.
"""

import codecs
import contextlib
import re
import unicodedata
from dataclasses import dataclass

from indexer.parsing.charsets import codec_of

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 4096
_CONTROL_BYTES = bytes(set(range(1, 32)) - set(b"\b\t\n\f\r\x1b"))  # NUL is counted apart
# "coding: x" in one of the first two lines (PEP 263, Emacs and Vim mode lines, XML).
_COOKIE = re.compile(rb"""\A(?:[^\n]*\n)?[^\n]*?coding[:=][ \t]*["']?([-\w.]+)""")
# The last option of LaTeX's package counts; what stands behind a "%" is no command.
_INPUTENC = re.compile(
    rb"^[^%\n]*\\(?:usepackage[ \t]*\[(?:[^]\n]*,)?[ \t]*([-\w]+)[ \t]*\][ \t]*\{inputenc\}"
    rb"|inputencoding[ \t]*\{([-\w]+)\})",
    re.MULTILINE,
)
# Declared often and wrongly; the fallback is a superset of the first two.
_NOT_BELIEVED = ("ascii", "iso8859-1", "utf-8", "utf-16", "utf-32")
_BEHIND_ASCII = ("iso2022", "hz", "utf-7")  # to UTF-8, their letters look like signs and Latin

_MAX_WRONG_SHARE = 0.1  # of the characters beyond ASCII, in a text that is in an encoding anyway
# What a picture looks like in a text: a data URI, or a line of base64 as no word or number is.
_DATA_URI = re.compile(r"(data:[\w.+-]+/[\w.+-]+(?:;[\w=.-]+)*;base64,)\s*[A-Za-z0-9+/=]{100,}")
# From where a run begins: tried at each of its letters, a long run would be read once for each.
_RUN = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{500,}+={0,2}")
# In base64, of a hundred pairs of neighbours 16 are the first of these, 13 the second, and 3 hold a
# slash; a picture with large areas of one colour has fewer of all. Words and paths have few of the
# first two or many slashes.
_SMALL_AND_CAPITAL, _DIGIT_AND_LETTER = re.compile("[a-z][A-Z]"), re.compile("[0-9][A-Za-z]")
_SLASH = re.compile("[A-Za-z0-9]/(?=[A-Za-z0-9])")
_MIN_MIXED, _MAX_SLASHES = 0.02, 0.05  # of the characters

_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n?")
# What terminals follow instead of showing it: colours and the like (CSI), titles and links (OSC),
# choices of a character set.
_TERMINAL = re.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b\n]*+(?:\x07|\x1b\\)|[()*+][0-9A-Za-z])"
)
# Bold and underlined letters of a manual page as printed: "N\bN", "_\bN".
_OVERSTRIKE = re.compile(r"([^\n\b])\x08(?=\1)|_\x08(?=[^\n\b])|\x08_")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_SEPARATORS = frozenset("\x0b\x1c\x1d\x1e\x1f\x85")  # they part words, so they leave a space


@dataclass(frozen=True, slots=True)
class Decoded:
    """A cleaned text, and what its bytes were taken for."""

    text: str
    encoding: str


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """Cleaned text of ``data``. Never fails: what no encoding explains is read as Latin-1.

    ``declared`` is an encoding that the content names for itself (HTML meta); unknown names
    and names that do not fit the bytes are ignored.
    """
    encoding = unicode_encoding(data)
    if encoding is not None:
        mark = next((mark for mark, name in _MARKS if data.startswith(mark)), b"")
        return Decoded(clean(data[len(mark) :].decode(encoding, "replace")), encoding)
    declared = _declared(data, declared)
    # Bytes that are valid UTF-8 are UTF-8, whatever they say they are.
    candidates = ["utf-8", *filter(None, [declared])]
    if candidates[-1].startswith(_BEHIND_ASCII):
        candidates.reverse()
    for candidate in candidates:
        if (text := _decoded(data, candidate)) is not None:
            return Decoded(clean(text), candidate)
    try:
        return Decoded(clean(data.decode("cp1252")), "cp1252")
    except UnicodeDecodeError:
        return Decoded(clean(data.decode("latin-1")), "latin-1")


def _decoded(data: bytes, encoding: str) -> str | None:
    """``data`` in an ``encoding`` that explains all of its bytes but a few, or None.

    Halves of surrogate pairs in UTF-8, each written for itself, are taken as they are meant.
    """
    try:
        with contextlib.suppress(UnicodeError):
            return data.decode(encoding)
        with contextlib.suppress(UnicodeError):
            return data.decode(encoding, "surrogatepass")
        text = data.decode(encoding, "replace")
    except (UnicodeError, LookupError):  # "hex" and others are no codecs of texts
        return None
    right = sum(1 for character in text if character > "\x7f" and character != "\ufffd")
    return text if text.count("\ufffd") <= _MAX_WRONG_SHARE * right else None


def unicode_encoding(data: bytes) -> str | None:
    """The UTF that a byte order mark or the pattern of NULs gives away, or None."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    sample = data[:_SAMPLE_BYTES]
    pairs = len(sample) // 2
    controls = len(sample) - len(sample.translate(None, _CONTROL_BYTES))
    if pairs < 2 or not sample.count(0) or controls > 0.02 * len(sample):
        return None
    # In UTF-16, the high bytes of letters below U+0100 are NUL and the low bytes never are.
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.3 * pairs and even < 0.02 * pairs:
        return "utf-16-le"
    if even > 0.3 * pairs and odd < 0.02 * pairs:
        return "utf-16-be"
    return None


def clean(text: str) -> str:
    """``text`` as everything behind the parsers may rely on it; idempotent.

    Halves of surrogate pairs are joined, and a lone half becomes U+FFFD. CRLF and CR become
    ``\\n``. Sequences for a terminal go, and of letters printed twice one stays. Control
    characters except ``\\n``, tab and form feed go; those that part words leave a space. What
    remains is in NFC. Private-use characters stay: in a text file they are the author's (PDF
    fonts are another matter, see ``pdf_page``).
    """
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _LINE_END.sub("\n", text)
    if "\x1b" in text:
        text = _TERMINAL.sub("", text)
    if "\b" in text:
        text = _OVERSTRIKE.sub("", text)
    text = _CONTROL.sub(lambda found: " " if found[0] in _SEPARATORS else "", text)
    return unicodedata.normalize("NFC", text)  # last: a removed control may part letter and mark


def without_pictures(text: str) -> str:
    """``text`` without the data of pictures embedded as base64; what they were stays, and no line
    is lost. Such data says nothing to a reader and crowds out what does.

    A text without any is returned as it is, not as a copy. A genome, a hex dump and the joined
    names of folders are no pictures.
    """
    if "base64," in text:
        text = _DATA_URI.sub(r"\1...", text)
    parts: list[str] = []
    done = 0
    for found in _RUN.finditer(text):
        start, end = found.span()
        if _is_base64(text, start, end):
            parts += [text[done:start], "..."]
            done = end
    return "".join([*parts, text[done:]]) if parts else text


def _is_base64(text: str, start: int, end: int) -> bool:
    """Whether small letters, capitals and digits follow one another as chance has it."""

    def share(pattern: re.Pattern[str]) -> float:
        return sum(1 for _ in pattern.finditer(text, start, end)) / (end - start)

    mixed = share(_SMALL_AND_CAPITAL) >= _MIN_MIXED and share(_DIGIT_AND_LETTER) >= _MIN_MIXED
    return mixed and share(_SLASH) <= _MAX_SLASHES


def clean_line(text: str) -> str:
    """``clean`` for titles, labels and metadata: one line, single spaces, no space around."""
    return " ".join(clean(text).split())


def _declared(data: bytes, declared: str | None) -> str | None:
    """The codec that the content names, or None if it is unknown or tells nothing new."""
    if declared is None:
        head = data[:_SAMPLE_BYTES]
        found = _COOKIE.match(head) or _INPUTENC.search(head)
        declared = (found[found.lastindex or 0] if found else b"").decode("ascii", "replace")
    codec = codec_of(declared)
    return None if codec is None or codec.startswith(_NOT_BELIEVED) else codec
