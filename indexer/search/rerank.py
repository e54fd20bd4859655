"""A second look at the first documents of a ranking. Off unless it is asked for by name.

"landmarks": the query is taken apart into sub-questions, and each looks for its own best
landmark (MaxSim over all landmark vectors of a document). Any other name is a cross-encoder,
which reads the query together with the best passages.
"""

from collections.abc import Sequence

import numpy as np
import regex

from indexer.search.fusion import Scores, standardised
from lmk_encoder.types import FloatMatrix

LANDMARKS = "landmarks"
DEPTH = 50  # documents that are looked at again, whatever page is shown: pages continue
WHOLE = 0.5  # of the whole query beside its pieces
PIECE_WORDS = 8
# A cross-encoder has read both texts: what it says goes before the fused score, not beside it.
WEIGHTS = {LANDMARKS: 1.0, "cross-encoder": 4.0}
_CLAUSE = regex.compile(r"[.,;:?!\n]+\s|\s(?:and|or|und|oder|et|ou|y|o)\s", regex.IGNORECASE)


def pieces(query: str) -> list[str]:
    """The sub-questions of a query: its clauses, long ones in parts of eight words. A query of
    one clause is its own only piece."""
    found: list[str] = []
    for clause in _CLAUSE.split(query):
        words = clause.split()
        found += [
            " ".join(words[i : i + PIECE_WORDS])
            for i in range(0, len(words), PIECE_WORDS)
            if len(words[i : i + PIECE_WORDS]) > 1
        ]
    return list(dict.fromkeys(found)) if len(found) > 1 else [query]


def max_similarity(landmarks: FloatMatrix, whole: FloatMatrix, parts: FloatMatrix) -> float:
    """Mean over the pieces of the cosine of their best landmark, mixed with that of the whole
    query. ``landmarks`` (n, D), ``whole`` (1, D) and ``parts`` (J, D) are of unit length."""
    best = (landmarks @ np.concatenate([whole, parts]).T).max(axis=0)
    return float(WHOLE * best[0] + (1 - WHOLE) * best[1:].mean())


def gains(scores: Sequence[float], weight: float) -> Scores:
    """What is added to the fused scores of the documents looked at: nothing for the worst, so
    that all of them stay before those that were not."""
    z = standardised(np.asarray(scores, dtype=np.float64))
    return np.asarray(weight * (z - z.min(initial=0.0)))
