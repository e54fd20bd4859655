"""What is counted of a ranking: nDCG@10, recall@10, the place, and how sure a mean is."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness.sets import Query, Range

DEPTH = 10
PLACES = 3
BOOTSTRAP_DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system says to one query: documents, best first, and the best places in each;
    None of a system that knows no places."""

    documents: Sequence[int]
    places: Mapping[int, Sequence[Range]] | None


def figures(
    answers: Sequence[Answer], queries: Sequence[Query], bytes_per_doc: float
) -> dict[str, Any]:
    """The figures of one system on one set.

    ``passage@k``: the share of the queries with a place whose right document is among the ten
    found and shows the answer in one of its first k passages.
    """
    pairs = list(zip(answers, queries, strict=True))
    gains = [ndcg(answer.documents, query.right) for answer, query in pairs]
    recalls = [
        len(query.right.intersection(answer.documents[:DEPTH])) / len(query.right)
        for answer, query in pairs
    ]
    found: dict[str, Any] = {
        "ndcg@10": statistics.fmean(gains),
        "ci": list(interval(gains)),
        "recall@10": statistics.fmean(recalls),
    }
    for k in (1, PLACES):
        shown = [
            _is_shown(answer.documents, answer.places, query, k)
            for answer, query in pairs
            if query.has_place and answer.places is not None
        ]
        found[f"passage@{k}"] = statistics.fmean(shown) if shown else None
    return {**found, "bytes_per_doc": round(bytes_per_doc)}


def _is_shown(
    documents: Sequence[int], places: Mapping[int, Sequence[Range]], query: Query, k: int
) -> bool:
    return any(
        query.is_held_by(start, end)
        for document in documents[:DEPTH]
        if document in query.right
        for start, end in places.get(document, ())[:k]
    )


def ndcg(found: Sequence[int], right: frozenset[int], depth: int = DEPTH) -> float:
    """nDCG with relevance 1 for every right document (trec_eval's gain)."""
    gain = sum(
        1 / math.log2(rank + 1) for rank, name in enumerate(found[:depth], 1) if name in right
    )
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(right), depth) + 1))
    return gain / ideal if ideal else 0.0


def interval(values: Sequence[float]) -> tuple[float, float]:
    """95 % bootstrap interval of the mean over queries."""
    drawn = np.random.default_rng(0).choice(np.array(values), (BOOTSTRAP_DRAWS, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
