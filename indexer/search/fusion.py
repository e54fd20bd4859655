"""Several scores per document -> one ranking. Pure functions on arrays.

Scores are (N,) arrays over the same documents, higher is better; ``-inf`` or 0 is no special
value here: a signal that says nothing of a document gives it its own lowest score.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

# Cormack, Clarke, Buettcher 2009 give 60 for runs with many relevant documents; with about one
# relevant document a query a small k keeps the head sharp (docs/experiments.md).
RRF_K = 4


def ranks(scores: Scores) -> Scores:
    """Ranks from 1, best first; equal scores share the best rank of their group."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    first = np.concatenate([[True], ranked[1:] != ranked[:-1]]) if len(scores) else []
    place = np.maximum.accumulate(np.where(first, np.arange(1, len(scores) + 1), 0))
    result = np.empty(len(scores))
    result[order] = place
    return result


def reciprocal_rank(
    signals: Mapping[str, Scores], weights: Mapping[str, float], *, k: float = RRF_K
) -> Scores:
    """Weighted reciprocal rank fusion: ``sum w / (k + rank)``."""
    return sum(weights[name] / (k + ranks(scores)) for name, scores in signals.items())  # type: ignore[return-value]


def weighted_sum(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """Convex combination of signals that are on one scale already."""
    return sum(weights[name] * scores for name, scores in signals.items())  # type: ignore[return-value]
