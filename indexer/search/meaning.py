"""What vectors say of every document: its best places, and the document as a whole.

While a collection is small, all of its landmarks are compared with the query. In a large one an
engine names the nearest landmarks; the documents that it names, and those that other signals
name, are compared exactly, and the rest get an estimate: what their document vector lets expect,
spread as in a sample of documents, never above what the engine left possible. So mean and
spread of a signal are about those of all documents, whatever its candidates are.
"""

from collections.abc import Collection
from concurrent.futures import Future

import numpy as np
from numpy.typing import NDArray

from indexer.engines.base import ExactEngine, Mask, Nearest, VectorEngine
from indexer.engines.vectors import VectorRows
from indexer.search.beside import beside
from indexer.search.fusion import Scores
from indexer.search.signals import best_places, document_cosines
from indexer.search.snapshot import Snapshot
from lmk_encoder.types import FloatVector

Documents = NDArray[np.int64]

NEAREST = 500  # landmarks asked of the engine
NAMED = 100  # best documents by each signal that are compared exactly
SAMPLE_LANDMARKS = 20_000
SAMPLE_SEED = 0


class Meaning:
    """Scores the documents of one snapshot by vectors, with an engine for its landmarks."""

    def __init__(self, snapshot: Snapshot, engine: VectorEngine) -> None:
        self._snapshot, self._engine = snapshot, engine
        self._is_exact = isinstance(engine, ExactEngine)
        if not self._is_exact and snapshot.documents:
            self._sample = _sample(snapshot)
            self._sampled = VectorRows.of(snapshot.landmark_vectors[_rows(snapshot, self._sample)])
            # Of the sample: reading all vectors for it would be most of the work of opening.
            self._average = self._sampled[:].mean(axis=0)

    def scores(
        self,
        query: FloatVector,
        others: Collection[Future[Scores]],
        *,
        allowed: Mask | None = None,
    ) -> dict[str, Scores]:
        """(N,) scores ``places`` and ``document`` of all documents.

        Args:
            query: (D,), of unit length.
            others: what other signals say of the documents, maybe yet to come; 0 is nothing.
            allowed: (N,), the documents that may be shown, if not all.
        """
        if self._is_exact:
            document = document_cosines(self._snapshot, query)
            cosines = self._snapshot.landmark_vectors.cosines(query)
            average = float(cosines.mean(dtype=np.float64))
            places = best_places(cosines, self._snapshot.offsets, average)
        else:
            nearest = beside(self._engine.search, query, NEAREST, self._landmarks(allowed))
            document = document_cosines(self._snapshot, query)
            expected = self._expected(query, document)
            found = [document, *(scores.result() for scores in others)]
            candidates = np.concatenate([_best(scores, allowed) for scores in found])
            places = self._places(query, expected, nearest.result(), candidates)
        return {"places": places, "document": document}

    def _landmarks(self, allowed: Mask | None) -> Mask | None:
        """(M,) those of the documents that may be shown, if not all."""
        return None if allowed is None else np.repeat(allowed, np.diff(self._snapshot.offsets))

    def _places(
        self,
        query: FloatVector,
        expected: Scores,
        nearest: Nearest,
        candidates: Documents,
    ) -> Scores:
        """``expected``, but for the documents of the ``nearest`` landmarks and ``candidates``,
        which are compared exactly."""
        owners, first = np.unique(self._snapshot.owners(nearest.rows), return_index=True)
        nearest_documents = owners[np.argsort(first)][:NAMED]
        exact = np.union1d(candidates, nearest_documents)
        if len(nearest.rows) == NEAREST:  # a document that was not found has no better landmark
            expected = np.minimum(expected, nearest.cosines[-1])
        if len(exact):  # none where nothing is allowed
            expected[exact] = self._exact_places(query, exact)
        return expected

    def _expected(self, query: FloatVector, document: Scores) -> Scores:
        """Places as far as document vectors tell, with the spread of the sample around them."""
        seen = document[self._sample]
        places = best_places(
            self._sampled.cosines(query),
            _offsets(self._snapshot, self._sample),
            float(self._average @ query),
        )
        spread = seen.var()
        slope = (
            float(np.mean((seen - seen.mean()) * (places - places.mean())) / spread)
            if spread
            else 0
        )
        rest = places - places.mean() - slope * (seen - seen.mean())
        return np.asarray(
            places.mean() + slope * (document - seen.mean()) + np.resize(rest, len(document))
        )

    def _exact_places(self, query: FloatVector, documents: Documents) -> Scores:
        rows = _rows(self._snapshot, documents)
        cosines = self._snapshot.landmark_vectors.cosines(query, rows)
        offsets = _offsets(self._snapshot, documents)
        return best_places(cosines, offsets, float(self._average @ query))


def _best(scores: Scores, allowed: Mask | None) -> Documents:
    """The best documents that a signal says anything of: as many, however many will be shown, so
    that a page goes on where the one before ended."""
    among = np.flatnonzero(scores if allowed is None else np.where(allowed, scores, 0))
    if len(among) > NAMED:
        among = among[np.argpartition(-scores[among], NAMED)[:NAMED]]
    return among


def _sample(snapshot: Snapshot) -> Documents:
    """Documents drawn once, with SAMPLE_LANDMARKS landmarks or a few more."""
    drawn = np.random.default_rng(SAMPLE_SEED).permutation(len(snapshot.documents))
    landmarks = np.cumsum(np.diff(snapshot.offsets)[drawn])
    return np.sort(drawn[: int(np.searchsorted(landmarks, SAMPLE_LANDMARKS)) + 1])


def _rows(snapshot: Snapshot, documents: Documents) -> NDArray[np.int64]:
    """The rows of the landmarks of some documents, one document after the other."""
    starts, counts = snapshot.offsets[documents], np.diff(snapshot.offsets)[documents]
    ends = np.cumsum(counts)
    return np.asarray(np.arange(ends[-1]) + np.repeat(starts - (ends - counts), counts))


def _offsets(snapshot: Snapshot, documents: Documents) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.diff(snapshot.offsets)[documents])])
