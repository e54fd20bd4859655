"""Search one generation of an index: conditions -> signals -> fusion -> localisation -> hits."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer import analysis
from indexer.documents import Explanation, Hit, Passage, SignalScore, WordCount
from indexer.engines.base import VectorEngine
from indexer.query.language import Condition, Pattern, Query
from indexer.search import fusion, rerank, signals
from indexer.search.asked import NOTHING, Asked, QueryReader, telling_terms
from indexer.search.beside import beside
from indexer.search.facets import count_facets
from indexer.search.grep import GrepResult, grep
from indexer.search.masks import Masks, paths_meeting
from indexer.search.meaning import Meaning
from indexer.search.passages import term_counts
from indexer.search.places import Places
from indexer.search.results import SearchPage
from indexer.search.rows import RowCache
from indexer.search.snapshot import Snapshot
from indexer.store.tables import Tables
from lmk_encoder.crossencoder import cross_encoder
from lmk_encoder.types import DocumentEncoder

# Chosen on the development sets of docs/experiments.md, in the middle of a plateau.
WEIGHTS = {"places": 1.25, "document": 0.3, "text_places": 0.35, "text_document": 0.65}


@dataclass(frozen=True, slots=True)
class LandmarkHeat:
    """How well one landmark fits a query: its range, its units, cosine, and heat in [0, 1]."""

    start: int
    end: int
    first: int
    last: int
    score: float
    heat: float


@dataclass(frozen=True, slots=True)
class Request:
    """A query and how much of its answer is wanted. ``fusion`` is a name in fusion.METHODS."""

    query: Query
    k: int = 10
    offset: int = 0
    passages: int = 3
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    fusion: str = "z"
    facets: bool = False
    explain: bool = False
    like: "Like | None" = None
    rerank: str | None = None  # "landmarks", or the folder or name of a cross-encoder


@dataclass(frozen=True, slots=True)
class Like:
    """A document, or the part ``[start, end)`` of its text, to find others that resemble it."""

    doc_id: str
    place: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Documents in the order of their scores, each text once, and what the scores are made of."""

    order: NDArray[np.int64]
    scores: fusion.Scores  # (N,)
    found: Mapping[str, fusion.Scores]
    contributions: Mapping[str, fusion.Scores]
    weights: Mapping[str, float]


class Searcher:
    """Answers queries from a snapshot. For any number of threads at once."""

    def __init__(
        self,
        tables: Tables,
        snapshot: Snapshot,
        engine: VectorEngine,
        encoder: Callable[[], DocumentEncoder],
    ) -> None:
        """``encoder`` is called when a query has to be encoded: showing documents needs none."""
        self.snapshot = snapshot
        self.tables = tables
        self.engine = engine
        self._meaning = Meaning(snapshot, engine)
        self._reader = QueryReader(encoder)
        self._rows = RowCache(snapshot, tables)
        self._masks = Masks(snapshot, tables)
        texts = [document.text_hash for document in snapshot.documents]
        self._same: NDArray[np.int64] = np.unique(texts, return_inverse=True)[1].reshape(-1)

    def page(self, request: Request) -> SearchPage:
        """A page of the documents that meet the conditions, best first.

        Without words to rank by they come in the order of their paths. ValueError for a signal
        or a method that does not exist, KeyError for a document; QueryError if a condition
        takes too long to check.
        """
        _check(request)
        query = request.query
        if not (query.parts or request.like) or not self.snapshot.documents:
            return SearchPage(str(query), (), 0, request.offset, notes=query.notes)
        allowed = self._masks.allowed(query.conditions)
        if request.like is None:
            text = self._text(telling_terms(query.words), allowed)  # while the query is encoded
            asked = self._reader.read(query)
        else:
            i = self.snapshot.position[request.like.doc_id]
            allowed &= self._same != self._same[i]
            asked = self._resembling(i, request.like.place)
            text = self._text(asked.terms, allowed)
        places = self._places()
        ranking = self._ranking(asked, text, allowed, request, places)
        facets = {}
        if request.facets:
            documents = self.snapshot.documents
            facets = count_facets(documents, self._same, query.conditions, self._masks)
        hits = self._hits(asked, ranking, request, places)
        return SearchPage(
            query=str(query),
            hits=hits,
            total=len(ranking.order),
            offset=request.offset,
            facets=facets,
            notes=(*query.notes, *places.notes),
        )

    def grep(
        self, pattern: Pattern, conditions: Sequence[Condition], *, limit: int, timeout_s: float
    ) -> GrepResult:
        """Every match of a pattern in the documents that meet the conditions."""
        found = (self.snapshot, self.tables, self._masks, pattern, conditions)
        return grep(*found, limit=limit, timeout_s=timeout_s)

    def passages(self, query: Query, doc_id: str, limit: int) -> tuple[Passage, ...]:
        """The best places of one document. KeyError for an unknown one."""
        i = self.snapshot.position[doc_id]
        asked, places = self._reader.read(query), self._places()
        places.prepare(asked, [i])
        return places.passages(i, asked, limit)

    def heat(self, query: Query, doc_id: str) -> list[LandmarkHeat]:
        """Every landmark of a document with its heat. KeyError for an unknown document."""
        i = self.snapshot.position[doc_id]
        asked, places = self._reader.read(query), self._places()
        places.prepare(asked, [i])
        landmarks = places.landmarks(i)
        curve = places.curve(i, asked, places.exact_ranges(i, asked))
        heats = zip(
            landmarks.starts,
            landmarks.ends,
            landmarks.unit_first,
            landmarks.unit_last,
            places.cosines(i, asked).tolist(),
            np.clip(curve, 0, 1).tolist(),
            strict=True,
        )
        return [LandmarkHeat(*heat) for heat in heats]

    def _places(self) -> Places:
        """For one question: what it loads stays as long as it is answered."""
        return Places(self.snapshot, self._rows, self._reader)

    def _resembling(self, i: int, place: tuple[int, int] | None) -> Asked:
        """What a document, or a place in it, would ask for."""
        vector, text = self.snapshot.document_vectors[i], ""
        if place is not None:
            places = self._places()
            places.prepare(NOTHING, [i])
            vector, text = places.content(i, place)
        terms = telling_terms(text)
        return Asked(text=text, terms=terms, marked=frozenset(), exact=(), vector=vector)

    # -- ranking ---------------------------------------------------------------------------

    def _text(
        self, terms: Sequence[str], allowed: NDArray[np.bool_]
    ) -> dict[str, Future[fusion.Scores]]:
        """The signals of full text, on their way."""
        among = None if allowed.all() else allowed
        asked = (self.snapshot, self.tables, terms, among)
        return {
            "text_places": beside(signals.text_places, *asked),
            "text_document": beside(signals.text_documents, *asked),
        }

    def _ranking(
        self,
        asked: Asked,
        text: Mapping[str, Future[fusion.Scores]],
        allowed: NDArray[np.bool_],
        request: Request,
        places: Places,
    ) -> _Ranking:
        left = np.flatnonzero(allowed)
        if asked.vector is None:
            conditions = request.query.conditions
            paths = [paths_meeting(self.snapshot.documents[i], conditions)[0] for i in left]
            order = left[np.argsort(paths, kind="stable")] if len(left) else left
            nothing = np.zeros(len(allowed))
            return _Ranking(self._distinct(order), nothing, {}, {}, {})
        among = None if allowed.all() else allowed
        meaning = self._meaning.scores(asked.vector, text.values(), allowed=among)
        found = {name: scores.result() for name, scores in text.items()} | meaning
        parts = fusion.contributions(found, request.weights, request.fusion)
        scores: fusion.Scores = sum(parts.values(), np.zeros(len(allowed)))
        # Equal scores are broken by document id (the order of the snapshot): runs repeat.
        order = left[fusion.best_first(scores[left])]
        ranking = _Ranking(self._distinct(order), scores, found, parts, request.weights)
        if request.rerank is None or not asked.text or not len(order):
            return ranking
        return self._reranked(asked, ranking, request.rerank, places)

    def _reranked(self, asked: Asked, ranking: _Ranking, name: str, places: Places) -> _Ranking:
        """The first documents in the order of a second look at them; the others behind."""
        first = ranking.order[: rerank.DEPTH]
        by_landmarks = name == rerank.LANDMARKS
        look = self._by_landmarks if by_landmarks else partial(self._by_reading, name, places)
        values = np.array([look(asked, int(i)) for i in first])
        weight = rerank.WEIGHTS[name if by_landmarks else "cross-encoder"]
        seen = np.full(len(ranking.scores), values.min())
        gain = np.zeros(len(ranking.scores))
        seen[first], gain[first] = values, rerank.gains(values.tolist(), weight)
        scores = ranking.scores + gain
        first = first[np.argsort(-scores[first], kind="stable")]
        return _Ranking(
            order=np.concatenate([first, ranking.order[rerank.DEPTH :]]),
            scores=scores,
            found={**ranking.found, "rerank": seen},
            contributions={**ranking.contributions, "rerank": gain},
            weights={**ranking.weights, "rerank": weight},
        )

    def _by_landmarks(self, asked: Asked, i: int) -> float:
        parts = rerank.pieces(asked.text)
        encoded = self._reader.encode(set(parts))
        vectors = np.stack([encoded[part] for part in parts])
        assert asked.vector is not None
        own = self.snapshot.landmark_vectors[slice(*self.snapshot.offsets[i : i + 2])]
        return rerank.max_similarity(own, asked.vector[None], vectors)

    def _by_reading(self, name: str, places: Places, asked: Asked, i: int) -> float:
        places.prepare(asked, [i])
        passages = places.passages(i, asked, limit=3)
        scores = cross_encoder(name).score(asked.text, [p.text for p in passages])
        return float(scores.max(initial=-1e3))

    def _distinct(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """``order`` with the first of documents of the same words only."""
        same = self._same[order]
        first = np.empty(len(self._same), dtype=np.int64)
        first[same[::-1]] = np.arange(len(same))[::-1]  # what is written last stays
        return np.asarray(order[first[same] == np.arange(len(same))])

    # -- hits ------------------------------------------------------------------------------

    def _hits(
        self, asked: Asked, ranking: _Ranking, request: Request, places: Places
    ) -> tuple[Hit, ...]:
        shown = [int(i) for i in ranking.order[request.offset : request.offset + request.k]]
        places.prepare(asked, shown)
        return tuple(
            self._hit(rank, i, asked, ranking, request, places)
            for rank, i in enumerate(shown, start=request.offset + 1)
        )

    def _hit(
        self,
        rank: int,
        i: int,
        asked: Asked,
        ranking: _Ranking,
        request: Request,
        places: Places,
    ) -> Hit:
        entry = self.snapshot.documents[i]
        path = paths_meeting(entry, request.query.conditions)[0]
        return Hit(
            rank=rank,
            doc_id=entry.doc_id,
            path=path,
            paths=entry.paths,
            title=replace(entry, paths=(path,)).name,
            kind=entry.kind,
            score=float(ranking.scores[i]),
            passages=places.passages(i, asked, request.passages),
            duplicates=self._duplicates(i),
            explanation=self._explanation(i, asked, ranking, places) if request.explain else None,
        )

    def _duplicates(self, i: int) -> tuple[str, ...]:
        documents, others = self.snapshot.documents, np.flatnonzero(self._same == self._same[i])
        return tuple(sorted(path for j in others if j != i for path in documents[j].paths))

    def _explanation(self, i: int, asked: Asked, ranking: _Ranking, places: Places) -> Explanation:
        scores = tuple(
            SignalScore(
                name=name,
                value=float(ranking.found[name][i]),
                rank=int((ranking.found[name] > ranking.found[name][i]).sum()) + 1,
                weight=ranking.weights[name],
                contribution=float(part[i]),
            )
            for name, part in ranking.contributions.items()
        )
        held = term_counts(places.landmarks(i).terms, asked.terms)
        spelt = _spelt(asked)
        words = tuple(
            WordCount(spelt[term], int(np.count_nonzero(count)))
            for term, count in zip(asked.terms, held, strict=True)
        )
        return Explanation(scores, words)


def _spelt(asked: Asked) -> dict[str, str]:
    """The terms of a query as they stand in it; the first of several spellings."""
    found: dict[str, str] = {}
    for term in analysis.iter_terms(asked.text):
        found.setdefault(term.text, asked.text[term.start : term.end])
    return found


def _check(request: Request) -> None:
    _known("signal", request.weights, WEIGHTS)
    _known("way of fusion", [request.fusion], fusion.METHODS)
    if request.rerank not in (None, rerank.LANDMARKS):
        cross_encoder(request.rerank)  # an error comes also where nothing is reranked


def _known(what: str, names: Any, there: Sequence[str] | Mapping[str, Any]) -> None:
    for name in names:
        if name not in there:
            raise ValueError(f"no {what} {name!r}: there are {', '.join(there)}")
