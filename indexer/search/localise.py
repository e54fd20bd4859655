"""From the scores of one document's landmarks to the passages worth showing. Pure functions.

A landmark's score blends what it means (its cosine with the query) and what it says (the
query's words in it and its neighbours); peaks of that curve, grown to their neighbours, are
the passages.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.types import FloatMatrix, FloatVector

Curve = NDArray[np.float64]

DENSE_WEIGHT = 0.45  # the rest is lexical
# Sharing a topic with the whole document says nothing of a place in it: the part of a cosine
# that goes through the document vector is taken out.
TOPIC_WEIGHT = 1.0
MISSING_WEIGHT = 0.5  # words the document lacks: the more of them, the less words can tell
NAMING_WEIGHT = 0.2  # of a word of the document's title, against any other
SECTION_WEIGHT = 0.7  # a word in the titles above a passage, against one in the passage
RAW_WEIGHT = 0.3  # of the curve as it is; the rest is smoothed
SMOOTHING = (0.25, 0.5, 0.25)  # a fact may stand over a landmark border
GROW_AT = 0.65  # a neighbour joins a peak if it has this share of the peak's score
MAX_LANDMARKS = 4  # a passage stays quotable
DROP_AT = 0.5  # weaker peaks than this share of the best are not shown


@dataclass(frozen=True, slots=True)
class Peak:
    """Landmarks ``[first, last]`` of a document, with the score of the best of them."""

    first: int
    last: int
    best: int
    score: float


def meaning_curve(landmarks: FloatMatrix, document: FloatVector, query: FloatVector) -> Curve:
    """What each landmark's vector says of the query beyond the topic of the document, in [0, 1].

    ``landmarks`` (n, D), ``document`` (D,) and ``query`` (D,) are of unit length.
    """
    cosines = landmarks @ query
    beyond = cosines - TOPIC_WEIGHT * (document @ query) * (landmarks @ document)
    return _scaled(beyond.astype(np.float64))


def word_curve(
    counts: NDArray[np.int64],
    headed: NDArray[np.int64] | None = None,
    *,
    naming: NDArray[np.bool_] | None = None,
    missing: int = 0,
) -> Curve:
    """Share of the query's weight that each landmark and its neighbours hold.

    Args:
        counts: (T, n), how often each of T terms stands in each of n landmarks.
        headed: (T, n), 1 where a term stands in the titles of the sections around a landmark.
        naming: (T,), True for terms of the document's title: they name it, not a place in it.
        missing: number of the query's terms that the document does not hold at all.

    Terms weigh by their rarity within this document: what is everywhere in it does not tell
    places apart. All zeros if no term tells anything.
    """
    terms, n = counts.shape
    if not terms or not n:
        return np.zeros(n)
    idf = _rarity(counts)
    if naming is not None:
        idf *= np.where(naming, NAMING_WEIGHT, 1.0)
    total = idf.sum() + MISSING_WEIGHT * missing * np.log1p(n)
    if not idf.sum():
        return np.zeros(n)
    own = 1.5 * counts / (counts + 1.0)  # saturating: a second occurrence says little more
    beside = 0.5 * _neighbours(np.minimum(counts, 1).astype(float))
    curve = idf @ np.maximum(own, beside).clip(max=1.0)
    if headed is not None:
        curve += SECTION_WEIGHT * (np.minimum(_rarity(headed), idf) @ headed)
    return np.asarray(curve / total)


def blend(meaning: Curve, words: Curve, *, dense_weight: float = DENSE_WEIGHT) -> Curve:
    """One curve, its lowest value 0, from what a document's landmarks mean and say."""
    if not words.any():
        dense_weight = 1.0
    raw = dense_weight * meaning + (1 - dense_weight) * words
    # Smoothing finds the middle of a fact, the raw curve keeps an exact hit sharp.
    curve = RAW_WEIGHT * raw + (1 - RAW_WEIGHT) * _smooth(raw)
    return np.asarray(curve - curve.min() if len(curve) > 1 else curve)


def lifted(curve: Curve, holding: NDArray[np.bool_]) -> Curve:
    """The curve with the landmarks that hold what was asked for exactly above all others."""
    return np.asarray((curve + holding) / 2)


def find_peaks(
    curve: Curve,
    groups: Sequence[int],
    *,
    limit: int,
    wholes: Sequence[tuple[int, int]] = (),
) -> list[Peak]:
    """The best passages, best first, disjoint.

    ``groups`` (n,) numbers that must be equal within a passage (the page of each landmark):
    a passage never runs over such a border, so that its place is exact. ``wholes`` are landmarks
    ``[first, last]`` that are better shown together (a function), inner ones behind outer ones:
    a peak grows to all of the innermost, if that is not too long. A document that is no longer than
    a passage may be is one: parts of it would leave out the little that is beside them.
    """
    if 0 < len(curve) <= MAX_LANDMARKS and len(set(groups)) == 1 and limit > 0:
        best = int(np.argmax(curve))
        return [Peak(0, len(curve) - 1, best, float(curve[best]))]
    free = np.ones(len(curve), dtype=bool)
    peaks: list[Peak] = []
    while len(peaks) < limit and free.any():
        best = int(np.argmax(np.where(free, curve, -np.inf)))
        if peaks and curve[best] < DROP_AT * peaks[0].score:
            break
        first, last = _whole(_grow(curve, groups, free, best), best, wholes, free)
        peaks.append(Peak(first, last, best, float(curve[best])))
        # The next landmark on either side tells of the same fact: not a passage of its own.
        free[max(first - 1, 0) : last + 2] = False
    return peaks


def _grow(
    curve: Curve, groups: Sequence[int], free: NDArray[np.bool_], best: int
) -> tuple[int, int]:
    first = last = best
    threshold = GROW_AT * curve[best]
    while last - first + 1 < MAX_LANDMARKS:
        sides = [
            i
            for i in (first - 1, last + 1)
            if 0 <= i < len(curve) and free[i] and groups[i] == groups[best]
        ]
        side = max(sides, key=lambda i: curve[i], default=None)
        if side is None or curve[side] < threshold:
            break
        first, last = min(first, side), max(last, side)
    return first, last


def _whole(
    grown: tuple[int, int],
    best: int,
    wholes: Sequence[tuple[int, int]],
    free: NDArray[np.bool_],
) -> tuple[int, int]:
    """``grown`` with all of the innermost whole around ``best``, if it is short and free."""
    for first, last in reversed(wholes):
        if first <= best <= last:
            first, last = min(first, grown[0]), max(last, grown[1])
            if last - first < MAX_LANDMARKS and free[first : last + 1].all():
                return first, last
            break
    return grown


def _rarity(counts: NDArray[np.int64]) -> Curve:
    """Inverse document frequency of each term, landmarks taken as documents; 0 if absent."""
    df = (counts > 0).sum(axis=1)
    n = counts.shape[1]
    return np.where(df > 0, np.log1p((n - df + 0.5) / (df + 0.5)), 0.0)


def _scaled(values: Curve) -> Curve:
    low, high = values.min(), values.max()
    # Equal values, or a lone one, tell nothing: words have to.
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def _neighbours(values: Curve) -> Curve:
    """Maximum of each value and its two neighbours along the last axis."""
    result = values.copy()
    result[..., 1:] = np.maximum(result[..., 1:], values[..., :-1])
    result[..., :-1] = np.maximum(result[..., :-1], values[..., 1:])
    return result


def _smooth(curve: Curve) -> Curve:
    """Weighted mean with the neighbours; at the ends the missing one repeats the end."""
    padded = np.concatenate([curve[:1], curve, curve[-1:]])
    left, middle, right = SMOOTHING
    return left * padded[:-2] + middle * padded[1:-1] + right * padded[2:]
