"""Text without markup of its own; a line underlined in its whole length is a title."""

from indexer.documents import Document
from indexer.parsing.lines import Lines, line_document
from indexer.parsing.restructuredtext import find_headings


def parse_plain(text: str, *, name: str) -> Document:
    """Document of the cleaned ``text``, titled as the file; one unit a line."""
    lines = Lines(text)
    headings = find_headings(lines, lines.starts, exact=True)
    return line_document(lines, title=name, headings=headings)
