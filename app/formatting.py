"""Values as words and as escaped HTML. Pure: no Streamlit, no index.

Text from documents, queries and paths reaches a screen through ``escape`` or through a
function here that calls it. Marks are added after escaping, never found in escaped text.
"""

import html
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from indexer.documents import Kind, Passage, UnitType
from indexer.search.display import reading_text

Range = tuple[int, int]  # [start, end) characters of a document's text

KIND_NAMES: dict[Kind, str] = {
    "pdf": "PDF",
    "code": "Code",
    "markdown": "Markdown",
    "html": "HTML",
    "text": "Text",
    "docx": "Word",
    "pptx": "Slides",
    "xlsx": "Spreadsheet",
    "epub": "Book",
    "email": "Email",
}
SNIPPET_CHARS = 420  # about four lines of a result card
INDENT = 4  # columns of the usual step, where only a guess is possible
BLOCK_OPENERS = (":", "{", "(", "[")
NAME_CHARS = 160  # of a title or a section: two lines of a heading
LEAD_CHARS = 70  # words kept before the first highlight, so that it is read in context


def escape(text: str) -> str:
    """``text`` as literal HTML, for element content and for quoted attributes.

    Lone surrogates (file names that are not UTF-8 hold them) become ``?``: they cannot be
    sent to a browser.
    """
    return html.escape(text.encode("utf-8", "replace").decode("utf-8"), quote=True)


def shortened(text: str) -> str:
    """A title; of a very long one its beginning."""
    return text if len(text) <= NAME_CHARS else f"{text[:NAME_CHARS].rstrip()} …"


def name_html(text: str) -> str:
    """A title or a section in its own direction; of a very long one the beginning, with the
    whole as a tooltip.

    >>> name_html("R&D")
    '<bdi>R&amp;D</bdi>'
    """
    tip = f' title="{escape(text)}"' if len(text) > NAME_CHARS else ""
    return f"<bdi{tip}>{escape(shortened(text))}</bdi>"


def count(number: int, noun: str) -> str:
    """``1 page``, ``3,412 pages``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def location(unit: UnitType, first: int, last: int, label: str | None = None) -> str:
    """Where a passage stands: ``page 12 (printed xii)``, ``lines 40-58``."""
    place = f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"
    return f"{place} (printed {label})" if label else place


def score(value: float) -> str:
    """Three significant digits at most: scores compare within one query only."""
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def duration(milliseconds: float) -> str:
    """``34 ms``, ``1.2 s``."""
    if milliseconds < 1000:
        return f"{max(milliseconds, 1):.0f} ms"
    return f"{milliseconds / 1000:.1f} s"


def size(num_bytes: int) -> str:
    """``812 B``, ``4.1 kB``, ``2.0 GB`` (powers of 1000)."""
    value = float(num_bytes)
    for unit in ("B", "kB", "MB"):
        if value < 999.5:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def copies(paths: Sequence[str]) -> str:
    """``and 2 copies`` if more than one file holds the document, else nothing."""
    others = len(paths) - 1
    if others < 1:
        return ""
    return "and 1 copy" if others == 1 else f"and {others:,} copies"


def file_name(path: str) -> str:
    """Last part of a path, which is what a person looks for."""
    return PurePath(path).name or path


def short_path(path: str, folders: int = 2) -> tuple[str, str]:
    """The last ``folders`` folders, with ``…`` for those left out, and the file's name.

    >>> short_path("/srv/docs/2024/manuals/pump.pdf")
    ('…/2024/manuals/', 'pump.pdf')
    """
    name = file_name(path)
    parts = path.removesuffix(name).split("/")
    if len(parts) <= folders + 1 + (not parts[0]):
        return path.removesuffix(name), name
    return "…/" + "/".join(parts[-folders - 1 :]), name


def clip(ranges: Iterable[Range], start: int, end: int) -> list[Range]:
    """The parts of ``ranges`` inside ``[start, end)``, in order, overlapping ones merged.

    >>> clip([(8, 12), (2, 5), (4, 6)], 3, 10)
    [(3, 6), (8, 10)]
    """
    merged: list[Range] = []
    for first, last in sorted((max(s, start), min(e, end)) for s, e in ranges):
        if first >= last:
            continue
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def marked(text: str, ranges: Iterable[Range], start: int = 0, end: int | None = None) -> str:
    """``text[start:end]`` escaped, with ``<mark>`` around ``ranges`` (offsets in ``text``).

    >>> marked("a <b> c", [(2, 5)])
    'a <mark>&lt;b&gt;</mark> c'
    """
    end = len(text) if end is None else min(end, len(text))
    parts, position = [], start
    for first, last in clip(ranges, start, end):
        parts += [escape(text[position:first]), "<mark>", escape(text[first:last]), "</mark>"]
        position = last
    return "".join([*parts, escape(text[position:end])])


def snippet(passage: Passage, limit: int = SNIPPET_CHARS) -> str:
    """The telling part of a passage as HTML: at most about ``limit`` characters, marked.

    The part that holds most highlights wins, the earlier one among equals.
    """
    text = passage.text
    ranges = clip(
        ((s - passage.start, e - passage.start) for s, e in passage.highlights), 0, len(text)
    )
    lines = passage.unit == "line"
    if not lines:
        text, ranges = reading_text(text, ranges)
    start, end = _snippet_window(text, ranges, limit, whole_lines=lines)
    before = "… " if text[:start].strip() else ""
    after = " …" if text[end:].strip() else ""
    shown = _dedented(text, ranges, start, end) if lines else marked(text, ranges, start, end)
    return before + shown + after


def _dedented(text: str, ranges: Sequence[Range], start: int, end: int) -> str:
    """Marked lines of code without the indentation that all of them share."""
    lines = []
    position = start
    for line in text[start:end].split("\n"):
        lines.append((position, line, len(line) - len(line.lstrip(" \t"))))
        position += len(line) + 1
    cut = min((indent for _, line, indent in lines[1:] if line.strip()), default=0)
    if lines[0][2]:
        cut = min(cut, lines[0][2])
    elif lines[0][1].rstrip().endswith(BLOCK_OPENERS):
        # A passage begins with a word, its first indentation is lost: the body keeps a step.
        cut = max(cut - INDENT, 0)
    return "\n".join(
        marked(text, ranges, first + min(cut, indent), first + len(line))
        for first, line, indent in lines
    )


def _snippet_window(text: str, ranges: Sequence[Range], limit: int, *, whole_lines: bool) -> Range:
    """``[start, end)`` of at most ``limit`` characters, cut between words or lines."""
    if len(text) <= limit:
        return 0, len(text)
    starts = [max(first - LEAD_CHARS, 0) for first, _ in ranges] or [0]
    start = max(starts, key=lambda s: (sum(s <= a and b <= s + limit for a, b in ranges), -s))
    border = "\n" if whole_lines else " "
    if start:
        # Forward to the next border, unless that would eat the lead.
        cut = text.find(border, start, start + LEAD_CHARS)
        start = cut + 1 if cut != -1 else start
    end = min(start + limit, len(text))
    if end < len(text):
        cut = text.rfind(border, start + limit // 2, end)
        end = cut if cut != -1 else end
    return start, end
