"""What each engine says of every document of a snapshot: (N,) arrays, higher is better."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.search.fusion import Scores
from indexer.search.snapshot import Snapshot
from indexer.store.tables import Tables, TextFound
from lmk_encoder.types import FloatVector

TEXT_LANDMARKS = 1_000  # the full-text index is asked for so many landmarks
TEXT_DOCUMENTS = 1_000  # ... and so many documents
NAMED_DOCUMENTS = 2_000  # of more, enough are candidates without being named to the index
# A document is as good as its best few places: MaxP alone is noisy on long documents, their
# plain mean is too low for short ones (docs/experiments.md).
PLACE_WEIGHTS = np.array([1.0, 0.5, 0.25])
# A document with fewer places has none to average over: so many average ones are put in each gap.
PADDING = 1.0

Mask = NDArray[np.bool_]
TextSearch = Callable[..., TextFound]  # Tables.text_landmarks, Tables.text_documents
Owners = Callable[[np.ndarray], np.ndarray]  # numbers of rows -> documents, -1 for none


def best_places(cosines: np.ndarray, offsets: np.ndarray, average: float) -> Scores:
    """Weighted mean of the best landmarks of each document, padded where it has few.

    ``cosines`` of the landmarks of document ``i`` are ``offsets[i]:offsets[i + 1]``; ``average``
    is that of all landmarks there are.
    """
    starts, counts = offsets[:-1], np.diff(offsets)
    left = cosines.astype(np.float64)
    total = np.zeros(len(starts))
    weights = np.zeros(len(starts))
    rows = np.arange(len(left))
    for n, weight in enumerate(PLACE_WEIGHTS):
        best = np.maximum.reduceat(left, starts)
        has = counts > n
        total += weight * np.where(has, best, PADDING * average)
        weights += weight * np.where(has, 1.0, PADDING)
        # Take the first landmark that has the best score out of the next round.
        at = np.minimum.reduceat(np.where(left == np.repeat(best, counts), rows, len(left)), starts)
        left[at[has]] = -np.inf
    return total / weights


def document_cosines(snapshot: Snapshot, query: FloatVector) -> Scores:
    """Cosine of every document vector with the query, shrunk to the mean for short documents.

    The vector of a document with one landmark is that landmark's: counted in full it would be
    the same evidence twice.
    """
    cosines = snapshot.document_vectors.cosines(query).astype(np.float64)
    landmarks = np.diff(snapshot.offsets)
    return np.asarray(cosines.mean() + (cosines - cosines.mean()) * landmarks / (landmarks + 1))


def text_places(
    snapshot: Snapshot, tables: Tables, terms: Sequence[str], allowed: Mask | None = None
) -> Scores:
    """BM25 of the best landmark of each document; 0 where none is among the candidates.

    ``allowed`` (N,) are the documents that will be shown, if not all: they are candidates.
    """

    def owners(row_ids: np.ndarray) -> np.ndarray:
        rows = snapshot.landmark_places.of(row_ids)
        return np.where(rows < 0, -1, snapshot.owners(rows))

    return _text_scores(snapshot, tables.text_landmarks, owners, terms, TEXT_LANDMARKS, allowed)


def text_documents(
    snapshot: Snapshot, tables: Tables, terms: Sequence[str], allowed: Mask | None = None
) -> Scores:
    """BM25 of each document as a whole; 0 where it is not among the candidates."""
    owners = snapshot.document_places.of
    return _text_scores(snapshot, tables.text_documents, owners, terms, TEXT_DOCUMENTS, allowed)


def _text_scores(
    snapshot: Snapshot,
    search: TextSearch,
    owners: Owners,
    terms: Sequence[str],
    limit: int,
    allowed: Mask | None,
) -> Scores:
    scores = np.zeros(len(snapshot.documents))
    if not terms:
        return scores

    def count(*among: list[str]) -> bool:
        """Ask for candidates, and whether there may be more."""
        asked = limit
        while True:
            found = search(terms, asked, *among)
            documents = owners(found.row_ids)
            # Rows of documents that are just coming or leaving take no place of others.
            there = np.flatnonzero(documents >= 0)[:limit]
            if len(there) == limit or len(documents) < asked:
                np.maximum.at(scores, documents[there], found.scores[there])
                return len(documents) == asked
            asked *= 4

    # Candidates of all documents first: a filter must not change how scores are scaled.
    if count() and allowed is not None:
        few = np.flatnonzero(allowed)
        if 0 < len(few) <= NAMED_DOCUMENTS:
            count([snapshot.documents[i].doc_id for i in few])
    return scores
