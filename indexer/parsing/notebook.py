"""Jupyter notebooks: cells as units. Outputs are left out: they hold pictures and repeat runs."""

import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from indexer.documents import Coverage, Document, line_starts
from indexer.parsing.code import parse_code
from indexer.parsing.decode import clean
from indexer.parsing.markdown import find_headings
from indexer.parsing.sections import Heading, distinct, nest
from indexer.parsing.separators import soft_borders

CELL_END = "\n\n"  # closes every cell, so that an empty one is a unit with an extent of its own


def parse_notebook(source: str, *, name: str) -> Document:
    """Document of the notebook's JSON ``source``; unit ``i`` is the cell that editors number so.

    Sections come from the headings of Markdown cells, the title is the first of them or the
    file's stem. A file that is no notebook after all is read as JSON, line by line.
    """
    try:
        notebook = json.loads(source)
        cells = list(_cells(notebook))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return parse_code(source, name=name, language="json")
    parts, starts, headings = list[str](), list[int](), list[Heading]()
    length = 0
    for kind, cell in cells:
        if kind == "markdown":
            lines = line_starts(cell)
            headings += (
                Heading(length + heading.start, heading.level, heading.title)
                for heading in find_headings(cell.split("\n"), lines)
            )
        starts.append(length)
        parts.append(cell + CELL_END)
        length += len(parts[-1])
    text = "".join(parts)
    language = _language(notebook)
    filled = sum(1 for _, cell in cells if cell)
    return Document(
        text=text,
        kind="code",
        title=next((heading.title for heading in headings if heading.title), PurePath(name).stem),
        unit="cell",
        unit_starts=tuple(starts) or (0,),
        sections=nest(headings, length),
        breaks=distinct([*starts, *(heading.start for heading in headings)], length),
        borders=distinct(soft_borders(text, language), length),
        language=language,
        coverage=Coverage(units=max(len(starts), 1), with_text=filled, blank=len(cells) - filled),
    )


def _cells(notebook: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Kind and cleaned source of every cell, in all versions of the format.

    A cell that is a heading, as version 3 had them, is written as version 4 writes it.
    """
    sheets = notebook.get("worksheets") or [notebook]  # before version 4 of the format
    for sheet in sheets:
        for cell in sheet["cells"]:
            kind, source = str(cell["cell_type"]), clean(_source(cell)).strip("\n")
            if kind == "heading":
                level = cell.get("level")
                marks = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1)
                kind, source = "markdown", f"{marks} {' '.join(source.split())}"
            yield kind, source


def _source(cell: dict[str, Any]) -> str:
    """The text of a cell, which is written in one piece or by lines; what is neither is none."""
    source = cell.get("source", cell.get("input"))
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def _language(notebook: dict[str, Any]) -> str:
    for place, key in (("language_info", "name"), ("kernelspec", "language")):
        found: Any = notebook
        for step in ("metadata", place, key):  # any of which may be null
            found = found.get(step) if isinstance(found, dict) else None
        if isinstance(found, str) and found:
            return found.lower()
    return "python"
