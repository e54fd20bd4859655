"""What each engine says of every document of a snapshot: (N,) arrays, higher is better."""

from collections.abc import Sequence

import numpy as np

from indexer import analysis
from indexer.search.fusion import Scores
from indexer.search.snapshot import Snapshot
from indexer.store.tables import Tables
from lmk_encoder.types import FloatVector

TEXT_CANDIDATES = 1_000  # landmarks the full-text index is asked for
TOP_LANDMARKS = 3  # a document is as good as the mean of its best few places


def landmark_cosines(snapshot: Snapshot, query: FloatVector) -> np.ndarray:
    """(M,) cosine of every landmark with the query."""
    return np.asarray(snapshot.landmark_vectors @ query)


def best_landmarks(snapshot: Snapshot, cosines: np.ndarray, *, top: int = TOP_LANDMARKS) -> Scores:
    """Mean of the ``top`` best landmarks of each document (of all, where it has fewer)."""
    scores = np.empty(len(snapshot.documents))
    for i, (start, end) in enumerate(zip(snapshot.offsets, snapshot.offsets[1:], strict=False)):
        own = cosines[start:end]
        if len(own) > top:
            own = np.partition(own, len(own) - top)[-top:]
        scores[i] = own.mean()
    return scores


def document_cosines(snapshot: Snapshot, query: FloatVector) -> Scores:
    """Cosine of every document vector with the query."""
    return np.asarray(snapshot.document_vectors @ query, dtype=np.float64)


def text_scores(snapshot: Snapshot, tables: Tables, terms: Sequence[str]) -> Scores:
    """BM25 of the best landmark of each document; 0 where none is among the candidates."""
    scores = np.zeros(len(snapshot.documents))
    if not terms:
        return scores
    found = tables.full_text(terms, TEXT_CANDIDATES)
    for doc_id, score in zip(found["doc_id"].to_pylist(), found["_score"].to_pylist(), strict=True):
        i = snapshot.position.get(doc_id)
        if i is not None and score > scores[i]:
            scores[i] = score
    return scores


def name_scores(snapshot: Snapshot, terms: Sequence[str]) -> Scores:
    """Share of the query's terms that stand in a document's title or path."""
    if not terms:
        return np.zeros(len(snapshot.documents))
    wanted = set(terms)
    return np.array(
        [len(wanted & _name_terms(entry.title, entry.paths)) for entry in snapshot.documents],
        dtype=np.float64,
    ) / len(wanted)


def _name_terms(title: str, paths: tuple[str, ...]) -> set[str]:
    return {term.text for text in (title, *paths) for term in analysis.iter_terms(text)}
