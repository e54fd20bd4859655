"""Several scores per document -> one ranking. Pure functions on arrays.

Scores are (N,) arrays over the same documents, higher is better; ``-inf`` or 0 is no special
value here: a signal that says nothing of a document gives it its own lowest score.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def standardised(scores: Scores) -> Scores:
    """Scores less their mean, over their standard deviation; all equal scores become 0."""
    spread = scores.std()
    if spread <= 1e-9 * max(1.0, float(np.abs(scores).max(initial=0.0))):
        return np.zeros_like(scores)
    return np.asarray((scores - scores.mean()) / spread)


def reciprocal_ranks(scores: Scores, *, k: int = 60) -> Scores:
    """1 / (k + rank), ranks from 1; equal scores share the better rank."""
    ordered = np.sort(scores)
    better = len(scores) - np.searchsorted(ordered, scores, side="right")
    return np.asarray(1.0 / (k + better + 1))


def best_first(scores: Scores) -> NDArray[np.int64]:
    """Positions from the best score to the worst; equal ones in the order they stand in."""
    order = np.argsort(-scores)  # a quarter of the time of the stable sort
    ordered = scores[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = np.argsort(-scores, kind="stable")
    return order


# The default is the measured one (docs/experiments.md).
METHODS: dict[str, Callable[[Scores], Scores]] = {"z": standardised, "rank": reciprocal_ranks}


def contributions(
    signals: Mapping[str, Scores], weights: Mapping[str, float], method: str = "z"
) -> dict[str, Scores]:
    """What each signal adds to the fused score of every document; a signal without a weight
    adds nothing. ``method`` is a name in METHODS."""
    return {name: weight * METHODS[method](signals[name]) for name, weight in weights.items()}
