"""Text without markup of its own; a line underlined in its whole length is a title."""

from indexer.documents import Document, line_starts
from indexer.parsing.lines import line_document
from indexer.parsing.restructuredtext import find_headings


def parse_plain(text: str, *, name: str) -> Document:
    """Document of the cleaned ``text``, titled as the file; one unit a line."""
    headings = find_headings(text.split("\n"), line_starts(text), exact=True)
    return line_document(text, title=name, headings=headings)
