"""Zip containers as formats use them: opened within limits, and told apart by what is inside."""

import contextlib
import io
import re
import xml.etree.ElementTree as ElementTree
import zipfile
import zlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from indexer.errors import Locked, ParseError, Unsupported

MAX_UNPACKED_BYTES = 1 << 30  # of all members
MAX_RATIO = 200  # of a member to its packed size, where it is large; text packs ten to one
MAX_MEMBERS = 50_000
_LARGE_BYTES = 10 << 20

_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError),
    *(ValueError, NotImplementedError, RuntimeError),
)
_TYPES = (  # words in the content type of the main part, which may have any name
    ("wordprocessingml", "docx"),
    ("ms-word.", "docx"),
    ("presentationml", "pptx"),
    ("ms-powerpoint.", "pptx"),
    ("spreadsheetml", "xlsx"),
    ("ms-excel.sheet.macroenabled", "xlsx"),  # not binary workbooks
    ("ms-excel.template.macroenabled", "xlsx"),
)
_RELATIONS, _CONTENT_TYPES = "_rels/.rels", "[Content_Types].xml"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")  # names in ISO's form of Open XML
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument."
_NO_ARCHIVES = (  # a member that tells what a zip file is, of formats that are not read
    ("xl/workbook.bin", "a binary Excel workbook"),
    ("Index/Document.iwa", "a document of Pages, Numbers or Keynote"),
    ("AndroidManifest.xml", "an Android program"),
    ("META-INF/MANIFEST.MF", "a Java archive"),
)
# How Python writes an object in a message: with its address, another one in each run.
_OBJECT = re.compile(r"<[^<>]{1,200} at 0x[0-9A-Fa-f]+>")
_MARKS = (  # a member that only one format has
    ("word/document.xml", "docx"),
    ("ppt/presentation.xml", "pptx"),
    ("xl/workbook.xml", "xlsx"),
    ("META-INF/container.xml", "epub"),
)


def open_package(data: bytes, path: Path) -> zipfile.ZipFile:
    """The zip file ``data``, after a look at its directory; ``path`` names it in errors.

    Raises:
        Locked: its members are encrypted.
        Unsupported: it would unpack to more than the limits allow.
        ParseError: it is damaged.
    """
    try:
        package = zipfile.ZipFile(io.BytesIO(data))
        members = package.infolist()
    except _DAMAGED as error:
        what = f"{path} is damaged: {error}."
        raise ParseError(what, fix="Open it in its program and save it again.") from error
    if any(member.flag_bits & 1 for member in members):
        what = f"{path} is encrypted in a way that is not supported."
        raise Locked(what, fix="Save a copy without password.")
    total = sum(member.file_size for member in members)
    swollen = any(
        member.file_size > _LARGE_BYTES
        and member.file_size > MAX_RATIO * max(member.compress_size, 1)
        for member in members
    )
    if total > MAX_UNPACKED_BYTES or len(members) > MAX_MEMBERS or swollen:
        what = f"{path} would unpack to {total:,} bytes in {len(members):,} files: a zip bomb."
        raise Unsupported(what, fix="Leave it out.")
    return package


def package_kind(package: zipfile.ZipFile) -> str:
    """ "docx", "pptx", "xlsx" or "epub" by content, whatever the file is called; else ""."""
    names = set(package.namelist())
    main_type = main_content_type(package).lower()
    kind = next((kind for words, kind in _TYPES if words in main_type), "")
    return kind or next((kind for mark, kind in _MARKS if mark in names), "")


def main_content_type(package: zipfile.ZipFile) -> str:
    """Content type of the main part of an office file; "" if it does not tell."""
    try:
        relations = ElementTree.fromstring(package.read(_RELATIONS))
        types = ElementTree.fromstring(package.read(_CONTENT_TYPES))
    except (*_DAMAGED, KeyError, ElementTree.ParseError):
        return ""
    main = next(
        (
            "/" + node.get("Target", "").removeprefix("/")
            for node in relations
            if node.get("Type", "").endswith("/officeDocument")
        ),
        "",
    )
    for node in types:
        if main and node.get("PartName", "").lower() == main.lower():
            return node.get("ContentType", "")
    return ""


def transitional(package: zipfile.ZipFile, data: bytes, path: Path) -> bytes:
    """``data`` of an office file, with the names of Strict Open XML made those that libraries know;
    as it is where it has none of them. Raises ParseError if it is damaged."""
    names = dict.fromkeys(package.namelist())
    if _RELATIONS not in names or not _STRICT.search(read_member(package, _RELATIONS, path)):
        return data
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w") as written:
        for name in names:
            content = read_member(package, name, path)
            if name.endswith((".xml", ".rels")):
                content = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)
            written.writestr(name, content)
    return result.getvalue()


def no_archive(package: zipfile.ZipFile) -> str:
    """What a zip file that is no document we read is, if it is a document of others; else ""."""
    names = set(package.namelist())
    if "mimetype" in names:
        with contextlib.suppress(*_DAMAGED):
            if package.read("mimetype").startswith(_OPEN_DOCUMENT):
                return "an OpenDocument file"
    return next((what for mark, what in _NO_ARCHIVES if mark in names), "")


def steady(message: str) -> str:
    """``message`` without what differs from run to run, for the ledger keeps it as a reason."""
    return _OBJECT.sub("an object", message)


def read_member(package: zipfile.ZipFile, name: str, path: Path) -> bytes:
    """The bytes of a member. Raises ParseError if it is missing or damaged."""
    try:
        return package.read(name)
    except (*_DAMAGED, KeyError) as error:
        what = f"{path} is damaged: its part {name} cannot be read ({error})."
        raise ParseError(what, fix="Open it in its program and save it again.") from error


@contextlib.contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """What a library of an office format raises becomes a ParseError: on a damaged file that may
    be anything at all."""
    try:
        yield
    except (ParseError, MemoryError):
        raise
    except Exception as error:
        what = f"{path} is damaged: {type(error).__name__}: {steady(str(error))}."
        raise ParseError(what, fix="Open it in its program and save it again.") from error


def require(module: str, package: str, extra: str, path: Path) -> ModuleType:
    """A library of an extra. Raises Unsupported naming the extra where it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        what = f"{path} needs {package}, which is not installed."
        raise Unsupported(what, fix=f"Install the extra: pip install 'lmk[{extra}]'.") from error
