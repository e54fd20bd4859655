"""What landmarks keep: neighbours, left against right, position, granularity (arXiv:2601.21525).

Landmark i closes chunk i, so the chunk on its left is its own and the one on its right follows.
A chunk by itself is its text encoded alone, the way documents are. The numbers are pure
functions of both kinds of vectors; ``landmark_views`` makes them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.evaluation.datasets import RetrievalSet
from lmk_encoder.evaluation.grouping import grouped
from lmk_encoder.evaluation.metrics import MAIN_METRIC
from lmk_encoder.evaluation.ranked import Ranked
from lmk_encoder.landmarks import LandmarkPolicy
from lmk_encoder.types import DocumentEncoder, FloatMatrix, FloatVector, Progress, TextInput

TOP = 10
REACH = 3  # chunks before and behind a landmark whose affinity is told
POSITION_BINS = 5


@dataclass(frozen=True, slots=True)
class LandmarkView:
    """A document: its vector (D,), its landmarks and its chunks by themselves, both (L, D)."""

    vector: FloatVector
    landmarks: FloatMatrix
    chunks: FloatMatrix


def landmark_views(
    encoder: DocumentEncoder, texts: Sequence[str], policy: LandmarkPolicy, progress: Progress
) -> Iterator[LandmarkView]:
    """Every text that has two landmarks or more, read whole and chunk by chunk."""
    for group, report in grouped(texts, progress, "analyses"):
        wholes = encoder.encode_document([TextInput(text, policy) for text in group])
        chosen = [(text, e) for text, e in zip(group, wholes, strict=True) if len(e.spans) > 1]
        parts = [text[a:b] for text, e in chosen for a, b in e.spans.tolist()]
        alone = encoder.encode_document([TextInput(p, policy) for p in parts], progress=report)
        vectors = iter(alone)
        for _, encoded in chosen:
            chunks = np.stack([next(vectors).vector for _ in encoded.spans])
            yield LandmarkView(encoded.vector, encoded.landmark_vectors, chunks)


def neighbour_hits(views: Sequence[LandmarkView]) -> dict[str, float]:
    """Does a chunk find the landmarks beside it among all of its document?

    ``left@10`` and ``right@10``: shares of chunks whose landmark before them, and whose own
    behind them, is among the ten nearest; of chunks that have both. ``chance@10`` is what ten
    landmarks drawn at random give.
    """
    left: list[bool] = []
    right: list[bool] = []
    chance: list[float] = []
    for view in views:
        count = len(view.landmarks)
        scores = view.chunks @ view.landmarks.T  # (L, L): chunk i, landmark j
        inner = np.arange(1, count)
        for found, neighbour in ((left, inner - 1), (right, inner)):
            nearer = scores[inner] > scores[inner, neighbour, None]
            found += (nearer.sum(axis=1) < TOP).tolist()
        chance += [min(TOP, count) / count] * len(inner)
    return {
        f"left@{TOP}": float(np.mean(left)),
        f"right@{TOP}": float(np.mean(right)),
        f"chance@{TOP}": float(np.mean(chance)),
        "chunks": len(left),
    }


def affinity(views: Sequence[LandmarkView]) -> dict[str, Any]:
    """Is a landmark nearer to the chunk on its left than to the one on its right?

    ``by_distance``: mean cosine of a landmark with the chunk so many places behind it; 0 is its
    own, on its left, 1 the one on its right. ``left_wins``: share of landmarks that are nearer
    to their left one.
    """
    distances = range(-REACH, REACH + 1)
    found: dict[int, list[float]] = {distance: [] for distance in distances}
    wins: list[bool] = []
    for view in views:
        scores = view.landmarks @ view.chunks.T  # (L, L): landmark i, chunk j
        for distance in distances:
            found[distance] += np.diagonal(scores, distance).tolist()
        wins += (np.diagonal(scores)[:-1] > np.diagonal(scores, 1)).tolist()
    by_distance = {str(d): float(np.mean(values)) for d, values in found.items() if values}
    return {"by_distance": by_distance, "left_wins": float(np.mean(wins))}


def position_of_content(views: Sequence[LandmarkView]) -> list[float]:
    """Mean cosine of the document vector with its chunks, in each fifth of the document.

    Equal values: the vector speaks for all of its text alike.
    """
    cosines = np.concatenate([view.chunks @ view.vector for view in views])
    places = np.concatenate([_centres(len(view.chunks)) for view in views])
    return [value for value in _by_bin(cosines, places) if value is not None]


def position_of_evidence(data: RetrievalSet, ranked: Ranked) -> dict[str, Any]:
    """accuracy@1 with the answer in each fifth of its document; {} where no place is known.

    Only documents of a run's first place count; ``rank_correlation`` (Spearman) is that of the
    answer's place with the score of its document: below 0, early answers score higher.
    """
    from scipy.stats import spearmanr

    places, hits, scores = [], [], []
    for query, right in data.evidence.items():
        row = ranked.run[query]
        middle = sum(right.ranges[0]) / 2
        places.append(middle / max(1, len(data.documents[right.doc_id])))
        hits.append(max(row, key=row.__getitem__) == right.doc_id)
        scores.append(row.get(right.doc_id, min(row.values())))
    if len(places) < 2:
        return {}
    result: dict[str, Any] = {
        "accuracy@1_by_place": _by_bin(np.array(hits, dtype=float), np.array(places)),
        "queries": len(places),
    }
    if np.ptp(places) and np.ptp(scores):
        result["rank_correlation"] = float(spearmanr(places, scores).statistic)
    return result


def spread(results: Mapping[int, Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """nDCG@10 of ``document`` and ``landmark`` by granularity, and how far apart they lie."""
    told: dict[str, Any] = {}
    for system in ("document", "landmark"):
        values = {tokens: row[system][MAIN_METRIC] for tokens, row in results.items()}
        told[system] = {
            "by_granularity": {str(tokens): value for tokens, value in values.items()},
            "spread": max(values.values()) - min(values.values()),
        }
    return told


def _centres(count: int) -> NDArray[np.float64]:
    return (np.arange(count) + 0.5) / count


def _by_bin(values: NDArray[Any], places: NDArray[np.float64]) -> list[float | None]:
    bins = np.minimum((places * POSITION_BINS).astype(int), POSITION_BINS - 1)
    parts = [values[bins == index] for index in range(POSITION_BINS)]
    return [float(part.mean()) if len(part) else None for part in parts]
