"""Text files without markup of their own. reStructuredText and LaTeX headings become sections."""

import re
from collections.abc import Iterator
from pathlib import PurePath

from indexer.documents import Coverage, Document, line_starts
from indexer.parsing.language import detect_language
from indexer.parsing.sections import Heading, distinct, nest

_LATEX = re.compile(
    r"^[ \t]*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?"
    r"(?:\[[^]\n]*\])?\{([^\n]*?)\}",
    re.MULTILINE,
)
_LATEX_LEVELS = {
    name: level
    for level, name in enumerate(
        ("part", "chapter", "section", "subsection", "subsubsection", "paragraph"), start=1
    )
}
_LATEX_TITLE = re.compile(r"^[ \t]*\\title(?:\[[^]\n]*\])?\{([^\n]*?)\}", re.MULTILINE)
_RST_RULE = re.compile(r"([=\-`:.'\"~^_*+#<>])\1{2,}[ \t]*\Z")


def parse_plain(text: str, *, name: str) -> Document:
    """Document of the cleaned ``text``; one unit a line, the text as it stands.

    The title is LaTeX's ``\\title``, reStructuredText's first heading, or the file name.
    """
    suffix = PurePath(name).suffix.lower()
    starts = line_starts(text)
    title, headings = name, list[Heading]()
    if suffix in (".tex", ".ltx"):
        headings = list(_latex_headings(text))
        named = _LATEX_TITLE.search(text)
        title = named[1] if named else name
    elif suffix == ".rst":
        headings = list(_rst_headings(text, starts))
        title = headings[0].title if headings else name
    return Document(
        text=text,
        kind="text",
        title=title or name,
        unit="line",
        unit_starts=starts,
        sections=nest(headings, len(text)),
        breaks=distinct((heading.start for heading in headings), len(text)),
        language=detect_language(text),
        coverage=line_coverage(text, starts),
    )


def line_coverage(text: str, starts: tuple[int, ...]) -> Coverage:
    """Coverage of a text whose units are lines: all are read, some are blank."""
    with_text = sum(1 for line in text.split("\n") if line.strip())
    return Coverage(units=len(starts), with_text=with_text, blank=len(starts) - with_text)


def _latex_headings(text: str) -> Iterator[Heading]:
    for found in _LATEX.finditer(text):
        yield Heading(found.start(), _LATEX_LEVELS[found[1]], found[2].strip())


def _rst_headings(text: str, starts: tuple[int, ...]) -> Iterator[Heading]:
    """Titles with a line of punctuation below, or below and above.

    The level of a style is the order in which styles appear, as reStructuredText has it.
    """
    lines = text.split("\n")
    styles: list[tuple[str, bool]] = []
    for i in range(1, min(len(lines), len(starts))):
        title, rule = lines[i - 1], _RST_RULE.match(lines[i])
        if not rule or not title.strip() or _RST_RULE.match(title):
            continue
        above = i >= 2 and lines[i - 2].rstrip() == lines[i].rstrip()
        if len(lines[i].rstrip()) < len(title.rstrip()) or (title[0] in " \t" and not above):
            continue
        style = (rule[1], above)
        if style not in styles:
            styles.append(style)
        start = starts[i - 2] if above else starts[i - 1]
        yield Heading(start, styles.index(style) + 1, title.strip())
