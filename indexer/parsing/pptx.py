"""Presentations: slides as units, their titles as sections, tables and speaker's notes."""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from indexer.documents import Document
from indexer.parsing.assembly import Assembly
from indexer.parsing.office import office_metadata
from indexer.parsing.packages import damage_told, require

_MAX_DEPTH = 32  # of groups in groups
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
    """The presentation in ``data``, be it a show, a template or one with macros, which
    ``pptx.Presentation`` refuses."""
    from pptx.opc.package import PartFactory
    from pptx.package import Package
    from pptx.parts.presentation import PresentationPart

    for content_type in _MACRO_TYPES:
        PartFactory.part_type_for[content_type] = PresentationPart
    part = Package.open(io.BytesIO(data)).main_document_part
    if not isinstance(part, PresentationPart):
        raise TypeError(f"its main part is {part.content_type}")
    return part.presentation


def _read_slide(slide: Any, assembly: Assembly) -> None:
    title = slide.shapes.title
    if title is not None and title.text_frame.text.strip():
        assembly.heading(1, title.text_frame.text)
    for shape in _shapes(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.has_text_frame and shape.text_frame.text.strip():
            assembly.line(shape.text_frame.text)
        elif getattr(shape, "has_table", False) and shape.has_table:
            for row in shape.table.rows:
                assembly.row([cell.text_frame.text for cell in row.cells])
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        if notes:
            assembly.line(f"Notes: {notes}")


def _shapes(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """All shapes, those of groups in the group's place."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            if depth < _MAX_DEPTH:
                yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape
