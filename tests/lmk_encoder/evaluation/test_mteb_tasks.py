"""A checkpoint through mteb, on a small task made here: no hub, no cache."""

import pytest

pytest.importorskip("mteb", reason="extra mteb")

import datasets
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata

from lmk_encoder.errors import ConfigError, DataError
from lmk_encoder.evaluation.mteb_tasks import MtebEncoder, get_task, length_limit, run_tasks
from lmk_encoder.evaluation.presets import PRESETS, TaskSpec, task_specs
from lmk_encoder.landmarks import Interval
from lmk_encoder.types import no_progress

TEXTS = {"pump": "the pump was replaced", "roof": "the roof leaks", "tide": "high water twice"}


class HarbourRetrieval(AbsTaskRetrieval):
    metadata = TaskMetadata(
        name="HarbourRetrieval",
        description="three texts, each asked by itself",
        reference=None,
        dataset={"path": "nowhere/harbour", "revision": "1"},
        type="Retrieval",
        category="t2t",
        modalities=["text"],
        eval_splits=["dev", "test"],
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_10",
        date=None,
        domains=None,
        task_subtypes=None,
        license=None,
        annotations_creators=None,
        dialect=None,
        sample_creation=None,
        bibtex_citation=None,
    )

    def load_data(self, num_proc=None, **kwargs):
        rows = [{"id": key, "text": text, "title": ""} for key, text in TEXTS.items()]
        split = {
            "corpus": datasets.Dataset.from_list(rows),
            "queries": datasets.Dataset.from_list([{"id": k, "text": t} for k, t in TEXTS.items()]),
            "relevant_docs": {key: {key: 1} for key in TEXTS},
            "top_ranked": None,
        }
        self.dataset = {"default": {"dev": split, "test": split}}
        self.data_loaded = True


def task(*splits):
    made = HarbourRetrieval()
    made._eval_splits = list(splits) or None
    return made


def test_a_text_finds_itself(tiny):
    calls = []
    spec = TaskSpec("HarbourRetrieval", ("test",), metric="ndcg_at_10")
    results = dict(
        run_tasks(
            tiny,
            [(spec, task("test"))],
            policy=Interval(8),
            progress=lambda *now: calls.append(now),
        )
    )
    row = results["HarbourRetrieval"]["document"]
    assert row["main"] == row["ndcg@10"] == row["accuracy@1"] == 1
    assert row["by_split"] == {"test": {"default": 1.0}}
    assert ("HarbourRetrieval documents", 3, 3) in calls
    assert ("HarbourRetrieval queries", 3, 3) in calls


def test_vectors_are_those_of_the_encoder(tiny):
    model = MtebEncoder(tiny, Interval(8), None, no_progress)
    batches = [{"text": ["the pump was replaced"]}, {"text": ["high water"]}]
    found = model.encode(batches, task_metadata=HarbourRetrieval.metadata)
    right = tiny.encode(["the pump was replaced", "high water"], policy=Interval(8))
    assert found == pytest.approx(right, abs=1e-5)
    assert model.similarity(found, right).shape == (2, 2)
    assert model.similarity_pairwise(found, right) == pytest.approx([1, 1], abs=1e-5)


def test_texts_are_cut_only_if_one_pass_reads_so_much(tiny):
    """The tiny encoder reads 64 ids at once; longer texts go through whole, in windows."""
    assert length_limit(tiny, 32) == 32
    assert length_limit(tiny, 8192) is None
    assert length_limit(tiny, None) is None


def test_data_that_cannot_be_had_is_named(tiny):
    class Absent(HarbourRetrieval):
        def load_data(self, num_proc=None, **kwargs):
            raise OSError("no connection")

    with pytest.raises(DataError, match=r"HarbourRetrieval cannot be loaded.*no connection"):
        list(run_tasks(tiny, [(TaskSpec("x"), Absent())], policy=None, progress=no_progress))


def test_an_unknown_task_is_named_with_the_nearest():
    with pytest.raises(ConfigError, match="SciFact"):
        get_task(TaskSpec("SciFactt"))


@pytest.mark.parametrize("name", PRESETS)
def test_mteb_knows_every_task_of_the_presets(name):
    for spec in PRESETS[name]:
        found = get_task(spec)
        if spec.splits and name != "longembed":
            assert set(spec.splits) <= set(found.metadata.eval_splits), spec.name
        assert list(found.eval_splits) == list(spec.splits or found.metadata.eval_splits)


def test_presets_have_the_sizes_of_the_paper():
    sizes = {name: len(specs) for name, specs in PRESETS.items()}
    assert sizes["beir"] == 15
    assert sizes["mteb-v2-retrieval"] == sizes["coir"] == 10
    assert sizes["longembed"] == 6


def test_names_and_presets_mix_and_nothing_runs_twice():
    specs = task_specs(["longembed", "LEMBQMSumRetrieval", "SciFact"])
    assert [spec.metric for spec in specs[:2]] == ["precision_at_1"] * 2
    assert specs[0].max_tokens == 32_768
    assert specs[-1] == TaskSpec("SciFact")
    assert len(task_specs(["msmarco", "beir"])) == 15
