"""Presentations: slides as units, their titles as sections, tables, drawings and notes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indexer.documents import Document
from indexer.parsing.assembly import Assembly
from indexer.parsing.office import (
    DRAWING,
    FALLBACK,
    drawn_text,
    main_part,
    office_metadata,
    parsed,
    read_drawings,
)
from indexer.parsing.packages import damage_told, require

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_SHAPES = (f"{_P}sp", f"{_P}cxnSp", f"{_P}graphicFrame")
_PLACE = f"{_P}nvSpPr/{_P}nvPr/{_P}ph"  # of a shape in the layout of its slide
_TITLES = ("title", "ctrTitle")
_MACRO_TYPES = (  # of a main part, which python-pptx does not know
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
)


def parse_pptx(data: bytes, path: Path) -> Document:
    """Document of a presentation; unit ``i`` is the slide that PowerPoint numbers so.

    Raises:
        Unsupported: the extra ``office`` is not installed.
        ParseError: it is damaged.
    """
    require("pptx", "python-pptx", "office", path)
    with damage_told(path):
        source = _opened(data)
        metadata = office_metadata(source.core_properties)
        assembly = Assembly()
        for slide in source.slides:
            assembly.unit()
            _read_slide(slide, assembly)
    title = metadata.pop("title", "")
    title = "" if title == "PowerPoint Presentation" else title
    return assembly.document(
        name=path.name, kind="pptx", unit="slide", title=title, metadata=metadata
    )


def _opened(data: bytes) -> Any:
    from pptx.opc.package import PartFactory
    from pptx.package import Package
    from pptx.parts.presentation import PresentationPart

    return main_part(data, Package, PartFactory, PresentationPart, _MACRO_TYPES).presentation


def _read_slide(slide: Any, assembly: Assembly) -> None:
    shapes = list(_shapes(slide.shapes._spTree))
    title = next((shape for shape in shapes if _is_title(shape)), None)
    if title is not None:
        assembly.heading(1, drawn_text(title))
    for shape in shapes:
        if shape.tag == f"{_P}graphicFrame":
            for row in shape.iter(f"{DRAWING}tr"):
                assembly.row([drawn_text(cell) for cell in row.iterfind(f"{DRAWING}tc")])
            read_drawings(shape, slide.part, frozenset({FALLBACK}), assembly)
        elif shape is not title and (text := drawn_text(shape)).strip():
            assembly.line(text)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        if notes:
            assembly.line(f"Notes: {notes}")
    for relation in slide.part.rels.values():
        if relation.reltype.endswith("/comments") and not relation.is_external:
            _read_comments(parsed(relation.target_part.blob, assembly), assembly)


def _shapes(tree: Any) -> Iterator[Any]:
    """All shapes with text, tables or drawings, those of groups in the group's place."""
    for element in tree.iter(*_SHAPES):
        if not any(parent.tag == FALLBACK for parent in element.iterancestors()):
            yield element


def _is_title(shape: Any) -> bool:
    place = shape.find(_PLACE)
    return place is not None and place.get("type") in _TITLES and bool(drawn_text(shape).strip())


def _read_comments(root: Any, assembly: Assembly) -> None:
    """Comments, and answers to them, of today's programs and of those before 2021."""
    for node in root.iter("{*}txBody", f"{_P}text"):
        text = (node.text or "") if node.tag == f"{_P}text" else drawn_text(node)
        if text.strip():
            assembly.line(f"Note: {text}")
