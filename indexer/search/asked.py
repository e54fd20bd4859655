"""A query as the engines take it: terms, vector, and what is looked for exactly."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from indexer import analysis
from indexer.query.exact import Exact
from indexer.query.language import Query
from indexer.search.recent import Recent
from lmk_encoder.types import DocumentEncoder, FloatVector

_CACHED_QUERIES = 256  # one search needs its query, and at most one variant a document
MAX_TERMS = 128  # of a pasted page: its longest words say what it is about


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for. ``vector`` is None where nothing is said that could be encoded.

    ``terms`` rank and locate; those in ``marked`` are shown where they stand, and so are the
    places of ``exact``.
    """

    text: str
    terms: tuple[str, ...]
    marked: frozenset[str]
    exact: tuple[Exact, ...]
    vector: FloatVector | None

    @property
    def is_empty(self) -> bool:
        """Whether no place in a document is better than another."""
        return self.vector is None and not self.exact


NOTHING = Asked(text="", terms=(), marked=frozenset(), exact=(), vector=None)


class QueryReader:
    """Encodes queries and their variants, each once. For any number of threads."""

    def __init__(self, encoder: Callable[[], DocumentEncoder]) -> None:
        """``encoder`` is called when a query has to be encoded: showing documents needs none."""
        self._encoder = encoder
        self._vectors: Recent[str, FloatVector] = Recent(_CACHED_QUERIES)

    def read(self, query: Query) -> Asked:
        """What a query looks for."""
        text = query.words
        return Asked(
            text=text,
            terms=telling_terms(text),
            marked=analysis.marked_terms(query.loose_words),
            exact=query.exact,
            vector=self.vector(text) if text.strip() else None,
        )

    def vector(self, text: str) -> FloatVector:
        """(D,) of unit length, of a text that is not blank."""
        return self.encode({text})[text]

    def encode(self, texts: Collection[str]) -> dict[str, FloatVector]:
        """Vectors by text; what is not known yet in one batch. No text may be blank."""
        found = self._vectors.known(texts)
        missing = sorted(set(texts) - found.keys())
        if missing:
            fresh = dict(zip(missing, self._encoder().encode_query(missing), strict=True))
            self._vectors.keep(fresh)
            found |= fresh
        return found


def telling_terms(text: str) -> tuple[str, ...]:
    """The terms of a query in order; of a very long one, those of its longest words."""
    terms = analysis.query_terms(text)
    if len(terms) <= MAX_TERMS:
        return terms
    longest = set(sorted(terms, key=lambda term: -len(term))[:MAX_TERMS])
    return tuple(term for term in terms if term in longest)
