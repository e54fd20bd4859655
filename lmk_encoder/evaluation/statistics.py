"""How sure a mean over queries is, and whether two systems differ (pure)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BOOTSTRAP_DRAWS = 2_000
RANDOMISATIONS = 10_000
_BLOCK = 200  # draws at a time: bounds memory on sets of many queries


class Comparison(NamedTuple):
    """Mean of the paired differences, and two-sided p-values of it being 0."""

    difference: float
    p_t: float
    p_randomisation: float


def bootstrap_interval(
    values: NDArray[np.float64], *, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean of ``values`` (Q,), queries drawn anew."""
    generator = np.random.default_rng(seed)
    means = [
        values[generator.integers(0, len(values), (_BLOCK, len(values)))].mean(axis=1)
        for _ in range(BOOTSTRAP_DRAWS // _BLOCK)
    ]
    tail = 50 * (1 - level)
    low, high = np.percentile(np.concatenate(means), [tail, 100 - tail])
    return float(low), float(high)


def compare(ours: NDArray[np.float64], theirs: NDArray[np.float64], *, seed: int = 0) -> Comparison:
    """Paired t-test and paired randomisation (sign flips) over the same queries in one order.

    No correction for several tests. Without any difference both p-values are 1.
    """
    if ours.shape != theirs.shape:
        raise ValueError(f"not paired: {len(ours)} and {len(theirs)} queries")
    differences = ours - theirs
    mean = float(differences.mean())
    if not differences.any():
        return Comparison(0.0, 1.0, 1.0)
    return Comparison(mean, _t_test(differences), _randomisation(differences, seed))


def _t_test(differences: NDArray[np.float64]) -> float:
    from scipy.stats import ttest_1samp

    if len(differences) < 2:
        return 1.0
    if np.ptp(differences) == 0:
        return 0.0  # every query differs by the same: t is infinite
    return float(ttest_1samp(differences, 0.0).pvalue)


def _randomisation(differences: NDArray[np.float64], seed: int) -> float:
    generator = np.random.default_rng(seed)
    observed = abs(differences.mean())
    extreme = 0
    for _ in range(RANDOMISATIONS // _BLOCK):
        signs = generator.choice((-1.0, 1.0), (_BLOCK, len(differences)))
        # A hair of tolerance: a draw equal to what was observed must count, rounding aside.
        extreme += int((abs((signs * differences).mean(axis=1)) >= observed - 1e-12).sum())
    return (extreme + 1) / (RANDOMISATIONS + 1)
