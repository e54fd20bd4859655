"""Where in a document: the curve of a query over its landmarks, and the passages of its peaks."""

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import zip_longest

import numpy as np

from indexer import analysis
from indexer.documents import Passage, Section
from indexer.query import exact
from indexer.query.language import Near, Pattern, Phrase
from indexer.search import localise
from indexer.search.asked import Asked, QueryReader
from indexer.search.beside import beside
from indexer.search.passages import Range, blanked, passage_of, term_counts
from indexer.search.rows import Landmarks, Loaded, RowCache
from indexer.search.snapshot import Snapshot
from lmk_encoder.types import FloatMatrix, FloatVector

# Processor seconds for the places of what is asked for exactly, in all documents of an answer.
EXACT_SECONDS = 5.0
MOST_RANGES = 100_000  # of one document: 12 MB
CUT_SHORT = "The pattern takes too long to be marked everywhere."

NAMING_TERMS = 32  # of a query in which the words of a title have weight


class Places:
    """Finds places for one question, in the documents of one snapshot that were prepared.

    ``notes`` is what a person should be told of them.
    """

    def __init__(self, snapshot: Snapshot, rows: RowCache, reader: QueryReader) -> None:
        self._snapshot = snapshot
        self._rows = rows
        self._reader = reader
        self._loaded: dict[int, Loaded] = {}
        self._exact_s = EXACT_SECONDS  # left
        self.notes: tuple[str, ...] = ()
        self._vectors: dict[str, FloatVector] = {}

    def prepare(self, asked: Asked, documents: Sequence[int]) -> None:
        """Load and encode in one go what these documents need."""
        vectors = beside(self._reader.encode, {self._within(asked, i) for i in documents} - {""})
        self._loaded |= self._rows.load(documents)
        self._vectors |= vectors.result()

    def landmarks(self, i: int) -> Landmarks:
        """Landmarks of document ``i``, which was prepared."""
        return self._loaded[i].landmarks

    def passages(self, i: int, asked: Asked, limit: int) -> tuple[Passage, ...]:
        """The best places of document ``i``, best first; its beginning if nothing is asked."""
        entry = self._snapshot.documents[i]
        landmarks, row = self.landmarks(i), self._loaded[i].row
        ranges = self.exact_ranges(i, asked)
        curve = self.curve(i, asked, ranges)
        groups = landmarks.unit_first if row["unit"] == "page" else (0,) * len(curve)
        is_code = entry.kind == "code" and row["unit"] == "line"
        wholes = _definitions(landmarks, row["sections"]) if is_code else ()
        peaks = localise.find_peaks(
            curve, groups, limit=1 if asked.is_empty else limit, wholes=wholes
        )
        found = (passage_of(p, landmarks, row, asked.marked, ranges, entry.kind) for p in peaks)
        return tuple(passage for passage in found if passage is not None)

    def curve(self, i: int, asked: Asked, ranges: Sequence[Range]) -> localise.Curve:
        """How well each landmark of document ``i`` answers; where ``ranges`` are, best of all."""
        landmarks = self.landmarks(i)
        curve = np.zeros(len(landmarks.starts))
        if asked.vector is not None:
            curve = localise.blend(self._meaning(i, asked, asked.vector), self._words(i, asked))
        return localise.lifted(curve, _holding(landmarks, ranges)) if asked.exact else curve

    def exact_ranges(self, i: int, asked: Asked) -> list[Range]:
        """Where document ``i`` holds what is asked for exactly: rising ranges of its text."""
        landmarks, furniture = self.landmarks(i), self._loaded[i].row["furniture"]
        found: list[Range] = []
        begun = time.thread_time()
        for atom in asked.exact:
            for offset, text in _stretches(landmarks, furniture, atom):
                left_s = self._exact_s - (time.thread_time() - begun)
                try:
                    if left_s <= 0:
                        raise TimeoutError
                    for start, end in exact.ranges(atom, text, timeout_s=left_s):
                        found.append((start + offset, end + offset))
                        if len(found) == MOST_RANGES:
                            raise TimeoutError
                except TimeoutError:  # the document is known to hold it; where takes too long
                    self.notes = (CUT_SHORT,)
                    self._exact_s = 0.0
                    return sorted(found)
        self._exact_s -= time.thread_time() - begun
        return sorted(found)

    def content(self, i: int, place: Range) -> tuple[FloatVector, str]:
        """Meaning and text of the landmarks that a place in document ``i`` touches."""
        landmarks = self.landmarks(i)
        touched = np.flatnonzero(_holding(landmarks, [place]))
        if not len(touched):
            raise ValueError(f"the document ends before the place {place}")
        vector = self._vectors_of(i)[touched].sum(axis=0)
        vector = vector / max(float(np.linalg.norm(vector)), 1e-12)
        return vector, "".join(landmarks.texts[n] for n in touched)

    def cosines(self, i: int, asked: Asked) -> np.ndarray:
        """(n,) cosine of every landmark of document ``i`` with the query."""
        vectors = self._vectors_of(i)
        return np.zeros(len(vectors)) if asked.vector is None else vectors @ asked.vector

    def _meaning(self, i: int, asked: Asked, vector: FloatVector) -> localise.Curve:
        within = self._within(asked, i)
        if within:
            vector = vector + self._vectors[within]
            vector = vector / np.linalg.norm(vector)
        return localise.meaning_curve(
            self._vectors_of(i), self._snapshot.document_vectors[i], vector
        )

    def _words(self, i: int, asked: Asked) -> localise.Curve:
        landmarks = self.landmarks(i)
        counts = term_counts(landmarks.terms, asked.terms)
        held = counts.any(axis=1)
        headed = np.minimum(term_counts(landmarks.headings, asked.terms), 1)
        title = self._title_terms(i)
        naming = np.array([term in title for term in asked.terms], dtype=bool)
        return localise.word_curve(
            counts[held], headed[held], naming=naming[held], missing=int((~held).sum())
        )

    def _within(self, asked: Asked, i: int) -> str:
        """The query without the words of the document's title: they name the document, not a
        place in it. "" if nothing or everything would go, and of a pasted text, which says
        enough without."""
        if len(asked.terms) > NAMING_TERMS:
            return ""
        naming = self._title_terms(i).intersection(asked.terms)
        if not naming or len(naming) == len(asked.terms):
            return ""
        left, done = "", 0
        for start, end in analysis.matches(asked.text, naming):
            left, done = left + asked.text[done:start], end
        left += asked.text[done:]
        return left if analysis.query_terms(left) else ""

    def _title_terms(self, i: int) -> frozenset[str]:
        return frozenset(analysis.query_terms(self._snapshot.documents[i].title))

    def _vectors_of(self, i: int) -> FloatMatrix:
        return self._snapshot.landmark_vectors[slice(*self._snapshot.offsets[i : i + 2])]


def _definitions(landmarks: Landmarks, sections: Sequence[Section]) -> list[tuple[int, int]]:
    """Landmarks ``[first, last]`` of the classes and functions that have landmarks of their own.

    One that shares a landmark with other text is no better to read for the whole landmark.
    """
    starts, texts = landmarks.starts, landmarks.texts
    found = []
    for section in sections:
        first, last = bisect_left(starts, section.start), bisect_left(starts, section.end) - 1
        if first <= last and starts[first] == section.start:
            behind = texts[last][section.end - starts[last] :]  # blank lines are no other text
            if not behind.strip():
                found.append((first, last))
    return found


def _stretches(
    landmarks: Landmarks, furniture: Sequence[Range], atom: exact.Exact
) -> list[tuple[int, str]]:
    """The parts of a document in which ``atom`` may stand, with their offsets.

    Folding a book to find one phrase in it takes longer than all the rest of a search: only the
    landmarks around the rarest word of the phrase are looked at.
    """
    texts, starts = landmarks.texts, landmarks.starts

    def spoken(first: int, stop: int) -> str:
        return blanked("".join(texts[first:stop]), starts[first], furniture)

    whole = [(0, len(texts))]
    parts = whole if isinstance(atom, Pattern) else _around_rarest(landmarks, atom, spoken) or whole
    return [(starts[first], spoken(first, stop)) for first, stop in parts]


def _around_rarest(
    landmarks: Landmarks, atom: Phrase | Near, spoken: Callable[[int, int], str]
) -> list[Range]:
    """Landmarks ``[first, stop)`` with all places of ``atom``; none if no word of it is known."""
    words = atom.text if isinstance(atom, Phrase) else f"{atom.left} {atom.right}"
    holders = [
        [n for n, terms in enumerate(landmarks.terms) if any(f" {f} " in terms for f in forms)]
        for forms in analysis.word_forms(words)
    ]
    rarest = min(filter(None, holders), key=len, default=[])
    reach = exact.num_words(words) + (atom.words if isinstance(atom, Near) else 0)
    parts: list[Range] = []
    for n, following in zip_longest(rarest, rarest[1:], fillvalue=len(landmarks.texts)):
        done = parts[-1][1] if parts else 0
        first, before, stop, behind = n, 0, n + 1, 0
        while first > done and before < reach:
            first -= 1
            before += exact.num_words(spoken(first, first + 1))
        while stop < following and behind < reach:
            behind += exact.num_words(spoken(stop, stop + 1))
            stop += 1
        if parts and first == done:
            parts[-1] = (parts[-1][0], stop)
        else:
            parts.append((first, stop))
    return parts


def _holding(landmarks: Landmarks, ranges: Sequence[Range]) -> np.ndarray:
    """(n,) True for landmarks that a range touches."""
    borders = np.array(ranges, dtype=np.int64).reshape(-1, 2)
    first = np.searchsorted(landmarks.ends, borders[:, 0], side="right")
    stop = np.maximum(first, np.searchsorted(landmarks.starts, borders[:, 1]))
    size = len(landmarks.starts) + 1
    entered = np.bincount(first, minlength=size) - np.bincount(stop, minlength=size)
    return np.asarray(np.cumsum(entered)[:-1] > 0)
