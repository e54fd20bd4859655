"""Spreadsheets as text: a sheet is a unit and a section, a row is a line of cells."""

import io
from datetime import date, datetime, time
from pathlib import Path

from indexer.documents import Document
from indexer.parsing.assembly import Assembly
from indexer.parsing.office import office_metadata
from indexer.parsing.packages import damage_told, require


def parse_xlsx(data: bytes, path: Path) -> Document:
    """Document of a workbook: the values of its cells, parted by tabs, without empty rows.

    Formulas are shown by the value that was last computed.

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
