"""Word documents: paragraphs and tables in order, headings as sections, notes at the end."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from indexer.documents import Document
from indexer.errors import ParseError
from indexer.parsing.assembly import Assembly
from indexer.parsing.decode import decode
from indexer.parsing.html import decode_html, parse_html
from indexer.parsing.office import (
    COMPATIBLE,
    FALLBACK,
    MATH,
    RELATED,
    is_inside,
    main_part,
    office_metadata,
    parsed,
    read_drawings,
)
from indexer.parsing.packages import damage_told, open_package, require

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TAB, _HYPHEN, _BOX = f"{_W}tab", f"{_W}noBreakHyphen", f"{_W}txbxContent"
_PLACED_TAB = f"{_W}ptab"
_TEXTS = (f"{_W}t", f"{MATH}t")  # of equations, too
_SHOWN = (*_TEXTS, _TAB, _PLACED_TAB, f"{_W}br", f"{_W}cr", _HYPHEN)
_RUBY, _READING = f"{_W}ruby", f"{_W}rt"  # how characters are read, in small print above them
# What stands in these is not the text: the same text box again, for old programs; what a tracked
# change removed or moved away.
_NOT_READ = frozenset({FALLBACK, f"{_W}del", f"{_W}moveFrom"})
_NOT_READ_OR_BOX = _NOT_READ | {_BOX}
_WRAPPERS = frozenset(  # around paragraphs, rows or cells
    {
        *(f"{_W}{tag}" for tag in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")),
        f"{COMPATIBLE}AlternateContent",
        f"{COMPATIBLE}Choice",
    }
)
_MAIN_TYPES = (  # of a main part, which python-docx does not know: templates, files with macros
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
)
_CHUNK = "/aFChunk"  # type of the relation to a text of another format, put in as a whole
_UNREAD = "text put in from files of other formats cannot be read"
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_NOTES = re.compile(r".*\.(?:footnotes|endnotes|comments)\+xml")  # content types


class _Source(NamedTuple):
    """A Word file that is being read, and where its text goes."""

    path: Path
    part: Any
    levels: dict[str, int]  # of headings, by style id
    assembly: Assembly


def parse_docx(data: bytes, path: Path) -> Document:
    """Document of a Word file; units are its sections from heading to heading.

    Text that a tracked change removed is left out, what it put in is read. Foot- and endnotes
    and comments follow the text; text boxes, charts and diagrams follow their paragraph; running
    heads are left out.

    Raises:
        Unsupported: the extra ``office`` is not installed.
        ParseError: it is damaged.
    """
    require("docx", "python-docx", "office", path)
    with damage_told(path):
        part = _opened(data)
        metadata = office_metadata(part.document.core_properties)
        assembly = Assembly()
        source = _Source(path, part, dict(_heading_levels(part.document.styles)), assembly)
        _read_blocks(part.element.body, source)
        for notes in part.package.iter_parts():
            if _NOTES.fullmatch(notes.content_type) and "/glossary/" not in str(notes.partname):
                _read_notes(notes, assembly)
    title = metadata.pop("title", "")
    return assembly.document(
        name=path.name, kind="docx", unit="section", title=title, metadata=metadata
    )


def _opened(data: bytes) -> Any:
    from docx.opc.part import Part, PartFactory
    from docx.package import Package
    from docx.parts.document import DocumentPart

    # Bytes as they are: one that is a Word file itself has the content type of the main part.
    PartFactory.part_class_selector = lambda _, type_: Part if type_.endswith(_CHUNK) else None
    return main_part(data, Package, PartFactory, DocumentPart, _MAIN_TYPES)


def _heading_levels(styles: Any) -> Iterator[tuple[str, int]]:
    """Style id -> level, for the styles of headings in whatever language they are named."""
    for style in styles:
        name = str(style.name or "")
        if found := _HEADING.fullmatch(name):
            yield style.style_id, int(found[1])
        elif name.lower() == "title":
            yield style.style_id, 1


def _read_blocks(body: Any, source: _Source) -> None:
    """Paragraphs and tables in document order, and what is drawn in them behind each."""
    assembly = source.assembly
    for element in _within(body):
        if element.tag == f"{_W}p":
            text = _text(element)
            if (level := _level(element, source.levels)) and text.strip():
                assembly.heading(level, text)
            elif text.strip():
                assembly.line(text)
            for box in element.iter(_BOX):
                if not is_inside(box, element, _NOT_READ_OR_BOX):
                    _read_blocks(box, source)
            read_drawings(element, source.part, _NOT_READ_OR_BOX, assembly)
        elif element.tag == f"{_W}tbl":
            for row in _within(element):
                if row.tag == f"{_W}tr":
                    cells = (cell for cell in _within(row) if cell.tag == f"{_W}tc")
                    assembly.row([" ".join(_paragraphs(cell)) for cell in cells])
            read_drawings(element, source.part, _NOT_READ, assembly)
        elif element.tag == f"{_W}altChunk":
            _read_chunk(source.part.rels.get(element.get(f"{RELATED}id")), source)


def _read_chunk(relation: Any, source: _Source) -> None:
    """A text of another format that stands here as a whole: what programs put in, not people."""
    assembly = source.assembly
    if relation is None or relation.is_external:
        assembly.lacks("a text put in from another file is missing")
        return
    kind, data = relation.target_part.content_type.lower(), relation.target_part.blob
    if kind in ("text/html", "application/xhtml+xml"):
        is_xml = kind != "text/html"
        assembly.include(parse_html(decode_html(data).text, name="", is_xml=is_xml))
    elif kind == "text/plain":
        assembly.line(decode(data).text)
    elif "wordprocessingml.document" in kind:
        try:
            open_package(data, source.path).close()  # within the limits?
            inner = parse_docx(data, source.path)
        except ParseError:
            assembly.lacks(f"{_UNREAD} ({kind})")
            return
        assembly.include(inner)
    else:
        assembly.lacks(f"{_UNREAD} ({kind})")


def _within(element: Any) -> Iterator[Any]:
    """The children of ``element``, with those of content controls and the like in their place."""
    pending = [iter(element)]
    while pending:
        child = next(pending[-1], None)
        if child is None:
            pending.pop()
        elif child.tag in _WRAPPERS:
            pending.append(iter(child))
        else:
            yield child


def _level(paragraph: Any, levels: dict[str, int]) -> int:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    outline = paragraph.find(f"{_W}pPr/{_W}outlineLvl")
    if outline is not None and outline.get(f"{_W}val", "").isdecimal():
        level = int(outline.get(f"{_W}val")) + 1
        return level if level <= 9 else 0
    return levels.get(style.get(f"{_W}val", ""), 0) if style is not None else 0


def _paragraphs(element: Any) -> Iterator[str]:
    """Texts of all paragraphs in ``element`` that are not blank, those of tables and boxes too."""
    for paragraph in element.iter(f"{_W}p"):
        if not is_inside(paragraph, element, _NOT_READ) and (text := _text(paragraph).strip()):
            yield text


def _text(paragraph: Any) -> str:
    """The text of ``paragraph`` itself, without that of boxes in it."""
    nodes = [n for n in paragraph.iter(*_SHOWN) if not is_inside(n, paragraph, _NOT_READ_OR_BOX)]
    if next(paragraph.iter(_RUBY), None) is not None:
        return _with_readings(paragraph, nodes)
    return "".join([_shown(node) for node in nodes])


def _shown(node: Any) -> str:
    tag = node.tag
    if tag in _TEXTS:
        return node.text or ""
    if tag == _HYPHEN:
        return "-"
    if tag == _TAB:
        return "\t" if node.getparent().tag == f"{_W}r" else ""  # or a tab stop
    return "\t" if tag == _PLACED_TAB else "\n"


def _with_readings(paragraph: Any, nodes: Iterable[Any]) -> str:
    """The text of ``nodes``: a word whose characters have readings stays whole, and these follow it
    in brackets."""
    parts: list[str] = []
    readings: list[str] = []
    for node in nodes:
        if is_inside(node, paragraph, frozenset({_READING})):
            readings.append(_shown(node))
            continue
        if readings and not is_inside(node, paragraph, frozenset({_RUBY})):
            parts.append(f"({''.join(readings)})")
            readings.clear()
        parts.append(_shown(node))
    return "".join(parts) + (f"({''.join(readings)})" if readings else "")


def _read_notes(part: Any, assembly: Assembly) -> None:
    for note in parsed(part.blob, assembly):
        text = "\n".join(_paragraphs(note))
        if text:
            assembly.line(f"Note: {text}")
