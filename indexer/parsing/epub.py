"""Electronic books: the chapters of an EPUB in reading order, each read as a web page."""

import posixpath
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from indexer.documents import Document
from indexer.errors import Locked, ParseError
from indexer.parsing.assembly import Assembly
from indexer.parsing.decode import clean_line
from indexer.parsing.html import decode_html, parse_html
from indexer.parsing.packages import read_member
from indexer.parsing.sniff import sniff

# Types of what no chapter is; those of chapters are many, and wrong in many books.
_NO_CHAPTERS = ("image/", "audio/", "video/", "font/", "application/font", "application/x-font")
_PAGE_SUFFIXES = (".xhtml", ".html", ".htm")  # whatever their type is said to be
_NO_TEXT = ("binary", "pdf", "zip")
_HEAD_BYTES = 4096  # what tells
_MAX_NAMED = 5  # chapters that cannot be read, by name
_METADATA = {"creator": "author", "subject": "subject", "date": "created", "publisher": "publisher"}


def parse_epub(package: zipfile.ZipFile, path: Path) -> Document:
    """Document of an EPUB; units run from heading to heading.

    Chapters that are missing, empty, protected or damaged are named in ``damaged`` of the metadata.

    Raises:
        Locked: its chapters are encrypted (DRM).
        ParseError: it is damaged.
    """
    place = _package_place(package, path)
    root = _xml(package, place, path)
    metadata = dict(_metadata(root))
    chapters = list(_chapters(root, posixpath.dirname(place)))
    encrypted = _encrypted(package, path)
    if chapters and encrypted.issuperset(chapters):
        raise Locked(f"{path} is protected (DRM).", fix="Save a copy without protection.")
    assembly = Assembly()
    unread: list[str] = []
    for name in chapters:
        try:
            data = b"" if name in encrypted else read_member(package, name, path)
        except ParseError:
            data = b""
        if data.strip() and sniff(name, data[:_HEAD_BYTES]).kind not in _NO_TEXT:
            page = decode_html(data)
            assembly.include(parse_html(page.text, name=name, is_xml=True, is_page=False))
        else:
            unread.append(name)
    if unread:
        metadata["damaged"] = _told(unread, len(chapters))
        if len(unread) == len(chapters):
            what = f"{path} is damaged: {metadata['damaged']}."
            raise ParseError(what, fix="Open it in a reader and save it again.")
    title = metadata.pop("title", "")
    language = metadata.pop("language", "").split("-")[0].lower()
    return assembly.document(
        name=path.name,
        kind="epub",
        unit="section",
        title=title,
        metadata=metadata,
        language=language if len(language) == 2 else "",
    )


def _told(unread: Sequence[str], total: int) -> str:
    """Which of ``total`` chapters cannot be read."""
    names = ", ".join(map(clean_line, unread[:_MAX_NAMED]))
    names += ", ..." if len(unread) > _MAX_NAMED else ""
    return f"{len(unread)} of {total} chapters cannot be read ({names})"


def _package_place(package: zipfile.ZipFile, path: Path) -> str:
    """The name of the package document, which tells of all the others."""
    container = _xml(package, "META-INF/container.xml", path)
    place = next((file.get("full-path") for file in _elements(container, "rootfile")), None)
    if not place:
        what = f"{path} is damaged: it does not say where its contents are."
        raise ParseError(what, fix="Open it in a reader and save it again.")
    return place


def _xml(package: zipfile.ZipFile, name: str, path: Path) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(read_member(package, name, path))
    except ElementTree.ParseError as error:
        what = f"{path} is damaged: its part {clean_line(name)} is no XML ({error})."
        raise ParseError(what, fix="Open it in a reader and save it again.") from error


def _elements(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """Elements by their local name in small letters: older books have another namespace and
    capitals, careless ones no namespace."""
    return (node for node in root.iter() if node.tag.rpartition("}")[2].lower() == name)


def _metadata(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    for name in ("title", "language", *_METADATA):
        found = [clean_line(node.text or "") for node in _elements(root, name)]
        if value := ", ".join(filter(None, found if name == "creator" else found[:1])):
            yield _METADATA.get(name, name), value


def _chapters(root: ElementTree.Element, folder: str) -> Iterator[str]:
    """Names of the pages in reading order, each once; of one that is not listed, its id."""
    pages: dict[str, str] = {}
    for item in _elements(root, "item"):
        href = unquote(item.get("href", "").split("#")[0])
        is_other = item.get("media-type", "").lower().startswith(_NO_CHAPTERS)
        if is_other and not href.lower().endswith(_PAGE_SUFFIXES):
            pages[item.get("id", "")] = ""
        else:
            pages[item.get("id", "")] = posixpath.normpath(posixpath.join(folder, href))
    order = [item.get("idref", "") for item in _elements(root, "itemref")]
    yield from dict.fromkeys(filter(None, (pages.get(name, name) for name in order)))


def _encrypted(package: zipfile.ZipFile, path: Path) -> set[str]:
    """Names of members that are encrypted; fonts often are, where the text is not."""
    if "META-INF/encryption.xml" not in package.namelist():
        return set()
    root = _xml(package, "META-INF/encryption.xml", path)
    uris = (node.get("URI") for node in _elements(root, "cipherreference"))
    return {unquote(uri) for uri in uris if uri}
