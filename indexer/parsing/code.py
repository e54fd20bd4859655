"""Source code: lines as units, classes and functions as sections, places where to cut.

Python is read with ``ast``; other languages by lines that look like definitions and by
indentation. Neither decides whether text exists: the text is the file, whatever happens.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from indexer.documents import Document, Section, line_starts
from indexer.parsing.definitions import UNTIL_NEXT, comment_starts, definition_pattern
from indexer.parsing.lines import line_coverage
from indexer.parsing.sections import distinct
from indexer.parsing.separators import soft_borders

_TAB = 4  # columns; only compared within a file, so any width does where tabs are consistent
# A line that begins so goes on with the definition above it, whatever its indentation.
_GOES_ON = re.compile(r"[{)\]>:,]|->|=>|- |(?:where|begin|as|is|then|do)\b")
_CLOSES = re.compile(
    r"\}|\)+\s*$|(?i:(?:end(?:if|for|while|do|function|module|class|task|package)?|esac|fi|done)\b)"
)
_LABEL = re.compile(r"(?:\w+:|case\b.*:|(?:public|private|protected|signals|Q_\w+).*:)\s*$")
_MAX_TITLE = 120  # characters
_MAX_LINE = 1000  # characters; a longer line was written by a program, and defines nothing


class _Definition(NamedTuple):
    title: str
    first: int  # line numbers from 0
    last: int  # exclusive
    level: int


def parse_code(text: str, *, name: str, language: str) -> Document:
    """Document of the cleaned source ``text``; one unit a line, the file name is the title.

    ``breaks`` stand before top-level definitions (with their comments and decorators),
    ``borders`` at line starts before statements and blocks. Python that does not parse is
    read like the other languages, and ``metadata["syntax"]`` says so.
    """
    starts = line_starts(text)
    lines = text.split("\n")[: len(starts)]
    metadata = {}
    definitions: list[_Definition] | None = None
    if language == "python":
        definitions = _python_definitions(text)
        if definitions is None:
            metadata["syntax"] = "not parsed"
    if definitions is None:
        definitions = list(_definitions_by_line(lines, language))
    marks = comment_starts(language)
    sections = tuple(_sections(definitions, lines, starts, len(text), marks))
    openings = [section.start for section in sections]
    return Document(
        text=text,
        kind="code",
        title=name,
        unit="line",
        unit_starts=starts,
        sections=sections,
        breaks=distinct((s.start for s in sections if s.level == 1), len(text)),
        borders=distinct([*openings, *soft_borders(text, language)], len(text)),
        language=language,
        metadata=metadata,
        coverage=line_coverage(text, starts),
    )


def _sections(
    definitions: Sequence[_Definition],
    lines: Sequence[str],
    starts: Sequence[int],
    end: int,
    marks: tuple[str, ...],
) -> Iterator[Section]:
    """Sections in text order, each beginning with the comments and decorators right above it."""
    ends = (*starts[1:], end)
    taken = 0  # comments above this line belong to the definition before
    for definition in sorted(definitions, key=lambda d: (d.first, d.level)):
        first = definition.first
        while first > taken and lines[first - 1].lstrip().startswith(marks):
            first -= 1
        taken = definition.first + 1
        yield Section(
            definition.title[:_MAX_TITLE],
            starts[first],
            ends[definition.last - 1],
            definition.level,
        )


def _python_definitions(text: str) -> list[_Definition] | None:
    """Classes and functions by ``ast``, or None if the text does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes are the author's business
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    found: list[_Definition] = []
    pending: list[tuple[ast.AST, int]] = [(tree, 1)]  # a list, not recursion: code nests deeply
    while pending:
        node, level = pending.pop()
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(line.lineno for line in node.decorator_list)])
            found.append(_Definition(node.name, first - 1, node.end_lineno or node.lineno, level))
            level += 1
        pending.extend(
            (child, level)
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case)
        )
    return found


class _Open(NamedTuple):
    title: str
    first: int
    indent: int


def _definitions_by_line(lines: Sequence[str], language: str) -> Iterator[_Definition]:
    """Definitions by the shape of lines; each lasts as long as its lines are indented deeper.

    The line that closes it ("}", "end") is its last. Comments and labels at the margin do
    not end it.
    """
    pattern = definition_pattern(language)
    if pattern is None:
        return
    marks = comment_starts(language)
    open_: list[_Open] = []
    last = 0  # after the last line that holds code
    for i, line in enumerate(lines):
        stripped = line.strip()
        if not stripped or (marks and stripped.startswith(marks)):
            continue
        if language in ("c", "cpp", "objectivec") and stripped.startswith("#"):
            continue  # the preprocessor knows no indentation
        indent = _width(line)
        match = pattern.match(line) if len(line) <= _MAX_LINE else None
        while open_ and indent <= open_[-1].indent and (match or language not in UNTIL_NEXT):
            top = open_[-1]
            closes = indent == top.indent and not match and _CLOSES.match(stripped)
            if not closes and not match and indent == top.indent and _goes_on(stripped):
                break
            open_.pop()
            yield _Definition(top.title, top.first, i + 1 if closes else last, len(open_) + 1)
            if closes:
                break
        last = i + 1
        if match:
            title = next(value for value in match.groups() if value).strip()
            if stripped.endswith(("}", ";")) and stripped.count("{") == stripped.count("}"):
                yield _Definition(title, i, i + 1, len(open_) + 1)  # all on one line
            else:
                open_.append(_Open(title, i, indent))
    while open_:
        top = open_.pop()
        yield _Definition(top.title, top.first, last, len(open_) + 1)


def _goes_on(stripped: str) -> bool:
    return bool(_GOES_ON.match(stripped) or _LABEL.match(stripped))


def _width(line: str) -> int:
    """Columns of white space before the first character."""
    margin = line[: len(line) - len(line.lstrip())].replace("\f", "")
    return len(margin.expandtabs(_TAB))
