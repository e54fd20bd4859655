"""A Document whose text is the file's, line for line; a format only adds what it knows of it."""

from collections.abc import Iterable, Mapping

from indexer.documents import Coverage, Document, Kind, line_starts
from indexer.parsing.language import detect_language
from indexer.parsing.sections import Heading, distinct, nest


def line_document(
    text: str,
    *,
    title: str,
    headings: Iterable[Heading] = (),
    borders: tuple[int, ...] = (),
    kind: Kind = "text",
    metadata: Mapping[str, str] | None = None,
) -> Document:
    """Document of the cleaned ``text``; one unit a line, and a section from each heading on."""
    starts = line_starts(text)
    headings = list(headings)
    return Document(
        text=text,
        kind=kind,
        title=title,
        unit="line",
        unit_starts=starts,
        sections=nest(headings, len(text)),
        breaks=distinct((heading.start for heading in headings), len(text)),
        borders=borders,
        language=detect_language(text),
        metadata=metadata or {},
        coverage=line_coverage(text, starts),
    )


def line_coverage(text: str, starts: tuple[int, ...]) -> Coverage:
    """Coverage of a text whose units are lines: all are read, some are blank."""
    with_text = sum(1 for line in text.split("\n") if line.strip())
    return Coverage(units=len(starts), with_text=with_text, blank=len(starts) - with_text)
