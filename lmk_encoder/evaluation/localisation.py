"""Whether a system points to the right place in the right document (pure)."""

from collections.abc import Mapping, Sequence

import numpy as np

from lmk_encoder.evaluation.datasets import CharRange, Evidence
from lmk_encoder.evaluation.ranked import PLACES, Places
from lmk_encoder.types import IntMatrix


def passage_hits(
    places: Mapping[str, Places], evidence: Mapping[str, Evidence]
) -> dict[str, float]:
    """Shares of queries whose best span, or one of three, overlaps the answer.

    ``passage_chance@1`` is what a span drawn at random gives. Empty without queries.
    """
    if not places:
        return {}
    firsts, among, chances = [], [], []
    for query, (best, every) in places.items():
        hits = overlaps(best, evidence[query].ranges)
        firsts.append(bool(hits[0]))
        among.append(bool(hits.any()))
        chances.append(overlaps(every, evidence[query].ranges).mean())
    return {
        "passage_hit@1": float(np.mean(firsts)),
        f"passage_hit@{PLACES}": float(np.mean(among)),
        "passage_chance@1": float(np.mean(chances)),
    }


def overlaps(
    spans: IntMatrix, ranges: Sequence[CharRange]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(L,) bool: which of the spans (L, 2) share a character with one of the ranges."""
    hit = np.zeros(len(spans), dtype=bool)
    for start, end in ranges:
        hit |= (spans[:, 0] < end) & (start < spans[:, 1])
    return hit
