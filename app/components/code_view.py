"""A text by its lines: numbers, syntax colours, the passage tinted and its words marked.

Code keeps its columns and is tinted by whole lines; prose flows, and the passage is tinted
by the character. Numbers are drawn from an attribute, so that they are not copied along.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.formatting import Range, clip, escape
from app.syntax import Token
from indexer.documents import UnitType, line_starts, unit_at

LINES_BEFORE = 20
LINES_AFTER = 60
MAX_LINES = 5000  # a browser draws as many rows without a stutter
UNIT_SIGNS: dict[UnitType, str] = {
    "page": "p. ",
    "line": "",
    "cell": "In ",
    "section": "§ ",
    "slide": "slide ",
    "sheet": "sheet ",
    "message": "message ",
}
MAX_LINE_CHARS = 4000  # of a line without end (minified code), the part around the passage


@dataclass(frozen=True, slots=True)
class TextPart:
    """Lines ``[first, last)`` of a text, 0-based; ``starts`` has the offset of every line."""

    text: str
    starts: Sequence[int]
    first: int
    last: int

    @property
    def cut(self) -> bool:
        """Whether lines before or after it were left out."""
        return self.first > 0 or self.last < len(self.starts)

    def line(self, number: int) -> Range:
        """The characters of a line, without its line end."""
        start = self.starts[number]
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return start, end - 1 if self.text[start:end].endswith("\n") else end


def part_around(text: str, focus: Range, *, whole: bool = False) -> TextPart:
    """The lines around ``focus``; all of them with ``whole``, up to MAX_LINES."""
    starts = line_starts(text)
    first = unit_at(starts, focus[0]) - 1
    last = unit_at(starts, max(focus[0], focus[1] - 1))
    if whole and len(starts) <= MAX_LINES:
        return TextPart(text, starts, 0, len(starts))
    before, after = (MAX_LINES // 4, MAX_LINES) if whole else (LINES_BEFORE, LINES_AFTER)
    first = max(first - before, 0)
    last = min(last + after, len(starts), first + MAX_LINES)
    if whole:
        first = max(last - MAX_LINES, 0)
    return TextPart(text, starts, first, last)


def gutter(part: TextPart, unit: UnitType, unit_starts: Sequence[int]) -> list[str]:
    """What stands left of each line: its number, or the unit that begins in it."""
    if unit == "line":
        return [str(number + 1) for number in range(part.first, part.last)]
    labels = [""] * (part.last - part.first)
    for row in range(len(labels)):
        start, end = part.line(part.first + row)
        begins = bisect_left(unit_starts, start)
        if begins < len(unit_starts) and unit_starts[begins] <= end:
            labels[row] = f"{UNIT_SIGNS[unit]}{begins + 1}"
    return labels


def lines_html(
    part: TextPart,
    labels: Sequence[str],
    *,
    focus: Range,
    passage: Range | None = None,
    marks: Sequence[Range] = (),
    tokens: Sequence[Token] = (),
    prose: bool = False,
) -> str:
    """The lines as HTML. The view opens at ``focus``."""
    width = max((len(label) for label in labels), default=0)
    place = unit_at(part.starts, focus[0]) - 1
    rows = []
    for row, label in enumerate(labels):
        number = part.first + row
        start, end = part.line(number)
        inside = passage is not None and passage[0] < max(end, start + 1) and start < passage[1]
        classes = "row in" if inside and not prose else "row"
        here = " data-place" if number == place else ""
        content = _line_html(part.text, start, end, focus[0], passage, marks, tokens, prose)
        rows.append(f'<div class="{classes}" data-n="{label}"{here}><div>{content}</div></div>')
    look = "prose" if prose else "code"
    return (
        f'<div class="lines {look}" style="--digits:{width}" data-scroll tabindex="0" '
        f'role="region" aria-label="Text of the document" dir="auto">{"".join(rows)}</div>'
    )


def _line_html(
    text: str,
    start: int,
    end: int,
    focus: int,
    passage: Range | None,
    marks: Sequence[Range],
    tokens: Sequence[Token],
    prose: bool,
) -> str:
    before = after = ""
    if end - start > MAX_LINE_CHARS:
        middle = min(max(focus, start), end)
        first = max(min(middle - MAX_LINE_CHARS // 4, end - MAX_LINE_CHARS), start)
        before = "… " if first > start else ""
        after = " …" if first + MAX_LINE_CHARS < end else ""
        start, end = first, min(first + MAX_LINE_CHARS, end)
    tinted = clip([passage], start, end) if passage and prose else []
    return before + styled(text, start, end, marks=marks, tinted=tinted, tokens=tokens) + after


def styled(
    text: str,
    start: int,
    end: int,
    *,
    marks: Sequence[Range] = (),
    tinted: Sequence[Range] = (),
    tokens: Sequence[Token] = (),
) -> str:
    """``text[start:end]`` escaped, cut where a mark, a tint or a token begins or ends.

    >>> styled("if x", 0, 4, marks=[(3, 4)], tokens=[(0, 2, "k")])
    '<span class="k">if</span> <mark>x</mark>'
    """
    marks, tinted = clip(marks, start, end), clip(tinted, start, end)
    # Tokens are in order and do not overlap: those of this line are neighbours.
    first = bisect_right(tokens, start, key=lambda token: token[1])
    last = bisect_left(tokens, end, key=lambda token: token[0])
    coloured = [(max(s, start), min(e, end), name) for s, e, name in tokens[first:last]]
    layers = [(s, e, "mark") for s, e in marks] + [(s, e, "tint") for s, e in tinted]
    borders = {start, end}
    for s, e, _ in [*coloured, *layers]:
        borders |= {s, e}
    cuts = sorted(borders)
    parts = []
    for a, b in pairwise(cuts):
        names = [name for s, e, name in [*coloured, *layers] if s <= a < e]
        tag = "mark" if "mark" in names else "span"
        classes = " ".join(name for name in names if name != "mark")
        piece = escape(text[a:b])
        if not names:
            parts.append(piece)
        else:
            attribute = f' class="{classes}"' if classes else ""
            parts.append(f"<{tag}{attribute}>{piece}</{tag}>")
    return "".join(parts)
