"""Markdown: headings become sections; the text stays as it stands in the file."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePath

from indexer.documents import Document
from indexer.parsing.lines import Lines, line_document
from indexer.parsing.sections import Heading

_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|\Z)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)\Z")
# A line that cannot be the text of an underlined heading: list, quote, table, rule, code.
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[-+*>|]|\d+[.)][ \t]|#{1,6}[ \t])")
# A link's words hold no bracket and its address only pairs of them, so that a line of nothing but
# opening ones is read once, not once for each.
_INLINE = re.compile(
    r"!?\[([^\[\]\n]*+)\]\((?:[^()\n]++|\([^()\n]*+\))*+\)"
    r"|[`*]+|(?<!\w)_+|(?<!_)_++(?!\w)"
)


def parse_markdown(text: str, *, name: str) -> Document:
    """Document of the cleaned ``text``; one unit a line.

    The title is that of the YAML front matter, the first heading, or the file's stem.
    """
    lines = Lines(text)
    body, front_title = _front_matter(lines)
    headings = list(find_headings(lines, lines.starts, body=body))
    title = front_title or next((h.title for h in headings if h.title), PurePath(name).stem)
    return line_document(lines, title=title, headings=headings, kind="markdown")


def _front_matter(lines: Sequence[str]) -> tuple[int, str]:
    """First line after the YAML front matter (0 if there is none), and its title or ""."""
    if lines[0].rstrip() != "---":
        return 0, ""
    title = ""
    for i, line in islice(enumerate(lines), 1, None):
        if line.rstrip() in ("---", "..."):
            return i + 1, title
        if line.startswith("title:"):
            title = line.removeprefix("title:").strip(" \t").strip("\"'")
    return 0, ""  # never closed: it was a rule


def find_headings(
    lines: Sequence[str], starts: Sequence[int], *, body: int = 0
) -> Iterator[Heading]:
    """ATX and underlined headings outside fenced code, from line ``body`` on.

    ``starts`` are the offsets of ``lines``; of a last line without an offset nothing is read.
    """
    fence = ""
    paragraph = False  # whether the line before can be the text of an underlined heading
    for i in range(body, len(starts)):
        line = lines[i]
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
            continue
        if found and not (found[1][0] == "`" and "`" in found[2]):
            fence, paragraph = found[1], False
        elif found := _ATX.match(line):
            yield Heading(starts[i], len(found[1]), _plain(_unclosed(line[found.end() :])))
            paragraph = False
        elif paragraph and (found := _SETEXT.match(line)):
            yield Heading(starts[i - 1], 1 if found[1][0] == "=" else 2, _plain(lines[i - 1]))
            paragraph = False
        else:
            paragraph = bool(line.strip()) and not _NO_PARAGRAPH.match(line)


def _unclosed(title: str) -> str:
    """What follows the marks of a heading, without those that close it: ``a ##`` reads "a"."""
    title = title.strip(" \t")
    bare = title.rstrip("#")
    return bare if not bare or bare[-1] in " \t" else title


def _plain(title: str) -> str:
    """A heading without its inline markup: ``[a](b)`` and ``**a**`` read "a"."""
    return _INLINE.sub(lambda found: found[1] or "", title).strip()
