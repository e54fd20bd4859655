"""Measures of a run, a value a query. The only file that knows ir_measures (trec_eval).

nDCG with trec_eval's gain (the relevance itself); equal scores are ordered by trec_eval's rule,
by document id, so that nobody gains from the order of a file.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.evaluation.datasets import Qrels
from lmk_encoder.evaluation.extras import need

Run = dict[str, dict[str, float]]
QueryValues = NDArray[np.float64]

MAIN_METRIC = "ndcg@10"
METRICS = (MAIN_METRIC, "recall@10", "recall@100", "mrr@10", "accuracy@1", "recall@5")
RUN_DEPTH = 100  # documents a run has to hold for these measures


def per_query(qrels: Qrels, run: Run) -> dict[str, QueryValues]:
    """Metric -> (Q,) values in the order of ``qrels``; a query that ``run`` lacks counts 0."""
    measures: Any = need("ir_measures")
    named = {
        measures.nDCG @ 10: MAIN_METRIC,
        measures.R @ 5: "recall@5",
        measures.R @ 10: "recall@10",
        measures.R @ 100: "recall@100",
        measures.RR @ 10: "mrr@10",
        measures.Success @ 1: "accuracy@1",
    }
    rows = {query: row for row, query in enumerate(qrels)}
    values = {name: np.zeros(len(rows)) for name in METRICS}
    for found in measures.iter_calc(list(named), qrels, run):
        values[named[found.measure]][rows[found.query_id]] = found.value
    return values
