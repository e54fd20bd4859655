"""Word documents: paragraphs and tables in order, headings as sections, notes at the end."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indexer.documents import Document
from indexer.parsing.assembly import Assembly
from indexer.parsing.office import office_metadata
from indexer.parsing.packages import damage_told, require

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_NOTES = re.compile(r"/word/(?:footnotes|endnotes|comments)\.xml")


def parse_docx(data: bytes, path: Path) -> Document:
    """Document of a Word file; units are its sections from heading to heading.

    Text that a tracked change removed is left out, what it put in is read. Foot- and endnotes
    and comments follow the text, running heads are left out.

    Raises:
        Unsupported: the extra ``office`` is not installed.
        ParseError: it is damaged.
    """
    docx = require("docx", "python-docx", "office", path)
    with damage_told(path):
        source = docx.Document(io.BytesIO(data))
        levels = dict(_heading_levels(source.styles))
        metadata = office_metadata(source.core_properties)
        assembly = Assembly()
        _read_blocks(source.element.body, levels, assembly)
        for part in source.part.package.iter_parts():
            if _NOTES.fullmatch(str(part.partname)):
                _read_notes(part, assembly)
    title = metadata.pop("title", "")
    return assembly.document(
        name=path.name, kind="docx", unit="section", title=title, metadata=metadata
    )


def _heading_levels(styles: Any) -> Iterator[tuple[str, int]]:
    """Style id -> level, for the styles of headings in whatever language they are named."""
    for style in styles:
        name = str(style.name or "")
        if found := _HEADING.fullmatch(name):
            yield style.style_id, int(found[1])
        elif name.lower() == "title":
            yield style.style_id, 1


def _read_blocks(body: Any, levels: dict[str, int], assembly: Assembly) -> None:
    """Paragraphs and tables in document order, also inside content controls."""
    pending = [iter(body)]
    while pending:
        element = next(pending[-1], None)
        if element is None:
            pending.pop()
        elif element.tag == f"{_W}p":
            text = _text(element)
            if (level := _level(element, levels)) and text.strip():
                assembly.heading(level, text)
            elif text.strip():
                assembly.line(text)
        elif element.tag == f"{_W}tbl":
            for row in element.iter(f"{_W}tr"):
                assembly.row([_cell(cell) for cell in row.iterchildren(f"{_W}tc")])
        elif element.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"):
            pending.append(iter(element))


def _level(paragraph: Any, levels: dict[str, int]) -> int:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    outline = paragraph.find(f"{_W}pPr/{_W}outlineLvl")
    if outline is not None and outline.get(f"{_W}val", "").isdecimal():
        level = int(outline.get(f"{_W}val")) + 1
        return level if level <= 9 else 0
    return levels.get(style.get(f"{_W}val", ""), 0) if style is not None else 0


def _cell(cell: Any) -> str:
    return " ".join(_text(paragraph) for paragraph in cell.iter(f"{_W}p"))


def _text(paragraph: Any) -> str:
    parts: list[str] = []
    for node in paragraph.iter(f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}cr", f"{_W}noBreakHyphen"):
        if any(parent.tag == _FALLBACK for parent in node.iterancestors()):
            continue  # the same text box again, for old programs
        if node.tag == f"{_W}t":
            parts.append(node.text or "")
        elif node.tag == f"{_W}noBreakHyphen":
            parts.append("-")
        elif node.tag == f"{_W}tab":
            parts.append("\t" if node.getparent().tag == f"{_W}r" else "")  # or a tab stop
        else:
            parts.append("\n")
    return "".join(parts)


def _read_notes(part: Any, assembly: Assembly) -> None:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    for note in etree.fromstring(part.blob, parser):
        text = "\n".join(filter(None, (_text(p).strip() for p in note.iter(f"{_W}p"))))
        if text:
            assembly.line(f"Note: {text}")
