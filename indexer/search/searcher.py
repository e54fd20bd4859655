"""Search one generation of an index: signals -> fusion -> localisation -> hits."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer import analysis
from indexer.documents import Hit, Kind, Passage, Section, section_path, units_of
from indexer.search import fusion, localise, signals
from indexer.search.snapshot import Snapshot
from indexer.store.tables import Tables
from lmk_encoder.types import DocumentEncoder, FloatMatrix, FloatVector

_CACHED_DOCUMENTS = 64
_CACHED_QUERIES = 256  # one search needs its query, and at most one variant a document
# Chosen on the development sets of docs/experiments.md, in the middle of a plateau.
WEIGHTS = {"places": 1.0, "document": 0.3, "text_places": 0.35, "text_document": 0.65}


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
class _Landmarks:
    """The landmarks of one document, in order.

    ``terms`` and ``headings`` are the terms of each text, and of the titles of the sections
    around it, between spaces: " pump valv ".
    """

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    unit_first: tuple[int, ...]
    unit_last: tuple[int, ...]
    texts: tuple[str, ...]
    terms: tuple[str, ...]
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Query:
    """A query as the engines take it: its words, its terms, its vector."""

    text: str
    terms: tuple[str, ...]
    vector: FloatVector


class Searcher:
    """Answers queries from a snapshot. Not for two threads at once."""

    def __init__(
        self, tables: Tables, snapshot: Snapshot, encoder: Callable[[], DocumentEncoder]
    ) -> None:
        """``encoder`` is called when a query has to be encoded: showing documents needs none."""
        self.snapshot = snapshot
        self.tables = tables
        self._encoder = encoder
        self._twins: dict[str, set[str]] = defaultdict(set)  # text hash -> paths
        for entry in snapshot.documents:
            self._twins[entry.text_hash].update(entry.paths)
        self._landmarks: OrderedDict[str, _Landmarks] = OrderedDict()
        self._rows: dict[str, dict[str, Any]] = {}
        self._vectors: OrderedDict[str, FloatVector] = OrderedDict()

    def search(
        self, query: str, k: int, passages: int, weights: Mapping[str, float] | None = None
    ) -> list[Hit]:
        """The best ``k`` documents, best first, each with up to ``passages`` passages.

        ``weights`` of the signals are those of WEIGHTS unless given. ValueError for a signal
        that is not among them.
        """
        weights = WEIGHTS if weights is None else weights
        if unknown := weights.keys() - WEIGHTS.keys():
            raise ValueError(f"no signal {min(unknown)!r}: there are {', '.join(WEIGHTS)}")
        if not query.strip() or not self.snapshot.documents:
            return []
        asked = self._read(query)
        scores = self.document_scores(asked.vector, asked.terms, weights)
        # Equal scores are broken by document id (the order of the snapshot): runs repeat.
        order = self._distinct(np.argsort(-scores, kind="stable").tolist(), k)
        self._load([self.snapshot.documents[i].doc_id for i in order])
        self._encode({query, *(self._within(asked, i) for i in order)} - {""})
        return [
            self._hit(rank, i, float(scores[i]), asked, passages)
            for rank, i in enumerate(order, start=1)
        ]

    def _distinct(self, order: Sequence[int], k: int) -> list[int]:
        """The first ``k`` of ``order``, of near-duplicates only the best one."""
        first: dict[str, int] = {}  # text hash -> the one that is shown
        for i in order:
            if len(first) == k:
                break
            first.setdefault(self.snapshot.documents[i].text_hash, i)
        return list(first.values())

    def document_scores(
        self, vector: FloatVector, terms: Sequence[str], weights: Mapping[str, float] = WEIGHTS
    ) -> fusion.Scores:
        """(N,) fused scores of all documents; a signal without a weight does not count."""
        snapshot, tables = self.snapshot, self.tables
        cosines = signals.landmark_cosines(snapshot, vector)
        found = {
            "places": signals.best_places(snapshot, cosines),
            "document": signals.document_cosines(snapshot, vector),
            "text_places": signals.text_places(snapshot, tables, terms),
            "text_document": signals.text_documents(snapshot, tables, terms),
        }
        return fusion.weighted_z({name: found[name] for name in weights}, weights)

    def heat(self, query: str, doc_id: str) -> list[LandmarkHeat]:
        """Every landmark of a document with its heat. KeyError for an unknown document."""
        i = self.snapshot.position[doc_id]
        self._load([doc_id])
        landmarks = self._landmarks[doc_id]
        cosines: NDArray[np.floating[Any]] = np.zeros(len(landmarks.starts))
        curve = np.zeros(len(landmarks.starts))
        if query.strip():
            asked = self._read(query)
            cosines = self._vectors_of(i) @ asked.vector
            curve = self._curve(i, asked)
        places = zip(
            landmarks.starts,
            landmarks.ends,
            landmarks.unit_first,
            landmarks.unit_last,
            cosines.tolist(),
            np.clip(curve, 0, 1).tolist(),
            strict=True,
        )
        return [LandmarkHeat(*place) for place in places]

    # -- the query -------------------------------------------------------------------------

    def _read(self, query: str) -> _Query:
        self._encode({query})
        return _Query(query, analysis.query_terms(query), self._vectors[query])

    def _encode(self, texts: Collection[str]) -> None:
        """Encode what is not encoded yet, in one batch."""
        missing = sorted(_lacking(self._vectors, texts))
        if missing:
            self._vectors.update(zip(missing, self._encoder().encode_query(missing), strict=True))
        _trim(self._vectors, _CACHED_QUERIES)

    def _within(self, query: _Query, i: int) -> str:
        """The query without the words of the document's title: they name the document, not a
        place in it. "" if nothing or everything would go."""
        naming = self._title_terms(i).intersection(query.terms)
        if not naming or len(naming) == len(query.terms):
            return ""
        left, done = "", 0
        for start, end in analysis.matches(query.text, naming):
            left, done = left + query.text[done:start], end
        left += query.text[done:]
        return left if analysis.query_terms(left) else ""

    def _title_terms(self, i: int) -> frozenset[str]:
        return frozenset(analysis.query_terms(self.snapshot.documents[i].title))

    # -- the place -------------------------------------------------------------------------

    def _curve(self, i: int, query: _Query) -> localise.Curve:
        """How well each landmark of document ``i`` answers the query."""
        entry = self.snapshot.documents[i]
        landmarks = self._landmarks[entry.doc_id]
        within = self._within(query, i)
        vector = query.vector
        if within:
            self._encode({within})
            vector = vector + self._vectors[within]
            vector = vector / np.linalg.norm(vector)
        meaning = localise.meaning_curve(
            self._vectors_of(i), self.snapshot.document_vectors[i], vector
        )
        counts = _counts(landmarks.terms, query.terms)
        held = counts.any(axis=1)
        headed = np.minimum(_counts(landmarks.headings, query.terms), 1)
        title = self._title_terms(i)
        naming = np.array([term in title for term in query.terms], dtype=bool)
        words = localise.word_curve(
            counts[held], headed[held], naming=naming[held], missing=int((~held).sum())
        )
        return localise.blend(meaning, words)

    def _hit(self, rank: int, i: int, score: float, query: _Query, limit: int) -> Hit:
        entry = self.snapshot.documents[i]
        landmarks, row = self._landmarks[entry.doc_id], self._rows[entry.doc_id]
        curve = self._curve(i, query)
        groups = landmarks.unit_first if row["unit"] == "page" else (0,) * len(curve)
        peaks = localise.find_peaks(curve, groups, limit=limit)
        found = (_passage(peak, landmarks, row, query.terms, entry.kind) for peak in peaks)
        return Hit(
            rank=rank,
            doc_id=entry.doc_id,
            path=entry.paths[0],
            paths=entry.paths,
            title=entry.name,
            kind=entry.kind,
            score=score,
            passages=tuple(passage for passage in found if passage is not None),
            duplicates=tuple(sorted(self._twins[entry.text_hash] - set(entry.paths))),
        )

    def _vectors_of(self, i: int) -> FloatMatrix:
        return self.snapshot.landmark_vectors[slice(*self.snapshot.offsets[i : i + 2])]

    # -- rows ------------------------------------------------------------------------------

    def _load(self, doc_ids: Sequence[str]) -> None:
        """Have the rows and landmarks of these documents at hand: one read for all that lack."""
        missing = _lacking(self._landmarks, doc_ids)
        if missing:
            self._rows.update(self._read_rows(missing))
            self._landmarks.update(self._read_landmarks(missing))  # needs the rows
        _trim(self._landmarks, max(_CACHED_DOCUMENTS, len(doc_ids)))
        for doc_id in self._rows.keys() - self._landmarks.keys():
            del self._rows[doc_id]

    def _read_rows(self, doc_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        columns = ["doc_id", "unit", "unit_starts", "unit_labels", "sections", "furniture"]
        found = self.tables.read_in(self.tables.documents, columns, "doc_id", doc_ids)
        rows = {row["doc_id"]: row for row in found.to_pylist()}
        for row in rows.values():
            row["sections"] = [Section(**section) for section in row["sections"]]
            row["furniture"] = list(zip(row["furniture"][::2], row["furniture"][1::2], strict=True))
        return rows

    def _read_landmarks(self, doc_ids: Sequence[str]) -> dict[str, _Landmarks]:
        columns = ["ordinal", "start", "end", "unit_first", "unit_last", "text", "search_text"]
        found = self.tables.read_in(self.tables.landmarks, ["doc_id", *columns], "doc_id", doc_ids)
        found = found.sort_by([("doc_id", "ascending"), ("ordinal", "ascending")])
        ids = np.array(found["doc_id"].to_pylist())
        read: dict[str, _Landmarks] = {}
        for doc_id in doc_ids:
            low, high = np.searchsorted(ids, doc_id), np.searchsorted(ids, doc_id, "right")
            own = found.slice(low, high - low).to_pydict()
            read[doc_id] = _Landmarks(
                starts=tuple(own["start"]),
                ends=tuple(own["end"]),
                unit_first=tuple(own["unit_first"]),
                unit_last=tuple(own["unit_last"]),
                texts=tuple(own["text"]),
                terms=tuple(f" {text} " for text in own["search_text"]),
                headings=_headings(own["start"], own["end"], self._rows[doc_id]["sections"]),
            )
        return read


def _lacking(cache: OrderedDict[str, Any], keys: Collection[str]) -> list[str]:
    """The keys that are not in the cache; those that are become its youngest."""
    for key in keys:
        if key in cache:
            cache.move_to_end(key)
    return [key for key in dict.fromkeys(keys) if key not in cache]


def _trim(cache: OrderedDict[str, Any], most: int) -> None:
    """Drop the oldest entries. What the current call asked for is the youngest, and stays."""
    while len(cache) > most:
        cache.popitem(last=False)


def _counts(texts: Sequence[str], terms: Sequence[str]) -> NDArray[np.int64]:
    """(T, n): how often each of T terms stands in each of n texts of terms between spaces."""
    found = [[text.count(f" {term} ") for text in texts] for term in terms]
    return np.array(found, dtype=np.int64).reshape(len(terms), len(texts))


def _headings(
    starts: Sequence[int], ends: Sequence[int], sections: Sequence[Section]
) -> tuple[str, ...]:
    """The terms of the titles around each landmark. A section holds it by its middle."""
    middles = (np.array(starts) + np.array(ends)) // 2
    around: list[list[str]] = [[] for _ in starts]
    for section in sections:
        first, stop = np.searchsorted(middles, [section.start, section.end])
        terms = analysis.search_text(section.title)
        for i in range(first, stop):
            around[i].append(terms)
    return tuple(f" {' '.join(titles)} " for titles in around)


def _blanked(text: str, offset: int, furniture: Sequence[tuple[int, int]]) -> str:
    """``text``, which begins at ``offset`` of its document, with the furniture in it blanked."""
    for start, end in furniture:
        first, stop = max(start - offset, 0), min(end - offset, len(text))
        if first < stop:
            text = text[:first] + " " * (stop - first) + text[stop:]
    return text


def _passage(
    peak: localise.Peak,
    landmarks: _Landmarks,
    row: dict[str, Any],
    terms: Sequence[str],
    kind: Kind,
) -> Passage | None:
    """The passage of a peak, without blank lines and running heads around it; None if there is
    nothing else. Code begins with its indentation, so that its lines stand as in the file.
    """
    raw = "".join(landmarks.texts[peak.first : peak.last + 1])
    offset = landmarks.starts[peak.first]
    spoken = _blanked(raw, offset, row["furniture"])
    if not spoken.strip():
        return None
    begin = len(spoken) - len(spoken.lstrip())
    if kind == "code":
        begin = spoken.rfind("\n", 0, begin) + 1
    stop = len(spoken.rstrip())
    start, end = offset + begin, offset + stop
    text = raw[begin:stop]
    first, last = units_of(row["unit_starts"], start, end)
    label = row["unit_labels"][first - 1] if row["unit_labels"] else None
    marks = analysis.matches(spoken[begin:stop], frozenset(terms))
    return Passage(
        start=start,
        end=end,
        text=text,
        unit=row["unit"],
        first=first,
        last=last,
        label=label if label != str(first) else None,
        section=section_path(row["sections"], start, end),
        score=peak.score,
        highlights=tuple((start + a, start + b) for a, b in marks),
    )
