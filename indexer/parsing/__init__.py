"""Files in, Documents out.

Enters: a path. Leaves: an ``indexer.documents.Document`` in NFC with ``\\n`` line ends, or a
``ParseError`` that says what was wrong and what to do. A file is hostile until parsed:
``ParserPool`` reads each in a worker process with a time and a memory limit.
"""

from typing import TYPE_CHECKING

from indexer.parsing.version import PARSER_VERSION

if TYPE_CHECKING:
    from indexer.parsing.dispatch import parse
    from indexer.parsing.pdf_view import RenderedPage, render_page
    from indexer.parsing.pool import ParserPool

__all__ = ["PARSER_VERSION", "ParserPool", "RenderedPage", "parse", "render_page"]

_HOMES = {
    "ParserPool": "indexer.parsing.pool",
    "RenderedPage": "indexer.parsing.pdf_view",
    "parse": "indexer.parsing.dispatch",
    "render_page": "indexer.parsing.pdf_view",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for, so that ``--help`` pays for none."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
