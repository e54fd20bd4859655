"""What is counted of a ranking: nDCG@10, recall@10, the place, and how sure a mean is."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.harness.sets import Query, Range
from lmk_encoder.evaluation.metrics import MAIN_METRIC, per_query
from lmk_encoder.evaluation.statistics import bootstrap_interval

DEPTH = 10
PLACES = 3


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
    values = per_query(
        {str(row): {str(doc): 1 for doc in query.right} for row, query in enumerate(queries)},
        {
            str(row): {str(doc): float(-rank) for rank, doc in enumerate(answer.documents[:DEPTH])}
            for row, answer in enumerate(answers)
        },
    )
    found: dict[str, Any] = {
        "ndcg@10": float(values[MAIN_METRIC].mean()),
        "ci": list(bootstrap_interval(values[MAIN_METRIC])),
        "recall@10": float(values["recall@10"].mean()),
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
