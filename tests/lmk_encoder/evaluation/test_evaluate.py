"""A set through the systems to figures and table."""

import pytest

pytest.importorskip("ir_measures", reason="extra eval")
pytest.importorskip("bm25s", reason="extra eval")

from lmk_encoder.errors import ConfigError
from lmk_encoder.evaluation.base_model import BaseModel
from lmk_encoder.evaluation.datasets import load_set
from lmk_encoder.evaluation.evaluate import run_systems, system_names
from lmk_encoder.evaluation.figures import figures
from lmk_encoder.evaluation.landmark import landmark_systems
from lmk_encoder.evaluation.report import results_table
from lmk_encoder.landmarks import Interval
from lmk_encoder.testing import KeywordEncoder
from lmk_encoder.types import no_progress

KEYS = "ndcg@10 ci recall@10 recall@100 mrr@10 accuracy@1 tokens_per_s vectors_per_doc".split()


@pytest.fixture
def data(set_folder):
    return load_set(set_folder)


@pytest.fixture
def keyword_systems(data):
    return landmark_systems(
        KeywordEncoder(), data, policy=Interval(4), progress=no_progress, settings={"g": 4}
    )


def test_figures_of_an_encoder_whose_ranks_can_be_read_off(data, keyword_systems):
    result = figures(data, keyword_systems)
    row = result["landmark"]
    assert row["accuracy@1"] == row["ndcg@10"] == row["recall@10"] == 1
    assert row["ci"] == [1, 1]
    assert row["documents"] == row["queries"] == 3
    assert row["vectors_per_doc"] == pytest.approx(8 / 3)
    assert row["bytes_per_doc"] == row["vectors_per_doc"] * 64 * 2
    assert row["passage_hit@3"] == 1
    assert row["localised_queries"] == 2
    assert "passage_hit@1" not in result["document"]
    assert result["document"]["vectors_per_doc"] == 1
    assert row["g"] == 4


def test_every_other_system_is_compared_with_the_named_one(data, keyword_systems):
    result = figures(data, keyword_systems, against="document")
    assert result["landmark"]["compared"]["with"] == "document"
    assert "compared" not in result["document"]
    with pytest.raises(ConfigError, match="Use: document, landmark"):
        figures(data, keyword_systems, against="chunks")


def test_all_systems_have_all_keys(data, tiny, base_model_folder):
    base = BaseModel(base_model_folder, device="cpu", dtype="float32")
    stages = []
    systems = run_systems(
        tiny,
        data,
        granularities=[8, 4],
        base=base,
        progress=lambda stage, done, total: stages.append((stage, done == total)),
    )
    assert list(systems) == system_names([8, 4], [], baselines=True)
    assert list(systems) == [
        *("document", "landmark", "document@4", "landmark@4"),
        *("bm25", "first512", "chunks", "chunks_mean", "late_chunking"),
    ]
    result = figures(data, systems, against="chunks")
    for row in result.values():
        assert set(KEYS) <= row.keys()
    assert result["landmark@4"]["vectors_per_doc"] > result["landmark"]["vectors_per_doc"]
    assert ("small landmark", True) in stages
    table = results_table({"small": result, "again": result})
    assert table.count("| small ") == len(systems)
    assert f"| {result['bm25']['ndcg@10']:.3f} " in table.replace("  ", " ")
    assert table.count("| mean ") == len(systems)
