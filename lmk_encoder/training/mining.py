"""Hard negatives: texts that rank high for a query and are no answer to it.

A text that scores nearly as high as the answer is likely to be one that nobody marked. It is left
out: a negative has to score below a share (the margin) of its query's positive.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.errors import DataError
from lmk_encoder.training.rows import Pair
from lmk_encoder.training.sources import Rows, open_rows, passage_texts
from lmk_encoder.types import FloatMatrix, Progress, no_progress

BM25, BUILTIN = "bm25", "builtin"
_QUERIES_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class MiningSettings:
    """How negatives are found.

    ``by``: "bm25", "builtin", or the folder of a teacher. ``count``: negatives of each query.
    ``first`` and ``last``: the ranks they are drawn from, from 1, answers left out. ``margin``:
    the share of the positive's score that a negative stays below. ``seed``: of the draw.
    """

    by: str = BM25
    count: int = 7
    first: int = 1
    last: int = 100
    margin: float = 0.95
    seed: int = 0


@dataclass(frozen=True, slots=True)
class MiningReport:
    """``too_close``: texts within the ranks that the margin left out."""

    queries: int
    negatives: int
    too_close: int


def mine_negatives(
    data: Path, out: Path, settings: MiningSettings, *, progress: Progress = no_progress
) -> MiningReport:
    """Write the pairs of ``data`` with negatives and scores, as rows of FlagEmbedding.

    Every text of ``data``, positive or negative, of any query, may become a negative. Queries
    that occur in several rows are written once, with all their positives.

    Raises:
        DataError: ``data`` has no pairs, or a row cannot be used.
        ModelError: the teacher cannot be loaded.
    """
    rows = open_rows(data)
    if not rows.has_queries:
        raise DataError(f"{data} has texts without queries.", "Name a file of pairs.")
    answers: dict[str, dict[str, None]] = {}
    for number in range(len(rows)):
        row = rows[number]
        assert isinstance(row, Pair)
        answers.setdefault(row.query, {}).update(dict.fromkeys(row.positives))
    passages = passage_texts(rows)
    places = {text: place for place, text in enumerate(passages)}
    queries = list(answers)
    scorer = _Bm25(passages) if settings.by == BM25 else _Teacher(settings.by, passages, progress)
    negatives = too_close = 0
    with out.open("w", encoding="utf-8") as file:
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            batch = queries[start : start + _QUERIES_AT_ONCE]
            for offset, scores in enumerate(scorer.scores(batch)):
                query = batch[offset]
                positives = [places[text] for text in answers[query]]
                random = np.random.default_rng([settings.seed, start + offset])
                chosen, left_out = choose_negatives(scores, positives, settings, random)
                negatives, too_close = negatives + len(chosen), too_close + left_out
                row_out = {
                    "query": query,
                    "pos": [passages[place] for place in positives],
                    "neg": [passages[place] for place in chosen],
                    "pos_scores": [round(float(scores[place]), 4) for place in positives],
                    "neg_scores": [round(float(scores[place]), 4) for place in chosen],
                }
                if settings.by == BM25:  # no teacher's opinion of how well a text answers
                    del row_out["pos_scores"], row_out["neg_scores"]
                file.write(json.dumps(row_out, ensure_ascii=False) + "\n")
            progress("mine", start + len(batch), len(queries))
    return MiningReport(len(queries), negatives, too_close)


def choose_negatives(
    scores: np.ndarray,
    positives: Sequence[int],
    settings: MiningSettings,
    random: np.random.Generator,
) -> tuple[list[int], int]:
    """Places of the negatives of one query, best first, and how many the margin left out (pure).

    Args:
        scores: (N,) of all texts.
        positives: places of its answers; the margin is measured from the lowest of them.
        settings: ranks, count and margin.
        random: draws among what is left.
    """
    lowest = float(scores[list(positives)].min())
    # A share of a score below zero would lie above it.
    ceiling = lowest - (1 - settings.margin) * abs(lowest)
    order = np.argsort(-scores, kind="stable")
    ranked = order[~np.isin(order, positives)][settings.first - 1 : settings.last]
    allowed = ranked[scores[ranked] < ceiling]
    count = min(settings.count, len(allowed))
    chosen = np.sort(random.choice(len(allowed), size=count, replace=False))
    return allowed[chosen].tolist(), len(ranked) - len(allowed)


def bm25_neighbours(rows: Rows, *, count: int) -> NDArray[np.int64]:
    """(rows, count) the rows whose first positive scores best for the query of each row.

    The row itself and rows with the same query or text are left out, which are no negatives;
    -1 where there are too few others.

    Raises:
        DataError: the rows have no queries.
    """
    pairs = [row for row in (rows[number] for number in range(len(rows))) if isinstance(row, Pair)]
    if len(pairs) < len(rows):
        raise DataError("Plain texts have no neighbours.", "Leave neighbours out of that [[data]].")
    texts = [pair.positives[0] for pair in pairs]
    index = _Bm25(texts)
    found = np.full((len(pairs), count), -1, dtype=np.int64)
    for start in range(0, len(pairs), _QUERIES_AT_ONCE):
        batch = pairs[start : start + _QUERIES_AT_ONCE]
        scores = index.scores([pair.query for pair in batch])
        for row, (pair, row_scores) in enumerate(zip(batch, scores, strict=True), start=start):
            best = np.argsort(-row_scores, kind="stable")[: 2 * count].tolist()
            near = [
                other
                for other in best
                if pairs[other].query != pair.query and texts[other] != texts[row]
            ][:count]
            found[row, : len(near)] = near
    return found


class _Bm25:
    """Scores by words."""

    def __init__(self, passages: Sequence[str]) -> None:
        from lmk_encoder.evaluation.lexical import Bm25

        self._index = Bm25(passages)

    def scores(self, queries: Sequence[str]) -> FloatMatrix:
        return self._index.scores(queries)


class _Teacher:
    """Scores by the vectors of a checkpoint."""

    def __init__(self, name: str, passages: Sequence[str], progress: Progress) -> None:
        from lmk_encoder.encoder import LandmarkEncoder

        self._encoder = LandmarkEncoder(None if name == BUILTIN else name)
        vectors = []
        for start in range(0, len(passages), _QUERIES_AT_ONCE):
            vectors.append(self._encoder.encode(passages[start : start + _QUERIES_AT_ONCE]))
            progress("encode", min(start + _QUERIES_AT_ONCE, len(passages)), len(passages))
        self._vectors = np.concatenate(vectors)

    def scores(self, queries: Sequence[str]) -> FloatMatrix:
        found: FloatMatrix = self._encoder.encode(queries, is_query=True) @ self._vectors.T
        return found
