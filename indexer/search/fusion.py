"""Several scores per document -> one ranking. Pure functions on arrays.

Scores are (N,) arrays over the same documents, higher is better; ``-inf`` or 0 is no special
value here: a signal that says nothing of a document gives it its own lowest score.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def standardised(scores: Scores) -> Scores:
    """Scores less their mean, over their standard deviation; all equal scores become 0."""
    spread = scores.std()
    if spread <= 1e-9 * max(1.0, float(np.abs(scores).max(initial=0.0))):
        return np.zeros_like(scores)
    return np.asarray((scores - scores.mean()) / spread)


def weighted_z(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """Weighted sum of standardised scores: margins count, not only ranks."""
    return sum(weights[name] * standardised(scores) for name, scores in signals.items())  # type: ignore[return-value]
