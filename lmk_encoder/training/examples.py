"""Rows -> what one query is trained on: a group of passages of fixed size, and their scores (pure).

Everything random about a text comes from a generator made of the seed, the row and how often it
was seen: it does not matter which worker draws, nor whether the run was interrupted.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lmk_encoder.training.rows import Pair, Text
from lmk_encoder.training.sources import Rows

# A row without teacher scores: their softmax is one-hot (paper, section 3.1).
UNSCORED_POSITIVE, UNSCORED_NEGATIVE = 100.0, -100.0
# The score of a passage that fills up a group: no teacher looked at it, so it weighs nothing.
FILLED_SCORE = -np.inf
_TRIES = 20  # draws of a text to fill up with, before one that is in the group already is taken


class Key(NamedTuple):
    """One use of one row: which source, which row, and how often it was used before."""

    source: int
    row: int
    visit: int


@dataclass(frozen=True, slots=True)
class Example:
    """A query with its passages, the positive first, and their raw scores. No query: a text."""

    query: str | None
    passages: tuple[str, ...]
    scores: tuple[float, ...] = ()


def generator(seed: int, key: Key, purpose: int) -> np.random.Generator:
    """The generator for one use of one row; ``purpose`` keeps different draws apart."""
    return np.random.default_rng([seed, *key, purpose])


def make_example(rows: Rows, row: int, *, group_size: int, random: np.random.Generator) -> Example:
    """The example of one row.

    Args:
        rows: the source; where a row has too few negatives, positives of other rows fill up.
        row: which one.
        group_size: passages of each query, the positive included.
        random: draws the negatives, without replacement.
    """
    found = rows[row]
    if isinstance(found, Text):
        return Example(None, (found.text,))
    count = min(group_size - 1, len(found.negatives))
    drawn = random.choice(len(found.negatives), size=count, replace=False).tolist() if count else []
    passages = [found.positives[0], *(found.negatives[index] for index in drawn)]
    if found.positive_scores is None or (drawn and found.negative_scores is None):
        scores = [UNSCORED_POSITIVE] + [UNSCORED_NEGATIVE] * count
    else:
        negative_scores = found.negative_scores or ()
        scores = [found.positive_scores[0], *(negative_scores[index] for index in drawn)]
    while len(passages) < group_size:
        passages.append(_other_text(rows, found, passages, random))
        scores.append(FILLED_SCORE)
    return Example(found.query, tuple(passages), tuple(scores))


def _other_text(rows: Rows, own: Pair, passages: list[str], random: np.random.Generator) -> str:
    """The positive of another query; of the same one only if there is hardly any other."""
    text = ""
    for _ in range(_TRIES):
        other = rows[int(random.integers(len(rows)))]
        assert isinstance(other, Pair)
        text = other.positives[0]
        if other.query != own.query and text not in passages and text not in own.positives:
            break
    return text
