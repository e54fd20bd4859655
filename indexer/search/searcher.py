"""Search one generation of an index: signals -> fusion -> localisation -> hits."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indexer import analysis
from indexer.documents import Hit, Passage, Section, section_path, units_of
from indexer.search import fusion, localise, signals
from indexer.search.snapshot import Snapshot
from indexer.store.tables import Tables
from lmk_encoder.types import DocumentEncoder, FloatVector

_CACHED_DOCUMENTS = 64
# Chosen on the development sets of docs/experiments.md, in the middle of a plateau.
WEIGHTS = {"places": 1.0, "document": 0.3, "text_places": 0.5, "text_document": 0.5}


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
    """The landmarks of one document, in order."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    unit_first: tuple[int, ...]
    unit_last: tuple[int, ...]
    texts: tuple[str, ...]
    terms: tuple[list[str], ...]


class Searcher:
    """Answers queries from a snapshot. Not for two threads at once."""

    def __init__(
        self, tables: Tables, snapshot: Snapshot, encoder: Callable[[], DocumentEncoder]
    ) -> None:
        """``encoder`` is called when a query has to be encoded: showing documents needs none."""
        self.snapshot = snapshot
        self._tables = tables
        self._encoder = encoder
        self._landmarks: OrderedDict[str, _Landmarks] = OrderedDict()

    def search(self, query: str, k: int, *, passages: int) -> list[Hit]:
        """The best ``k`` documents, best first, each with up to ``passages`` passages."""
        if not query.strip() or not self.snapshot.documents:
            return []
        vector = self._encoder().encode_query([query])[0]
        terms = analysis.query_terms(query)
        cosines = signals.landmark_cosines(self.snapshot, vector)
        scores = self.document_scores(vector, cosines, terms)
        # Equal scores are broken by document id (the order of the snapshot): runs repeat.
        order = np.argsort(-scores, kind="stable")[:k]
        rows = self._document_rows([self.snapshot.documents[i].doc_id for i in order])
        return [
            self._hit(rank, int(i), float(scores[i]), cosines, terms, rows, passages)
            for rank, i in enumerate(order, start=1)
        ]

    def document_scores(
        self, vector: FloatVector, cosines: np.ndarray, terms: Sequence[str]
    ) -> fusion.Scores:
        """(N,) fused scores of all documents."""
        snapshot, tables = self.snapshot, self._tables
        found = {
            "places": signals.best_places(snapshot, cosines),
            "document": signals.document_cosines(snapshot, vector),
            "text_places": signals.text_places(snapshot, tables, terms),
            "text_document": signals.text_documents(snapshot, tables, terms),
        }
        return fusion.weighted_z(found, WEIGHTS)

    def heat(self, query: str, doc_id: str) -> list[LandmarkHeat]:
        """Every landmark of a document with its heat. KeyError for an unknown document."""
        i = self.snapshot.position[doc_id]
        landmarks = self._load_landmarks([doc_id])[doc_id]
        start, end = self.snapshot.offsets[i], self.snapshot.offsets[i + 1]
        if query.strip():
            vector = self._encoder().encode_query([query])[0]
            cosines = self.snapshot.landmark_vectors[start:end] @ vector
            curve = _curve(cosines, landmarks, analysis.query_terms(query))
        else:
            cosines = curve = np.zeros(end - start)
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

    def _hit(
        self,
        rank: int,
        i: int,
        score: float,
        cosines: np.ndarray,
        terms: Sequence[str],
        rows: dict[str, Any],
        limit: int,
    ) -> Hit:
        entry = self.snapshot.documents[i]
        row = rows[entry.doc_id]
        landmarks = self._load_landmarks(list(rows))[entry.doc_id]
        own = cosines[self.snapshot.offsets[i] : self.snapshot.offsets[i + 1]]
        curve = _curve(own, landmarks, terms)
        groups = landmarks.unit_first if row["unit"] == "page" else (0,) * len(curve)
        peaks = localise.find_peaks(curve, groups, limit=limit)
        return Hit(
            rank=rank,
            doc_id=entry.doc_id,
            path=entry.paths[0],
            paths=entry.paths,
            title=entry.name,
            kind=entry.kind,
            score=score,
            passages=tuple(
                passage for peak in peaks if (passage := _passage(peak, landmarks, row, terms))
            ),
        )

    def _document_rows(self, doc_ids: Sequence[str]) -> dict[str, Any]:
        columns = ["doc_id", "unit", "unit_starts", "unit_labels", "sections"]
        found = self._tables.read_in(self._tables.documents, columns, "doc_id", doc_ids)
        rows = {row["doc_id"]: row for row in found.to_pylist()}
        for row in rows.values():
            row["sections"] = [Section(**section) for section in row["sections"]]
        return rows

    def _load_landmarks(self, doc_ids: Sequence[str]) -> OrderedDict[str, _Landmarks]:
        """Landmarks of these documents, from the cache or in one read for all that lack."""
        missing = [doc_id for doc_id in doc_ids if doc_id not in self._landmarks]
        if missing:
            columns = ["ordinal", "start", "end", "unit_first", "unit_last", "text", "search_text"]
            found = self._tables.read_in(
                self._tables.landmarks, ["doc_id", *columns], "doc_id", missing
            )
            found = found.sort_by([("doc_id", "ascending"), ("ordinal", "ascending")])
            ids = np.array(found["doc_id"].to_pylist())
            for doc_id in missing:
                low, high = np.searchsorted(ids, doc_id), np.searchsorted(ids, doc_id, "right")
                own = found.slice(low, high - low).to_pydict()
                self._landmarks[doc_id] = _Landmarks(
                    starts=tuple(own["start"]),
                    ends=tuple(own["end"]),
                    unit_first=tuple(own["unit_first"]),
                    unit_last=tuple(own["unit_last"]),
                    texts=tuple(own["text"]),
                    terms=tuple(text.split(" ") for text in own["search_text"]),
                )
        while len(self._landmarks) > max(_CACHED_DOCUMENTS, len(doc_ids)):
            self._landmarks.popitem(last=False)
        return self._landmarks


def _curve(cosines: np.ndarray, landmarks: _Landmarks, terms: Sequence[str]) -> localise.Curve:
    counts = np.array(
        [[words.count(term) for words in landmarks.terms] for term in terms], dtype=np.int64
    ).reshape(len(terms), len(landmarks.terms))
    return localise.blend(cosines.astype(np.float64), localise.word_curve(counts))


def _passage(
    peak: localise.Peak, landmarks: _Landmarks, row: dict[str, Any], terms: Sequence[str]
) -> Passage | None:
    """The passage of a peak, without white space around it; None if there is nothing else."""
    raw = "".join(landmarks.texts[peak.first : peak.last + 1])
    text = raw.strip()
    if not text:
        return None
    start = landmarks.starts[peak.first] + raw.index(text)
    end = start + len(text)
    first, last = units_of(row["unit_starts"], start, end)
    label = row["unit_labels"][first - 1] if row["unit_labels"] else None
    marks = analysis.matches(text, frozenset(terms))
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
