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
    is_first = np.ones(len(scores), dtype=bool)  # of its group of equals
    is_first[1:] = ranked[1:] != ranked[:-1]
    place = np.maximum.accumulate(np.where(is_first, np.arange(1, len(scores) + 1), 0))
    result = np.empty(len(scores))
    result[order] = place
    return result


def reciprocal_rank(
    signals: Mapping[str, Scores], weights: Mapping[str, float], *, k: float = RRF_K
) -> Scores:
    """Weighted reciprocal rank fusion: ``sum w / (k + rank)``."""
    return sum(weights[name] / (k + ranks(scores)) for name, scores in signals.items())  # type: ignore[return-value]


def standardised(scores: Scores) -> Scores:
    """Scores less their mean, over their standard deviation; all equal scores become 0."""
    spread = scores.std()
    if spread <= 1e-9 * max(1.0, float(np.abs(scores).max(initial=0.0))):
        return np.zeros_like(scores)
    return np.asarray((scores - scores.mean()) / spread)


def weighted_z(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """Weighted sum of standardised scores: margins count, not only ranks."""
    return sum(weights[name] * standardised(scores) for name, scores in signals.items())  # type: ignore[return-value]
