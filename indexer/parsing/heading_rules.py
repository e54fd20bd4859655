"""AsciiDoc, Org and manual pages: formats whose headings a pattern tells, in one table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from indexer.documents import Document
from indexer.parsing import restructuredtext
from indexer.parsing.lines import Lines, line_document
from indexer.parsing.sections import Heading

RuledFormat = Literal["asciidoc", "org", "man"]
_LONGEST_LINE = 500  # characters; a longer one is no heading
_NEVER = re.compile("(?!)")


@dataclass(frozen=True, slots=True)
class HeadingRules:
    """What a line of a format says.

    ``heading`` has the groups ``mark`` and ``title``; without a title, the next line is it. The
    level is that of ``levels``, else the length of the mark. ``title`` is the document's own.
    A line that matches ``fence`` hides all up to the next with the same first group. ``markup``
    is taken out of titles; what its groups hold stays.
    """

    heading: re.Pattern[str]
    title: re.Pattern[str]
    markup: re.Pattern[str]
    fence: re.Pattern[str] = _NEVER
    levels: Mapping[str, int] = field(default_factory=dict)


RULES: Mapping[RuledFormat, HeadingRules] = {
    "asciidoc": HeadingRules(
        heading=re.compile(r"(?P<mark>={1,6})[ \t]+(?P<title>\S.*?)(?:[ \t]+=+)?[ \t]*\Z"),
        title=re.compile(r":title:[ \t]+(.+)"),
        markup=re.compile(
            r"\[\[[^]]*\]\]|[`*]+|(?<!\w)_+|_+(?!\w)|(?:link|xref):[^\s[]*\[([^]]*)\]"
        ),
        fence=re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|```)\S*[ \t]*\Z"),
    ),
    "org": HeadingRules(
        heading=re.compile(
            r"(?P<mark>\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#\w\][ \t]*)?"
            r"(?P<title>\S.*?)(?:[ \t]+:[\w@#%:]+:)?[ \t]*\Z"
        ),
        title=re.compile(r"#\+title:[ \t]*(.+)", re.IGNORECASE),
        markup=re.compile(r"\[\[[^]]*\]\[([^]]*)\]\]|(?<!\w)[*~=]+(?=\w)|(?<=\w)[*~=]+(?!\w)"),
    ),
    "man": HeadingRules(
        heading=re.compile(r"[.'][ \t]*(?P<mark>S[HhSs])(?:[ \t]+(?P<title>.*))?\Z"),
        title=re.compile(r"[.'][ \t]*(?:TH|Dt)[ \t]+(.+)"),
        markup=re.compile(
            r'\\f(?:\w|\[\w*\]|\(\w\w)|\\s[-+]?\d|\\[&/,]|"|\\(-)|\\\(..|\\\[[^]]*\]|\\'
        ),
        levels={"SH": 1, "Sh": 1, "SS": 2, "Ss": 2},
    ),
}


def parse_ruled(text: str, *, name: str, format_: RuledFormat) -> Document:
    """Document of the cleaned ``text`` in ``format_``.

    The title is the one that the file names, the first heading, or the file's name.
    """
    rules, lines = RULES[format_], Lines(text)
    headings = list(find_headings(lines, lines.starts, rules))
    if not headings and format_ == "asciidoc":  # titles may be underlined instead
        headings = list(restructuredtext.find_headings(lines, lines.starts))
    title = _named_title(lines, rules, format_) or next((h.title for h in headings), name)
    return line_document(lines, title=title, headings=headings)


def find_headings(
    lines: Sequence[str], starts: Sequence[int], rules: HeadingRules
) -> Iterator[Heading]:
    """Headings outside of blocks of code; ``starts`` are the offsets of ``lines``."""
    fence = ""
    for i in range(len(starts)):
        line = lines[i][:_LONGEST_LINE]
        if found := rules.fence.match(line):
            if fence in ("", found[1]):
                fence = "" if fence else found[1]
        elif not fence and (found := rules.heading.match(line)):
            following = lines[i + 1][:_LONGEST_LINE] if i + 1 < len(lines) else ""
            title = _plain(found["title"] or following, rules)
            mark = found["mark"]
            yield Heading(starts[i], rules.levels.get(mark, len(mark)), title)


def _named_title(lines: Sequence[str], rules: HeadingRules, format_: RuledFormat) -> str:
    """The title that a line of the file gives to it, or ""."""
    starts = (line[:_LONGEST_LINE] for line in lines)
    found = next((found for start in starts if (found := rules.title.match(start))), None)
    if found is None:
        return ""
    title = _plain(found[1], rules)
    if format_ == "man":  # ".TH ls 1 2023-02-05" is called "ls(1)"
        name, *rest = title.split()[:2] or [""]
        return f"{name}({rest[0]})" if rest else name
    return title


def _plain(title: str, rules: HeadingRules) -> str:
    return rules.markup.sub(lambda found: "".join(filter(None, found.groups())), title).strip()
