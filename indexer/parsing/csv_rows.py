"""CSV and TSV: the text as it stands in the file, and where its rows begin."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from indexer.documents import Document
from indexer.parsing.lines import Lines, line_document
from indexer.parsing.sections import distinct

_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 100  # that decide on the delimiter
_LONGEST_ROW = 1000  # lines; a quote that is open for longer was never meant as one


class Row(NamedTuple):
    """The line a row begins in, counted from 0, and its cells."""

    line: int
    cells: list[str]


def parse_csv(text: str, *, name: str) -> Document:
    """Document of the cleaned ``text``, titled as the file; ``columns`` in its metadata if known.

    Rows are its borders: what is encoded as one ends with a row, not in a cell of several lines,
    wherever a row is not too long by itself.
    """
    lines = Lines(text)
    rows = read_rows(lines, find_delimiter(lines[:_SAMPLE_LINES]))
    header = next(rows, Row(0, []))
    second = next(rows, None)
    borders = (lines.starts[row.line] for row in chain((second,) if second else (), rows))
    columns = ", ".join(header.cells) if second and _is_header(header.cells) else ""
    return line_document(
        lines,
        title=name,
        borders=distinct(borders, len(text)),
        metadata={"columns": columns} if columns else {},
    )


def find_delimiter(lines: Sequence[str]) -> str:
    """What parts the cells of ``lines``: the mark that gives most rows of one width."""

    def agreement(delimiter: str) -> tuple[int, int]:
        widths = Counter(len(row.cells) for row in read_rows(lines, delimiter))
        del widths[0], widths[1]
        return max(((count, width) for width, count in widths.items()), default=(0, 0))

    return max(_DELIMITERS, key=agreement)


def read_rows(lines: Sequence[str], delimiter: str) -> Iterator[Row]:
    """Rows of ``lines``, which lack their ends; of blank ones, rows without cells.

    Behind a quote that is never closed, every line is a row.
    """
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, skipinitialspace=True)
    begin = 0
    try:
        for cells in reader:
            if reader.line_num - begin > _LONGEST_ROW:
                break
            yield Row(begin, cells)
            begin = reader.line_num
    except csv.Error:  # a cell of more than csv.field_size_limit()
        pass
    for line in range(begin, len(lines)):
        yield Row(line, lines[line].split(delimiter))


def _is_header(cells: Sequence[str]) -> bool:
    """Whether the first row names columns: words, each once."""
    names = [cell.strip() for cell in cells]
    return (
        len(names) > 1
        and len(set(names)) == len(names)
        and all(any(map(str.isalpha, name)) for name in names)
    )
