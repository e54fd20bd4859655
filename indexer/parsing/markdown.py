"""Markdown: headings become sections; the text stays as it stands in the file."""

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from pathlib import PurePath

from indexer.documents import Document
from indexer.parsing.lines import Lines, line_document
from indexer.parsing.sections import Heading

_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|\Z)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
# A fence may open behind the marks of a list, at any depth.
_FENCE = re.compile(r"([ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+)? {0,3}(`{3,}|~{3,})(.*)\Z")
_RAW = re.compile(r" {0,3}<(?:(!)--|(pre|script|style|textarea)(?=[\s>]|\Z))", re.IGNORECASE)
# A line that cannot be the text of an underlined heading: list, quote, table, rule, code.
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[-+*>|]|\d+[.)][ \t]|#{1,6}[ \t])")
# A link's words hold no bracket and its address only pairs of them, so that a line of nothing but
# opening ones is read once, not once for each.
_INLINE = re.compile(
    r"!?\[([^\[\]\n]*+)\]\((?:[^()\n]++|\([^()\n]*+\))*+\)"
    r"|[`*]+|(?<!\w)_+|(?<!_)_++(?!\w)"
)


# Front matter: what it is written between, and how it names a title (YAML, TOML).
_MATTER_ENDS = {"---": ("---", "..."), "+++": ("+++",)}
_TITLE = re.compile(r"title[ \t]*[:=]")
_BLOCK = re.compile(r"[>|][-+0-9]*[ \t]*\Z")
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*+)'")


def parse_markdown(text: str, *, name: str) -> Document:
    """Document of the cleaned ``text``; one unit a line.

    The title is that of the front matter (YAML or TOML), the first heading, or the file's stem.
    """
    lines = Lines(text)
    body, front_title = _front_matter(lines)
    headings = list(find_headings(lines, lines.starts, body=body))
    title = front_title or next((h.title for h in headings if h.title), PurePath(name).stem)
    return line_document(lines, title=title, headings=headings, kind="markdown")


def _front_matter(lines: Sequence[str]) -> tuple[int, str]:
    """First line after the front matter (0 if there is none), and its title or ""."""
    ends = _MATTER_ENDS.get(lines[0].rstrip())
    if ends is None:
        return 0, ""
    title = ""
    for i, line in islice(enumerate(lines), 1, None):
        if line.rstrip() in ends:
            return i + 1, title
        if found := _TITLE.match(line):
            title = _value(line[found.end() :].strip(), _indented(lines, i + 1))
    return 0, ""  # never closed: it was a rule


def _indented(lines: Sequence[str], start: int) -> Iterator[str]:
    """The lines from ``start`` on that continue a value, without what indents them."""
    following = (lines[i] for i in range(start, len(lines)))
    return (line.strip() for line in takewhile(lambda line: line[:1] in (" ", "\t"), following))


def _value(value: str, rest: Iterable[str]) -> str:
    """A text of front matter in one line; ``rest`` are the lines that continue it."""
    if not value:
        return ""  # what is below is no text
    if _BLOCK.match(value):
        return " ".join(rest)
    value = " ".join([value, *rest])
    if value[0] == '"':
        with contextlib.suppress(ValueError):
            return " ".join(str(json.JSONDecoder(strict=False).raw_decode(value)[0]).split())
    elif found := _SINGLE_QUOTED.match(value):
        return found[1].replace("''", "'")
    return value.strip("\"'")


def find_headings(
    lines: Sequence[str], starts: Sequence[int], *, body: int = 0
) -> Iterator[Heading]:
    """ATX and underlined headings from line ``body`` on, outside fenced code, comments and ``pre``.

    ``starts`` are the offsets of ``lines``; of a last line without an offset nothing is read.
    """
    paragraph = False  # whether the line before can be the text of an underlined heading
    for i in _spoken(lines, len(starts), body=body):
        if i < 0:
            paragraph = False
            continue
        line = lines[i]
        if found := _ATX.match(line):
            yield Heading(starts[i], len(found[1]), _plain(_unclosed(line[found.end() :])))
            paragraph = False
        elif paragraph and (found := _SETEXT.match(line)):
            yield Heading(starts[i - 1], 1 if found[1][0] == "=" else 2, _plain(lines[i - 1]))
            paragraph = False
        else:
            paragraph = bool(line.strip()) and not _NO_PARAGRAPH.match(line)


def _spoken(lines: Sequence[str], end: int, *, body: int) -> Iterator[int]:
    """Numbers of the lines before ``end`` that are read as Markdown; -1 for those between."""
    fence, width = "", 0  # of the code, and how far the list that it is in is indented
    raw_end = ""  # what ends a comment or an element that is shown as it stands
    for i in range(body, end):
        line = lines[i]
        if raw_end:
            raw_end = "" if raw_end in line.lower() else raw_end
            continue
        if fence and not _leaves_list(line, width):
            fence = "" if _closes(line, fence, width) else fence
            continue
        fence = ""
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if found and not (found[2][0] == "`" and "`" in found[3]):
            fence, width = found[2], len((found[1] or "").expandtabs(4))
            yield -1
        elif "<" in line and (found := _RAW.match(line)):
            raw_end = "-->" if found[1] else f"</{found[2].lower()}>"
            raw_end = "" if raw_end in line[found.start(1) + 1 :].lower() else raw_end
            yield -1
        else:
            yield i


def _leaves_list(line: str, width: int) -> bool:
    """Whether ``line`` ends what is indented by ``width``, by which all of an item is."""
    return bool(line.strip()) and _indent(line) < width


def _closes(line: str, fence: str, width: int) -> bool:
    mark = line.strip()
    return mark.startswith(fence) and not mark.strip(fence[0]) and _indent(line) <= width + 3


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip(" "))


def _unclosed(title: str) -> str:
    """What follows the marks of a heading, without those that close it: ``a ##`` reads "a"."""
    title = title.strip(" \t")
    bare = title.rstrip("#")
    return bare if not bare or bare[-1] in " \t" else title


def _plain(title: str) -> str:
    """A heading without its inline markup: ``[a](b)`` and ``**a**`` read "a"."""
    return _INLINE.sub(lambda found: found[1] or "", title).strip()
