"""A Document whose text is the file's, line for line; a format only adds what it knows of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import overload

from indexer.documents import Coverage, Document, Kind, line_starts
from indexer.parsing.language import detect_language
from indexer.parsing.sections import Heading, distinct, nest

_SPOKEN_LINE = re.compile(r"\S[^\n]*")


class Lines(Sequence[str]):
    """The lines of a text without their ends, each cut out when it is asked for.

    A list of them takes several times the memory of a text of short lines. ``starts`` are the
    offsets of all lines, as ``line_starts`` counts them.
    """

    def __init__(self, text: str) -> None:
        self.text, self.starts = text, line_starts(text)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        start = self.starts[index]  # also what ends an iteration: an IndexError
        end = self.text.find("\n", start)
        return self.text[start:] if end == -1 else self.text[start:end]


def line_document(
    lines: Lines,
    *,
    title: str,
    headings: Iterable[Heading] = (),
    borders: tuple[int, ...] = (),
    kind: Kind = "text",
    metadata: Mapping[str, str] | None = None,
) -> Document:
    """Document of ``lines`` of a cleaned text; one unit a line, a section from each heading on."""
    text = lines.text
    headings = list(headings)
    return Document(
        text=text,
        kind=kind,
        title=title,
        unit="line",
        unit_starts=lines.starts,
        sections=nest(headings, len(text)),
        breaks=distinct((heading.start for heading in headings), len(text)),
        borders=borders,
        language=detect_language(text),
        metadata=metadata or {},
        coverage=line_coverage(lines),
    )


def line_coverage(lines: Lines) -> Coverage:
    """Coverage of a text whose units are lines: all are read, some are blank."""
    with_text = sum(1 for _ in _SPOKEN_LINE.finditer(lines.text))
    return Coverage(units=len(lines), with_text=with_text, blank=len(lines) - with_text)
