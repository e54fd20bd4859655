"""What kind of file is it? The content is asked first, then the name (pure)."""

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from indexer.parsing.code_languages import (
    LANGUAGE_OF_INTERPRETER,
    LANGUAGE_OF_NAME,
    language_by_content,
    language_of_name,
)
from indexer.parsing.decode import unicode_encoding
from indexer.parsing.mbox import begins_mailbox
from indexer.parsing.text_formats import TextFormat, text_format

FileKind = (
    Literal["pdf", "zip", "mail", "mailbox", "code", "notebook", "html", "text", "binary"]
    | TextFormat
)

PDF_HEADER_WITHIN = 1024  # bytes; readers accept junk of that length before the header
OLD_OFFICE = "an old office document"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_MAGIC = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLD_OFFICE),
    (b"{\\rtf", "a rich text document"),
    (b"\x1f\x8b", "gzip data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstandard data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-zip archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"!<arch>\n", "an archive of object files"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"\x1aE\xdf\xa3", "a Matroska video"),
    (b"\x7fELF", "an ELF program"),
    (b"\xca\xfe\xba\xbe", "a Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"\x00asm", "a WebAssembly module"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"%!PS", "PostScript"),
)
# Letters that a text may begin with, and where: in such a file, a NUL is not far.
_LETTERS = (
    (0, b"GIF87a", "a GIF image"),
    (0, b"GIF89a", "a GIF image"),
    (0, b"OggS", "an Ogg recording"),
    (0, b"ID3", "an MP3 recording"),
    (0, b"fLaC", "a FLAC recording"),
    (0, b"wOFF", "a font"),
    (0, b"wOF2", "a font"),
    (0, b"RIFF", "sound, video or a WebP image"),
    (4, b"ftyp", "an MP4 or HEIF file"),
)
_NUL_WITHIN = 64  # bytes
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")  # a block, or the end of the data
_HTML = frozenset({".html", ".htm", ".xhtml"})
_MAIL = frozenset({".eml", ".emlx", ".mht", ".mhtml"})
_MAILBOX = frozenset({".mbox", ".mbx"})
_TEXT = frozenset({".txt", ".text", ".sty", ".log"})
_HTML_START = re.compile(
    # Atomic: a comment ends at its first end, whatever follows it.
    rb"\A\s*+(?:<\?xml[^>]*+>\s*+)?+(?>(?:<!--.*?-->\s*+)*)<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_PDF_OBJECT = re.compile(rb"(?:\A|[\r\n])\d+ \d+ obj\b")
_HEADER = re.compile(rb"^([A-Za-z][\w-]*): ", re.MULTILINE)
_LANGUAGE_WITHIN = 8192  # bytes, where a language shows itself
_HEADERS_WITHIN = 2048  # bytes
_LONGEST_SHEBANG = 500  # bytes; Linux reads 256
_SHEBANG = re.compile(rb"\A#!\s*\S*?(?:/env(?:\s+-\S+)*\s+(?:\S+/)?|/)?([A-Za-z]+)[\d.]*(?:\s|\Z)")
# More bytes than this that text never has, and it is no text. A stray NUL is no reason to
# drop a file.
_MAX_CONTROLS = 4
_MAX_CONTROL_SHARE = 0.01
_CONTROL_BYTES = bytes(set(range(32)) - set(b"\b\t\n\f\r\x1b")) + b"\x7f"


@dataclass(frozen=True, slots=True)
class FileType:
    """The kind of a file, its programming language if it is code, and why it is binary."""

    kind: FileKind
    language: str = ""
    reason: str = ""


def sniff(name: str, head: bytes) -> FileType:
    """Type of the file ``name`` that begins with the bytes ``head`` (64 KiB are plenty).

    A file that is no known binary format and is not full of control bytes is text, whatever
    its name; the name then decides which kind.
    """
    if head.startswith(_ZIP):
        return FileType("zip")
    reason = _binary_reason(head)
    if _is_pdf(name, head, looks_binary=bool(reason)):
        return FileType("pdf")
    if reason:
        return FileType("binary", reason=reason)
    return _text_type(name, head)


def _is_pdf(name: str, head: bytes, *, looks_binary: bool) -> bool:
    at = head[: PDF_HEADER_WITHIN + 5].find(b"%PDF-")
    if at == 0:
        return True
    if at < 0:  # damaged: its objects are there, and the header is not
        return name.lower().endswith(".pdf") and _PDF_OBJECT.search(head) is not None
    # A text about PDF may name the header; a PDF behind junk is binary or is called one.
    return looks_binary or name.lower().endswith(".pdf")


def _binary_reason(head: bytes) -> str:
    """Why ``head`` is no text, or ""."""
    for magic, reason in _MAGIC:
        if head.startswith(magic):
            return reason
    if _BZIP2.match(head):
        return "bzip2 data"
    if b"\x00" in head[:_NUL_WITHIN]:
        for offset, magic, reason in _LETTERS:
            if head.startswith(magic, offset):
                return reason
    if unicode_encoding(head) is not None:
        return ""
    controls = len(head) - len(head.translate(None, _CONTROL_BYTES))
    if controls > max(_MAX_CONTROLS, _MAX_CONTROL_SHARE * len(head)):
        return f"{controls} of its first {len(head)} bytes are control characters"
    return ""


def _text_type(name: str, head: bytes) -> FileType:
    lower = name.lower()
    suffix = PurePath(lower).suffix
    if language := language_of_name(lower):
        begin = head[:_LANGUAGE_WITHIN].decode("latin-1")
        return FileType("code", language_by_content(suffix, language, begin))
    if suffix == ".ipynb":
        return FileType("notebook")
    if mail := _mail_kind(suffix, head):
        return FileType(mail)
    if suffix in _HTML or _HTML_START.match(head.removeprefix(b"\xef\xbb\xbf")):
        return FileType("html")
    begin = head[:_LANGUAGE_WITHIN].decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if known := text_format(lower, begin):
        return FileType(known)
    if suffix not in _TEXT and (shebang := _shebang_language(lower, head)):
        return FileType("code", shebang)
    return FileType("text")


def _mail_kind(suffix: str, head: bytes) -> Literal["mail", "mailbox"] | None:
    """A message or a mailbox: by its name, or where no other is said by its first lines."""
    if suffix in (*_MAILBOX, "") and begins_mailbox(head):
        return "mailbox"
    headers = {found[1].lower() for found in _HEADER.finditer(head[:_HEADERS_WITHIN])}
    is_mail = b"from" in headers and headers & {b"date", b"subject", b"message-id"}
    return "mail" if suffix in _MAIL or (is_mail and suffix == "") else None


def _shebang_language(lower: str, head: bytes) -> str:
    """Language named by the first line, or by the first part of the name (Dockerfile.dev)."""
    found = _SHEBANG.match(head[:_LONGEST_SHEBANG])
    if found:
        return LANGUAGE_OF_INTERPRETER.get(found[1].decode("ascii").lower(), "")
    return LANGUAGE_OF_NAME.get(lower.split(".")[0], "") if not lower.startswith(".") else ""
