"""Source code: lines as units, classes and functions as sections, places where to cut.

Definitions come from a syntax tree where there is a grammar for the language, else from lines
that look like them. Neither decides whether text exists: the text is the file, whatever happens.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from indexer.documents import Document, Section
from indexer.parsing.definitions import MAX_LINE, definitions_by_line
from indexer.parsing.grammars import grammar_of
from indexer.parsing.lines import Lines, line_coverage
from indexer.parsing.sections import Definition, distinct
from indexer.parsing.separators import soft_borders

_MAX_TITLE = 120  # characters


class _Nested(NamedTuple):
    section: Section
    is_outer: bool  # only modules are around it


def parse_code(text: str, *, name: str, language: str) -> Document:
    """Document of the cleaned source ``text``; one unit a line, the file name is the title.

    ``breaks`` stand before outer definitions (with their comments and decorators), ``definitions``
    before and after all of them, ``borders`` at line starts before statements and blocks.
    ``metadata["syntax"]`` says so where there is a grammar and the text is too much for it; then
    there are no sections.
    """
    lines = Lines(text)
    starts = lines.starts
    metadata = {}
    definitions: list[Definition] | None
    if grammar := grammar_of(language, name):
        from indexer.parsing.syntax import find_definitions

        definitions = find_definitions(text, grammar)
        if definitions is None:
            metadata["syntax"] = "not parsed"
    else:
        definitions = definitions_by_line(lines, starts, len(text), language)
    nested = list(_nested(_whole_lines(definitions or (), starts, len(text))))
    sections = tuple(found.section for found in nested)
    return Document(
        text=text,
        kind="code",
        title=name,
        unit="line",
        unit_starts=starts,
        sections=sections,
        breaks=distinct((found.section.start for found in nested if found.is_outer), len(text)),
        borders=distinct(soft_borders(text, language), len(text)),
        definitions=distinct((edge for s in sections for edge in (s.start, s.end)), len(text)),
        language=language,
        metadata=metadata,
        coverage=line_coverage(lines),
    )


def _whole_lines(
    definitions: Iterable[Definition], starts: Sequence[int], end: int
) -> list[Definition]:
    """Definitions, outer before inner, widened to the lines they stand on."""
    edges = (*starts, end)
    whole: list[Definition] = []
    for definition in definitions:
        first = bisect_right(starts, definition.start) - 1
        last = bisect_right(starts, max(definition.end - 1, definition.start))
        if edges[first + 1] - edges[first] <= MAX_LINE:
            whole.append(definition._replace(start=edges[first], end=edges[last]))
    return sorted(whole, key=lambda definition: (definition.start, -definition.end))


def _nested(definitions: Iterable[Definition]) -> Iterator[_Nested]:
    """Sections with their levels: a definition is one deeper than that which holds it."""
    around: list[Definition] = []
    for definition in definitions:
        while around and definition.start >= around[-1].end:
            around.pop()
        around.append(definition)
        yield _Nested(
            Section(definition.name[:_MAX_TITLE], definition.start, definition.end, len(around)),
            is_outer=all(holder.kind == "module" for holder in around[:-1]),
        )
