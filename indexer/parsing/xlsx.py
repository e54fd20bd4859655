"""Spreadsheets as text: a sheet is a unit and a section, a row is a line of cells."""

import io
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from indexer.documents import Document
from indexer.parsing.assembly import Assembly
from indexer.parsing.office import drawn_text, office_metadata, parsed
from indexer.parsing.packages import damage_told, require

_THREAD = "threadedComment"  # the kind of a part, and of the elements in it
_DRAWN = ("chart", "chartEx", "diagramData")  # parts that a drawing refers to


def parse_xlsx(data: bytes, path: Path) -> Document:
    """Document of a workbook: the values of its cells, parted by tabs, without empty rows.

    Formulas are shown by the value that was last computed. Comments on cells, and text boxes and
    titles of charts, follow the rows of their sheet.

    Raises:
        Unsupported: the extra ``office`` is not installed.
        ParseError: it is damaged.
    """
    openpyxl = require("openpyxl", "openpyxl", "office", path)
    with damage_told(path):
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        metadata = office_metadata(book.properties)
        assembly = Assembly()
        for sheet in book.worksheets:
            assembly.unit()
            assembly.heading(1, sheet.title)
            sheet.reset_dimensions()  # what a file says of its size need not be true
            for row in sheet.iter_rows(values_only=True):
                assembly.row([_shown(value) for value in row])
            _read_around(book._archive, sheet._worksheet_path, assembly)
    title = metadata.pop("title", "")
    return assembly.document(
        name=path.name, kind="xlsx", unit="sheet", title=title or path.stem, metadata=metadata
    )


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)


def _read_around(archive: Any, sheet: str, assembly: Assembly) -> None:
    """Comments on the cells of a sheet, and what is drawn on it: openpyxl reads neither as long as
    it does not hold the whole workbook in memory."""
    parts = list(_related(archive, sheet))

    def roots(wanted: str) -> Iterator[Any]:
        return (parsed(archive.read(name), assembly) for kind, name in parts if kind == wanted)

    answered: set[str] = set()
    for comment in (node for root in roots(_THREAD) for node in root.iter(f"{{*}}{_THREAD}")):
        answered.add(comment.get("ref", ""))
        assembly.line(f"Note on {comment.get('ref', '?')}: {comment.findtext('{*}text') or ''}")
    for comment in (node for root in roots("comments") for node in root.iter("{*}comment")):
        if comment.get("ref", "") not in answered:  # or it says that there is a thread
            text = "".join(node.text or "" for node in comment.iter("{*}t"))
            assembly.line(f"Note on {comment.get('ref', '?')}: {text}")
    for drawing in (name for kind, name in parts if kind == "drawing"):
        inner = [name for kind, name in _related(archive, drawing) if kind in _DRAWN]
        for name in (drawing, *inner):
            lines = drawn_text(parsed(archive.read(name), assembly)).split("\n")
            for line in filter(str.strip, lines):
                assembly.line(line)


def _related(archive: Any, name: str) -> Iterator[tuple[str, str]]:
    """Kinds and names of the parts of the workbook that the part ``name`` refers to."""
    from openpyxl.packaging.relationship import get_dependents, get_rels_path

    place = get_rels_path(name)
    for relation in get_dependents(archive, place) if place in archive.NameToInfo else ():
        if relation.target in archive.NameToInfo:
            yield relation.Type.rpartition("/")[2], relation.target
