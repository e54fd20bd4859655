"""Where the lines of a PDF page stand, and in which order a person reads them.

pdfium gives text in the order in which it was drawn. That is right for nearly every page; what
it cannot know is that a line which was drawn straight across two columns is two lines. Here the
lines are cut at wide gaps; if the pieces stand in columns of running text and the order jumps
between them, the columns are put one after the other. Other gaps part the cells of a row.
"""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import pypdfium2.raw as pdfium_c

from indexer.parsing.pdf_boxes import Boxes, Rectangle

_LINE = re.compile("[^\n\x02\ufffe]*(?:\n|[\x02\ufffe]|\\Z)")
_HYPHENS = "\x02\ufffe"  # pdfium's marks for a hyphen at a line end, which they stand for too
_MAX_LINES = 2_000  # of one page; a page with more is a drawing, and stays as it stands

_WIDE_GAP = 1.0  # heights of a line; words stand a quarter to half of one apart
_FEWEST_CELL_GAPS, _FEWEST_WIDE_GAPS = 2, 4  # on a page
_CELL_GAP = 1.8  # heights between cells; justified lines and typewriter type have wide gaps too
_MIN_GUTTER = 6  # points between columns
_MARGIN = 0.12  # of the width of the text: no gutter lies so far out
_CROSSING = 0.2  # share of the lines that may cross a gutter: titles, figures, wide tables
_MIN_COLUMN_LINES = 3
_MIN_WIDTH = 6.0  # heights of a line; cells of tables are narrower
_MIN_FILL = 0.55  # of its column's width, by the middle one of a column's lines
_MIN_GOING_ON = 0.4  # of a column's lines go on with a sentence: rows of a table begin anew
_MIN_ACROSS = 0.15  # of the parts stand to the right of the one before
_MIN_SWITCHES = 0.4  # of the pieces stand in another column than the one drawn before
_EDGE_GAP = 1.2  # heights; a head or foot stands so far from the columns


class Box(NamedTuple):
    """A rectangle in the page's user space; y grows upwards."""

    left: float
    top: float
    right: float
    bottom: float


class Line(NamedTuple):
    """A drawn line: its pdfium characters ``[start, end)``, and its parts between wide gaps."""

    start: int
    end: int
    closing: str  # what parts it from the next: a line end, or "" where a hyphen stands for it
    parts: tuple[Box, ...]


class Piece(NamedTuple):
    """Characters ``[start, end)`` that are read in one go, and what follows them."""

    start: int
    end: int
    closing: str
    box: Box
    row: int  # number of its line


def arrange(raw: str, text: pdfium_c.FPDF_TEXTPAGE) -> list[tuple[int, int, str]] | None:
    """Ranges of ``raw`` in reading order, each with what closes it; None: as it stands.

    ``raw`` are pdfium's characters of the page, one each; ``text`` is the handle of its text.
    """
    where = Boxes(text)
    runs = where.runs()
    # A look at all runs at once is cheap, and tells for most pages that nothing is to be done.
    if not _has_gaps(runs) or raw.count("\n") > _MAX_LINES:
        return None
    lines = list(_lines(raw, where, runs))
    boxes = [part for line in lines for part in line.parts]
    if sum(b.right - b.left for b in boxes) <= sum(b.top - b.bottom for b in boxes):
        return None  # writing that runs up or down
    if _moves_across(boxes) and (gutters := find_gutters(boxes)):
        columns = [_column(part, gutters) for part in boxes]
        if _jumps(columns):
            pieces = list(_cut(raw, lines, where))
            columns = [_column(piece.box, gutters) for piece in pieces]
            for edge in _edges(pieces):
                columns[edge] = None
            if _are_columns(raw, pieces, columns, len(gutters) + 1):
                pieces = _by_column(pieces, columns, len(gutters) + 1)
                return [piece[:3] for piece in pieces]
    rows = [
        line._replace(parts=joined(line.parts, _CELL_GAP)) if len(line.parts) > 1 else line
        for line in lines
    ]
    if all(len(line.parts) < 2 for line in rows):
        return None
    return list(_cells(raw, rows, where))


def _has_gaps(runs: Sequence[Rectangle]) -> bool:
    """Whether runs stand far to the right of the one before, at the same height, often enough
    for cells or columns: a single one parts a running head from the page's number."""
    wide = cells = 0
    last_top = last_right = last_bottom = 0.0
    for left, top, right, bottom in runs:
        gap = left - last_right
        if gap > 0 and bottom < last_top and last_bottom < top:
            height = max(top - bottom, last_top - last_bottom)
            wide += gap > _WIDE_GAP * height
            cells += gap > _CELL_GAP * height
        last_top, last_right, last_bottom = top, right, bottom
    return cells >= _FEWEST_CELL_GAPS or wide >= _FEWEST_WIDE_GAPS


def _lines(raw: str, where: Boxes, runs: Sequence[Rectangle]) -> Iterator[Line]:
    """The lines of ``raw`` with the boxes of their parts; ``runs`` are those of the page."""
    spans: list[tuple[int, int]] = []
    for found in _LINE.finditer(raw):
        start, end = found.span()
        if start == end:
            break
        if raw[end - 1] not in _HYPHENS:
            end = start + len(found[0].rstrip("\r\n"))
        spans.append((start, end))
    for (start, end), inside in zip(spans, where.runs_of_lines(spans, runs), strict=True):
        is_hyphenated = end > start and raw[end - 1] in _HYPHENS
        yield Line(start, end, "" if is_hyphenated else "\n", joined(inside, _WIDE_GAP))


def joined(runs: Sequence[Rectangle], gap: float) -> tuple[Box, ...]:
    """The runs of one line, put together where less than ``gap`` line heights part them."""
    if len(runs) < 2:
        return tuple(Box(*run) for run in runs)
    # A dash is low, and so the line tells how high a letter is.
    widest = gap * max([top - bottom for _, top, _, bottom in runs])
    parts: list[Box] = []
    left, top, right, bottom = runs[0]
    for next_left, next_top, next_right, next_bottom in runs[1:]:
        if next_left - right < widest and left - next_right < widest:
            # Not by min and max: a call costs more than all four comparisons.
            left = next_left if next_left < left else left
            top = next_top if next_top > top else top
            right = next_right if next_right > right else right
            bottom = next_bottom if next_bottom < bottom else bottom
        else:
            parts.append(Box(left, top, right, bottom))
            left, top, right, bottom = next_left, next_top, next_right, next_bottom
    return (*parts, Box(left, top, right, bottom))


def _moves_across(boxes: Sequence[Box]) -> bool:
    """Whether parts often stand wholly to the right of the one before: as cells and columns do."""
    return sum(1 for a, b in pairwise(boxes) if b.left >= a.right) > _MIN_ACROSS * len(boxes)


def find_gutters(boxes: Sequence[Box]) -> list[tuple[float, float]]:
    """Ranges of x that part columns: few boxes cross them, and several stand on either side."""
    first, last = min(b.left for b in boxes), max(b.right for b in boxes)
    width = int(last - first) + 1
    if not 0 < width < 20_000:
        return []
    steps = [0] * (width + 2)
    for box in boxes:
        steps[int(box.left - first)] += 1
        steps[int(box.right - first) + 1] -= 1
    covered = list(accumulate(steps))
    most = max(covered) * _CROSSING
    found: list[tuple[float, float]] = []
    low: int | None = None
    for x in range(int(width * _MARGIN), int(width * (1 - _MARGIN))):
        if covered[x] <= most:
            low = x if low is None else low
        elif low is not None:
            if x - low >= _MIN_GUTTER:
                found.append((first + low, first + x))
            low = None
    return _joined(found, boxes)


def _joined(
    gutters: Sequence[tuple[float, float]], boxes: Sequence[Box]
) -> list[tuple[float, float]]:
    """Gutters with less than a column between them are one: a page number stood in it."""
    joined: list[tuple[float, float]] = []
    for left, right in gutters:
        if joined:
            inside = sum(1 for b in boxes if b.left >= joined[-1][0] and b.right <= right)
            if inside < _MIN_COLUMN_LINES:
                joined[-1] = (joined[-1][0], right)
                continue
        joined.append((left, right))
    return joined


def _cut(
    raw: str, lines: Sequence[Line], where: Boxes, *, keep_spaces: bool = False
) -> Iterator[Piece]:
    """The lines cut at their wide gaps; a tab closes what has more of its line behind it.

    pdfium puts one space into a gap. With ``keep_spaces``, gaps of several spaces, which an
    author has typed, stay as they are.
    """
    for row, line in enumerate(lines):
        if len(line.parts) < 2:
            box = line.parts[0] if line.parts else Box(0, 0, 0, 0)
            yield Piece(line.start, line.end, line.closing, box, row)
            continue
        part, start = 0, line.start
        for at in range(line.start, line.end):
            if part + 1 == len(line.parts) or raw[at].isspace():
                continue
            middle = where.middle(at)
            following = line.parts[part + 1]
            if following.left <= middle <= following.right and not (
                line.parts[part].left <= middle <= line.parts[part].right
            ):
                end = _without_space(raw, start, at)
                if end + 1 >= at or not keep_spaces:
                    yield Piece(start, end, "\t", line.parts[part], row)
                    start = at
                part += 1
        yield Piece(start, line.end, line.closing, line.parts[part], row)


def _cells(raw: str, rows: Sequence[Line], where: Boxes) -> Iterator[tuple[int, int, str]]:
    """Ranges of ``raw``: the cells of rows, and what stands between such rows in one go."""
    done = 0
    starts = [row.start for row in rows[1:]] + [len(raw)]
    for row, following in zip(rows, starts, strict=True):
        if len(row.parts) < 2:
            continue
        if row.start > done:
            yield done, row.start, ""
        *cells, last = _cut(raw, [row], where, keep_spaces=True)
        yield from (cell[:3] for cell in cells)
        yield last.start, following, ""
        done = following
    if len(raw) > done:
        yield done, len(raw), ""


def _without_space(raw: str, start: int, end: int) -> int:
    while end > start and raw[end - 1].isspace():
        end -= 1
    return end


def _column(box: Box, gutters: Sequence[tuple[float, float]]) -> int | None:
    """Number of the column in which a box stands; None if it crosses a gutter."""
    column = 0
    for left, right in gutters:
        middle = (left + right) / 2
        if box.left < middle < box.right:
            return None
        column += box.left > middle
    return column


def _edges(pieces: Sequence[Piece]) -> Iterator[int]:
    """Pieces of the top and the bottom line, where these stand apart: heads and feet."""
    rows: dict[int, Box] = {}
    for piece in pieces:
        rows[piece.row] = joined([piece.box, rows.get(piece.row, piece.box)], math.inf)[0]
    by_height = sorted(rows, key=lambda row: rows[row].bottom)
    for edge, following in (by_height[:2], by_height[:-3:-1]) if len(rows) > 1 else ():
        a, b = rows[edge], rows[following]
        gap = max(a.bottom, b.bottom) - min(a.top, b.top)
        if gap > _EDGE_GAP * min(a.top - a.bottom, b.top - b.bottom):
            yield from (i for i, piece in enumerate(pieces) if piece.row == edge)


def _jumps(columns: Sequence[int | None]) -> bool:
    inside = [column for column in columns if column is not None]
    switches = sum(1 for a, b in pairwise(inside) if a != b)
    return switches > max(2.0, _MIN_SWITCHES * len(inside))


def _are_columns(
    raw: str, pieces: Sequence[Piece], columns: Sequence[int | None], count: int
) -> bool:
    """Whether every column holds running text: wide lines, many of which go on."""
    for column in range(count):
        inside = [p for p, c in zip(pieces, columns, strict=True) if c == column]
        if len(inside) < _MIN_COLUMN_LINES:
            return False
        widths = sorted(p.box.right - p.box.left for p in inside)
        heights = sorted(p.box.top - p.box.bottom for p in inside)
        middle = widths[len(widths) // 2]
        extent = max(p.box.right for p in inside) - min(p.box.left for p in inside)
        if middle < _MIN_WIDTH * heights[len(heights) // 2] or middle < _MIN_FILL * extent:
            return False
        firsts = [raw[p.start : p.start + 1] for p in inside[1:]]
        going_on = sum(1 for c in firsts if c.isalpha() and not c.isupper())
        if going_on < _MIN_GOING_ON * len(firsts):
            return False
    return True


def _by_column(pieces: Sequence[Piece], columns: Sequence[int | None], count: int) -> list[Piece]:
    """Column after column, between the lines that stand across them."""
    ordered: list[Piece] = []
    waiting: list[list[Piece]] = [[] for _ in range(count)]
    for piece, column in zip(pieces, columns, strict=True):
        if column is None:
            ordered += [p for inside in waiting for p in inside]
            waiting = [[] for _ in range(count)]
            ordered.append(piece)
        else:
            waiting[column].append(piece._replace(closing=piece.closing.replace("\t", "\n")))
    return ordered + [p for inside in waiting for p in inside]
