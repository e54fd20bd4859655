import math

import numpy as np
import pytest

pytest.importorskip("ir_measures", reason="extra eval")

from lmk_encoder.evaluation.metrics import METRICS, per_query


def test_values_worked_out_by_hand():
    """Relevances 3 and 2, retrieved at ranks 3 and 1: (2/1 + 3/2) / (3 + 2/log2(3))."""
    run = {"q": {"two": 9.0, "wrong": 8.0, "three": 7.0}}
    values = per_query({"q": {"three": 3, "two": 2}}, run)
    assert values["ndcg@10"][0] == pytest.approx((2 + 3 / 2) / (3 + 2 / math.log2(3)))
    assert values["recall@10"][0] == values["mrr@10"][0] == values["accuracy@1"][0] == 1


def test_what_lies_beyond_the_cut_does_not_count():
    run = {"q": {f"d{i:02d}": 100.0 - i for i in range(50)}}
    values = per_query({"q": {"d10": 1}}, run)  # rank 11
    assert [values[name][0] for name in METRICS] == [0, 0, 1, 0, 0, 0]


def test_queries_keep_their_order_and_missing_ones_count_nothing():
    qrels = {"b": {"x": 1}, "a": {"x": 1}, "c": {"x": 1}}
    values = per_query(qrels, {"a": {"x": 1.0}, "c": {"y": 2.0, "x": 1.0}})
    assert values["accuracy@1"].tolist() == [0, 1, 0]
    assert values["mrr@10"].tolist() == [0, 1, 0.5]


def test_agrees_with_the_plain_formula():
    generator = np.random.default_rng(0)
    docs = [f"d{i}" for i in range(30)]
    qrels, run = {}, {}
    for q in range(20):
        qrels[f"q{q}"] = {doc: int(generator.integers(0, 4)) for doc in docs[:15]} | {"d0": 1}
        run[f"q{q}"] = dict(zip(docs, generator.permutation(30).astype(float), strict=True))
    values = per_query(qrels, run)["ndcg@10"]
    for row, query in enumerate(qrels):
        ranked = sorted(docs, key=lambda doc: -run[query][doc])[:10]
        gains = [qrels[query].get(doc, 0) / math.log2(i + 2) for i, doc in enumerate(ranked)]
        ideal = sorted(qrels[query].values(), reverse=True)[:10]
        best = sum(gain / math.log2(i + 2) for i, gain in enumerate(ideal))
        assert values[row] == pytest.approx(sum(gains) / best)
