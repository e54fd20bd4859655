import json

import pytest

from indexer import DocumentIndex
from indexer.errors import TuningRefused
from indexer.tuning import tune as tune_module
from indexer.tuning.pairs import SyntheticPair
from indexer.tuning.tune import held_out_set, split_pairs, tune
from lmk_encoder.testing import write_tiny_checkpoint

NAMES = "oak elm ash fir yew larch cedar beech birch maple alder aspen rowan hazel holly".split()


def text(name):
    parts = [
        f"# All about the {name} tree\n",
        f"The {name} grows where the soil is deep and damp. " + f"A {name} needs light. " * 6,
    ]
    for topic in ("wood", "leaves", "fruit", "bark"):
        body = f"They say that its {topic} is used by people. " + f"The {topic} is {name}. " * 6
        parts.append(f"\n## What the {topic} of the {name} is for\n\n{body}\n")
    return "".join(parts)


@pytest.fixture
def index(tmp_path):
    write_tiny_checkpoint(tmp_path / "base", window_tokens=256)
    (tmp_path / "docs").mkdir()
    for name in NAMES:
        (tmp_path / f"docs/{name}.md").write_text(text(name), encoding="utf-8")
    with DocumentIndex.open(tmp_path / "index", model=str(tmp_path / "base")) as opened:
        opened.add([tmp_path / "docs"])
    return tmp_path / "index"


@pytest.fixture
def qualities(monkeypatch):
    """Sets what the check finds, before and after."""

    def values(*found):
        queue = list(found)
        monkeypatch.setattr(tune_module, "retrieval_quality", lambda *_: queue.pop(0))

    return values


def test_a_better_checkpoint_is_kept_and_says_what_it_found(index, tmp_path, qualities):
    qualities(0.5, 0.6)
    report = tune(index, tmp_path / "run", steps=2, device="cpu")

    assert (report.model / "lmk.json").is_file()
    figures = json.loads((tmp_path / "run/figures.json").read_text())
    assert (figures["before"], figures["after"]) == (0.5, 0.6)
    assert figures["pairs"] == report.pairs >= 40
    with DocumentIndex.open(tmp_path / "again", model=str(report.model)) as opened:
        opened.add([tmp_path / "docs/oak.md"])


def test_a_worse_one_is_refused(index, tmp_path, qualities):
    qualities(0.6, 0.5)

    with pytest.raises(TuningRefused, match=r"fell from 0\.600 to 0\.500"):
        tune(index, tmp_path / "run", steps=2, device="cpu")
    assert not (tmp_path / "run/model").exists()


def test_too_few_questions_are_refused(tmp_path):
    write_tiny_checkpoint(tmp_path / "base", window_tokens=256)
    (tmp_path / "oak.md").write_text(text("oak"), encoding="utf-8")
    with DocumentIndex.open(tmp_path / "index", model=str(tmp_path / "base")) as opened:
        opened.add([tmp_path / "oak.md"])

    with pytest.raises(TuningRefused, match=r"At least 40 are needed"):
        tune(tmp_path / "index", tmp_path / "run")


def test_whole_documents_are_held_out_and_found_among_all_answers():
    pairs = [SyntheticPair(f"q{n}", f"answer {n}", f"doc{n % 10}") for n in range(50)]

    training, held_out = split_pairs(pairs)

    assert len(held_out) == 10
    assert not {p.doc_id for p in training} & {p.doc_id for p in held_out}
    check = held_out_set(training, held_out)
    assert (len(check.queries), len(check.documents)) == (10, 50)
    (right,) = check.qrels["q3"]
    assert check.documents[right] == held_out[3].positive


def test_of_few_documents_questions_are_held_out():
    pairs = [SyntheticPair(f"q{n}", f"answer {n}", "one") for n in range(50)]

    training, held_out = split_pairs(pairs)

    assert (len(training), len(held_out)) == (40, 10)
