"""Files become documents, documents become rows, a query becomes hits.

The public names are loaded when they are first used, so that ``import indexer`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

import lmk_encoder  # noqa: F401  (says how numpy and torch wait, before either is loaded)

if TYPE_CHECKING:
    from indexer.api import DocumentIndex
    from indexer.config import Settings
    from indexer.documents import Document, Explanation, FileRecord, Hit, Passage, Section
    from indexer.ingest.report import IngestProgress, IngestReport
    from indexer.query.filters import Filters
    from indexer.search.context import ContextBlock
    from indexer.search.grep import GrepMatch, GrepResult
    from indexer.search.pages import PageImage
    from indexer.search.results import FacetCount, SearchPage
    from indexer.search.searcher import LandmarkHeat
    from indexer.store.documents import StoredDocument
    from indexer.store.status import Status
    from lmk_encoder.errors import LmkError

_HOMES = {
    "ContextBlock": "indexer.search.context",
    "Document": "indexer.documents",
    "DocumentIndex": "indexer.api",
    "Explanation": "indexer.documents",
    "FacetCount": "indexer.search.results",
    "FileRecord": "indexer.documents",
    "Filters": "indexer.query.filters",
    "GrepMatch": "indexer.search.grep",
    "GrepResult": "indexer.search.grep",
    "Hit": "indexer.documents",
    "IngestProgress": "indexer.ingest.report",
    "IngestReport": "indexer.ingest.report",
    "LandmarkHeat": "indexer.search.searcher",
    "LmkError": "lmk_encoder.errors",
    "PageImage": "indexer.search.pages",
    "Passage": "indexer.documents",
    "SearchPage": "indexer.search.results",
    "Section": "indexer.documents",
    "Settings": "indexer.config",
    "Status": "indexer.store.status",
    "StoredDocument": "indexer.store.documents",
}

__all__ = [
    "ContextBlock",
    "Document",
    "DocumentIndex",
    "Explanation",
    "FacetCount",
    "FileRecord",
    "Filters",
    "GrepMatch",
    "GrepResult",
    "Hit",
    "IngestProgress",
    "IngestReport",
    "LandmarkHeat",
    "LmkError",
    "PageImage",
    "Passage",
    "SearchPage",
    "Section",
    "Settings",
    "Status",
    "StoredDocument",
]


def __getattr__(name: str) -> object:
    """Load a public name from its module (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
