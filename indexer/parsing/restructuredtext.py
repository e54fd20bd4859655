"""reStructuredText: titles become sections; the text stays as it stands in the file.

docutils finds the same titles (docs/experiments.md), in fifty times the time, but takes a title of
an unexpected level and every directive of Sphinx for an error.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from indexer.documents import Document
from indexer.parsing.lines import Lines, line_document
from indexer.parsing.sections import Heading

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*\Z")
_LONGEST_TITLE = 500  # characters; a longer line is text
_SURE_RULE = 4  # characters: from here on a line may be shorter than the title it underlines
_SHORTEST_EXACT = 3
# What stands at the left margin and is no paragraph: lists, fields, options, quoted lines,
# directives, targets, grid tables.
_NO_TITLE = re.compile(
    r"(?:[-*+•‣⁃|]|:[^:`\n]+:|\.\.|__)(?:[ \t]|\Z)|(?:--?|/)\w[^\n]* {2}|>>>|\+[-=+]+\+"
)
_ROLE = re.compile(r":[\w.+:-]+:(?=`)")
_LINKED = re.compile(r"`([^`<]+?)\s*<[^`>]*>`_{0,2}")  # `words <address>`_
_TICKED = re.compile(r"(``?)([^`]+)\1_{0,2}")
_STRESSED = re.compile(r"(?<!\w)(\*\*?)(\S(?:[^*]*\S)?)\1(?!\w)")
_ESCAPED = re.compile(r"\\(.)")


def parse_restructuredtext(text: str, *, name: str) -> Document:
    """Document of the cleaned ``text``; its title is the first one in it, or the file's name."""
    lines = Lines(text)
    headings = list(find_headings(lines, lines.starts))
    title = next((heading.title for heading in headings if heading.title), name)
    return line_document(lines, title=title, headings=headings)


def find_headings(
    lines: Sequence[str], starts: Sequence[int], *, exact: bool = False
) -> Iterator[Heading]:
    """Titles with a line of punctuation below, or below and above.

    The level of a style is the order in which styles appear. ``starts`` are the offsets of
    ``lines``; of a last line without an offset nothing is read. ``exact``: only lines of three
    characters or more, as long as the title, as in texts that are no reStructuredText.

    Example: ``Title``, ``=====`` at the offsets 0 and 6 give Heading(0, 1, "Title").
    """
    styles: list[tuple[str, bool]] = []
    i, free = 0, True  # whether a title may stand here: no paragraph goes on
    while i < len(starts):
        line = lines[i]
        over = _RULE.match(line)
        at = i + 1 if over else i  # where the title would stand
        under = _RULE.match(lines[at + 1]) if at + 1 < len(starts) else None
        if free and under and _is_title(lines[at], under, over, exact=exact):
            style = (under[1], over is not None)
            if style not in styles:
                styles.append(style)
            yield Heading(starts[i], styles.index(style) + 1, _plain(lines[at]))
            i = at + 2
        else:
            free = bool(over or line[:1] in ("", " ", "\t") or _NO_TITLE.match(line))
            i += 1


def _is_title(title: str, under: re.Match[str], over: re.Match[str] | None, *, exact: bool) -> bool:
    if not title.strip() or len(title) > _LONGEST_TITLE or _RULE.match(title):
        return False
    rule, width = under[0].rstrip(), _width(title)
    if exact and (len(rule) < _SHORTEST_EXACT or len(rule) != width):
        return False
    if over:  # such a title may be indented, and look like the item of a list
        return over[0].rstrip() == rule and width <= max(len(rule), _SURE_RULE)
    wide_enough = len(rule) >= min(width, _SURE_RULE)
    return title[0] not in " \t" and wide_enough and not _NO_TITLE.match(title)


def _width(title: str) -> int:
    """Columns that ``title`` takes; Chinese, Japanese and Korean letters take two."""
    return sum(
        2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in title.rstrip()
        if not unicodedata.combining(letter)
    )


def _plain(title: str) -> str:
    """A title without its inline markup: ``:mod:`os` --- *more*`` reads "os --- more"."""
    title = _LINKED.sub(r"\1", _ROLE.sub("", title))
    title = _STRESSED.sub(r"\2", _TICKED.sub(r"\2", title))
    return _ESCAPED.sub(r"\1", title).strip()
