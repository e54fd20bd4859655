"""A page of results, and what stands beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from indexer.documents import Hit

FacetName = str  # "type", "folder", "language", "year"


@dataclass(frozen=True, slots=True)
class FacetCount:
    """How many of the results have a value. ``condition``, such as ``type:pdf``, is what keeps
    only those: a folder's beside all other conditions, any other in place of its kind's."""

    value: str
    count: int
    condition: str


@dataclass(frozen=True, slots=True)
class SearchPage:
    """``hits`` are results ``offset + 1`` to ``offset + len(hits)`` of ``total``.

    Every document that meets the conditions of the query is a result; what it says decides its
    rank. ``notes`` tell a person what was taken otherwise than it may have been meant.
    """

    query: str  # as it was understood, in its written form
    hits: tuple[Hit, ...]
    total: int
    offset: int = 0
    facets: Mapping[FacetName, tuple[FacetCount, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
