"""What the office formats share: properties of a document, main parts, text of drawings."""

import io
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from indexer.parsing.assembly import Assembly

DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
FALLBACK = f"{COMPATIBLE}Fallback"  # the same once more, for old programs
RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_NEW_CHART = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_REFERENCES = {  # an element that stands for a drawing -> its attribute that names the part
    f"{_CHART}chart": f"{RELATED}id",
    f"{_NEW_CHART}chart": f"{RELATED}id",
    f"{_DIAGRAM}relIds": f"{RELATED}dm",
}
_NAMES = (f"{_CHART}strCache", f"{_CHART}strLit", f"{_CHART}lvl")  # not the numbers of a chart


def office_metadata(properties: Any) -> dict[str, str]:
    """Title, author, subject, keywords and dates (ISO 8601), those that are set.

    ``properties`` are those of python-docx and python-pptx, or of openpyxl, which call some of
    them by other names.
    """
    found: dict[str, str] = {}
    for key, names in (
        ("title", ("title",)),
        ("author", ("author", "creator")),
        ("subject", ("subject",)),
        ("keywords", ("keywords",)),
    ):
        value = next((v for name in names if (v := getattr(properties, name, None))), None)
        if isinstance(value, str) and value.strip():
            found[key] = value
    for key in ("created", "modified"):
        value = getattr(properties, key, None)
        if isinstance(value, datetime):
            found[key] = value.isoformat()
    return found


def main_part(
    data: bytes, package: Any, factory: Any, part_type: type, more_types: Iterable[str]
) -> Any:
    """The main part of the package ``data``, of ``more_types`` as well: templates, shows and files
    with macros, which python-docx and python-pptx refuse. ``package`` and ``factory`` are theirs.
    """
    for content_type in more_types:
        factory.part_type_for[content_type] = part_type
    part = package.open(io.BytesIO(data)).main_document_part
    if not isinstance(part, part_type):
        raise TypeError(f"its main part is {part.content_type}")
    return part


def parsed(blob: bytes, assembly: Assembly) -> Any:
    """The root element of a part beside the text, without what a file could make a parser fetch.

    A damaged one is read as far as it goes, and ``assembly`` is told: the text itself is whole.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    root = etree.fromstring(blob, parser) if blob else None
    if root is None or parser.error_log:
        assembly.lacks("notes or drawings in it are damaged")
    return etree.Element("nothing") if root is None else root


def is_inside(node: Any, top: Any, tags: frozenset[str]) -> bool:
    """Whether an element between ``top`` and ``node`` has one of the ``tags``."""
    for parent in node.iterancestors():
        if parent is top:
            return False
        if parent.tag in tags:
            return True
    return False


def drawn_text(element: Any) -> str:
    """The paragraphs of DrawingML in ``element``, one a line, with their equations."""
    paragraphs = element.iter(f"{DRAWING}p")
    shown = (p for p in paragraphs if not is_inside(p, element, frozenset({FALLBACK})))
    return "\n".join(map(_paragraph, shown))


def _paragraph(paragraph: Any) -> str:
    nodes = paragraph.iter(f"{DRAWING}t", f"{MATH}t", f"{DRAWING}br")
    return "".join(
        (node.text or "") if node.tag != f"{DRAWING}br" else "\v"
        for node in nodes
        if not is_inside(node, paragraph, frozenset({FALLBACK}))
    )


def read_drawings(element: Any, part: Any, not_read: frozenset[str], assembly: Assembly) -> None:
    """Add rows of the charts and diagrams that ``element`` of ``part`` shows, outside of
    ``not_read``: paragraphs, and the names of series and categories, each once."""
    for node in element.iter(*_REFERENCES):
        relation = part.rels.get(node.get(_REFERENCES[node.tag]))
        if relation is None or relation.is_external or is_inside(node, element, not_read):
            continue
        for row in dict.fromkeys(_rows(parsed(relation.target_part.blob, assembly))):
            assembly.row(list(row))


def _rows(root: Any) -> Iterator[tuple[str, ...]]:
    for node in root.iter(f"{DRAWING}p", *_NAMES, f"{_NEW_CHART}lvl", f"{_NEW_CHART}v"):
        if node.tag == f"{DRAWING}p":
            yield (_paragraph(node),)
        elif node.tag == f"{_NEW_CHART}v":
            yield (node.text or "",)
        elif node.tag in _NAMES:
            yield tuple(found.text or "" for found in node.iterfind(f"{_CHART}pt/{_CHART}v"))
        elif node.getparent().tag == f"{_NEW_CHART}strDim":
            yield tuple(found.text or "" for found in node.iterfind(f"{_NEW_CHART}pt"))
