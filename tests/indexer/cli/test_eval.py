"""``lmk eval`` from arguments to table and file."""

import json

import pytest
from typer.testing import CliRunner

pytest.importorskip("ir_measures", reason="extra eval")
pytest.importorskip("bm25s", reason="extra eval")

from indexer.cli.main import app
from lmk_encoder.errors import ConfigError, DataError
from lmk_encoder.testing import write_tiny_checkpoint

ROWS = {"a": "the pump was replaced", "b": "the roof leaks", "c": "high water"}


@pytest.fixture
def places(tmp_path):
    """A set, a checkpoint and a base model."""
    data, model = tmp_path / "small", tmp_path / "model"
    data.mkdir()
    lines = [json.dumps({"_id": key, "text": text}) for key, text in ROWS.items()]
    for name in ("corpus", "queries"):
        (data / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (data / "qrels.tsv").write_text("a\ta\t1\nb\tb\t1\nc\tc\t1\n", encoding="utf-8")
    write_tiny_checkpoint(model)
    tokens = {"cls_token": "[CLS]", "sep_token": "[SEP]"}
    (model / "tokenizer_config.json").write_text(json.dumps(tokens), encoding="utf-8")
    return data, model


def run(*arguments):
    return CliRunner().invoke(app, ["eval", *map(str, arguments)])


def test_a_table_on_standard_output_and_figures_in_a_file(places, tmp_path):
    data, model = places
    file = tmp_path / "figures.json"
    done = run(model, data, "--baselines", "--base", model, "--json", file, "--quiet")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("| set ")
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert list(figures) == ["small"]
    assert list(figures["small"]) == [
        *("document", "landmark", "bm25", "first512", "chunks", "chunks_mean", "late_chunking"),
    ]
    assert figures["small"]["bm25"]["accuracy@1"] == 1
    assert figures["small"]["document"]["compared"]["with"] == "chunks"


def test_without_baselines_the_checkpoint_alone(places):
    data, model = places
    done = run(model, data, "--granularity", 4, 8, "--max-documents", 2, "-q")
    assert done.exit_code == 0, done.output
    assert [line.split("|")[2].strip() for line in done.stdout.splitlines()[2:]] == [
        *("document", "landmark", "document@8", "landmark@8"),
    ]


def test_what_is_wrong_is_said_before_a_model_is_loaded(places, tmp_path):
    data, model = places
    assert isinstance(run(model, tmp_path / "nowhere").exception, DataError)
    assert "Two sets are called 'small'" in str(run(model, data, data).exception)
    with (data / "qrels.tsv").open("a", encoding="utf-8") as file:
        file.write("a b 1\n")
    assert "qrels.tsv:4" in str(run("no-model", data).exception)


def test_an_unknown_system_to_compare_with_is_named(places):
    data, _ = places
    failed = run("no-model", data, "--against", "chunks", "-q")
    assert isinstance(failed.exception, ConfigError)
    assert "Use one of: document, landmark" in str(failed.exception)


def test_hidden_sentences_by_length_with_a_picture(places, tmp_path):
    _, model = places
    file, picture = tmp_path / "figures.json", tmp_path / "needle.svg"
    hay = tmp_path / "hay.txt"
    hay.write_text("A quiet day at sea. " * 30, encoding="utf-8")
    done = run(
        *(model, "--needle", "--lengths", 40, 60, "--documents", 3, "--haystack", hay),
        *("--json", file, "--picture", picture, "-q"),
    )
    assert done.exit_code == 0, done.output
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert list(figures) == ["needle-40", "needle-60", "passkey-40", "passkey-60"]
    assert len(figures["needle-40"]["document"]["by_depth"]) == 5
    assert "needle-60" in done.stdout
    assert b"accuracy@1" in picture.read_bytes()


def test_nothing_to_measure_is_wrong_use(places):
    done = run(places[1])
    assert done.exit_code == 2
    assert "name at least one set" in done.output


def test_wrong_files_are_named_before_anything_runs(places, tmp_path):
    _, model = places
    failed = run(model, "--needle", "--haystack", tmp_path / "none.txt")
    assert "none.txt cannot be read" in str(failed.exception)
    for wrong in (("--picture", tmp_path / "a.bmp"), ("--json", tmp_path / "none" / "a.json")):
        assert isinstance(run(model, "--needle", *wrong).exception, ConfigError)


def test_analyses_with_a_picture(places, tmp_path):
    data, model = places
    file, picture = tmp_path / "figures.json", tmp_path / "analyses.png"
    done = run(
        *(model, data, "--analyses", "--granularity", 8, 4),
        *("--json", file, "--picture", picture, "-q"),
    )
    assert done.exit_code == 0, done.output
    found = json.loads(file.read_text(encoding="utf-8"))["small"]
    assert list(found) == [
        *("neighbours", "affinity", "position", "granularity", "model", "documents"),
    ]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_hidden_sets_are_not_mixed_with_tasks_and_analyses(places):
    data, model = places
    assert run(model, data, "--analyses", "--needle").exit_code == 2


def test_an_unknown_mteb_task_is_named(places):
    pytest.importorskip("mteb", reason="extra mteb")
    failed = run(places[1], "--mteb", "NoSuchTask")
    assert isinstance(failed.exception, ConfigError)
    assert "NoSuchTask" in str(failed.exception)


def test_other_poolings_and_windows_of_the_same_checkpoint(places, tmp_path):
    data, model = places
    file = tmp_path / "figures.json"
    window = ("--window", 16)  # smaller than the checkpoint's own: shorter queries and spans, too
    poolings = ("--pooling", "cls", "--pooling", "mean")
    done = run(model, data, *poolings, *window, "--json", file, "-q")
    assert done.exit_code == 0, done.output
    figures = json.loads(file.read_text(encoding="utf-8"))["small"]
    assert list(figures) == ["document", "landmark", "document:cls", "document:mean"]
    assert figures["document:cls"]["vectors_per_doc"] == 1
    assert {row["window"] for row in figures.values()} == {16}
    for wrong in (("--pooling", "median"), ("--window", 100_000), ("--granularity", 4, 33)):
        assert isinstance(run(model, data, *wrong, "-q").exception, ConfigError)
