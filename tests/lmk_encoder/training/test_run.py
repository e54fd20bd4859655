"""Whole runs of a tiny model."""

import json
from itertools import count

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer

from lmk_encoder import LandmarkEncoder
from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import ConfigError
from lmk_encoder.training.config import ModelSettings
from lmk_encoder.training.journal import read_metrics
from lmk_encoder.training.run import checkpoint_config, last_checkpoint, train

TIMED = ("tokens", "tokens_per_s")


def weights(report):
    return load_file(report.model / "model.safetensors")


def metrics(folder):
    rows = read_metrics(folder)
    return [{key: row[key] for key in row if key not in TIMED} for row in rows]


def test_a_run_leaves_a_model_metrics_and_curves(config, tmp_path):
    seen = []
    report = train(config(), progress=seen.append)

    encoder = LandmarkEncoder(report.model, device="cpu", dtype="float32")
    vectors = encoder.encode_query(["what is oak"])
    library = SentenceTransformer(str(report.model), trust_remote_code=True, device="cpu")
    np.testing.assert_allclose(library.encode_query(["what is oak"]), vectors, atol=1e-5)
    rows = read_metrics(tmp_path / "run")
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[-1]["tokens"] == report.tokens == seen[-1].tokens > 0
    assert seen[-1].remaining_s == 0
    assert (tmp_path / "run/curves.png").read_bytes().startswith(b"\x89PNG")
    written = json.loads((tmp_path / "run/config.json").read_text())
    assert written["train"]["steps"] == 6


def test_a_run_resumed_from_any_checkpoint_equals_an_undisturbed_one(config, data, tmp_path):
    """Dropout, the draw of granularities, the order of rows and the learning rate included."""
    settings = {
        "model": {"dropout": 0.1},
        "data": [
            {"path": str(data / "pairs.jsonl"), "weight": 2},
            {"path": str(data / "texts.jsonl"), "batch": 2},
        ],
        "loss": [
            {"kind": "distillation"},
            {"kind": "landmark_distillation", "on": "landmarks", "teacher": "self"},
        ],
    }
    whole = train(config(train={"out": str(tmp_path / "whole")}, **settings))
    stops = count(1)
    parts = config(train={"out": str(tmp_path / "parts"), "checkpoint_every": 100}, **settings)
    first = train(parts, should_stop=lambda: next(stops) == 3)
    assert (first.model, first.steps) == (None, 3)

    resumed = train(parts, resume=True)

    assert resumed.steps == 6
    expected = weights(whole)
    for name, tensor in weights(resumed).items():
        torch.testing.assert_close(tensor, expected[name], rtol=0, atol=0)
    assert metrics(tmp_path / "parts") == metrics(tmp_path / "whole")


@pytest.mark.parametrize("pooling", ["cls", "mean", "latent", "every_k", "last"])
def test_the_rivals_train_and_load(config, tmp_path, pooling):
    """The folder of each loads; of latent attention the weights are saved and resumed, too."""
    model = {"pooling": pooling, "passage_tokens": 60, "inference_granularity": 8}
    settings = config(model=model, train={"steps": 2, "checkpoint_every": 1})
    report = train(settings)

    encoder = LandmarkEncoder(report.model, device="cpu", dtype="float32")
    assert encoder.config.pooling == pooling
    assert np.isfinite(encoder.encode(["what is oak"])).all()
    (tmp_path / "run/checkpoints/checkpoint-2/trainer_state.json").unlink()
    expected = weights(report)
    assert train(settings, resume=True).steps == 2
    for name, tensor in weights(report).items():
        torch.testing.assert_close(tensor, expected[name], rtol=0, atol=0)


def test_a_checkpoint_that_was_not_finished_is_passed_over(tmp_path):
    for step, names in ((2, ["trainer_state.json"]), (10, ["trainer_state.json"]), (12, [])):
        folder = tmp_path / f"checkpoints/checkpoint-{step}"
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).touch()

    assert last_checkpoint(tmp_path).name == "checkpoint-10"


def test_a_run_folder_is_not_overwritten_and_not_mixed(config, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/config.json").write_text(json.dumps(config().model_dump(mode="json")))

    with pytest.raises(ConfigError, match=r"holds a run already.*--resume"):
        train(config())
    with pytest.raises(ConfigError, match="other settings under train"):
        train(config(train={"seed": 9}), resume=True)


def test_cluster_needs_json_lines(config, tmp_path):
    folder = tmp_path / "beir"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "d", "text": "t"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "t"}\n')
    (folder / "qrels.tsv").write_text("q\td\t1\n")

    with pytest.raises(ConfigError, match="cluster='kind' needs rows of JSON Lines"):
        train(config(data=[{"path": str(folder), "cluster": "kind"}]))


def test_neighbours_and_lengths_of_one_source(config, data):
    """Passages of the second source are cut later; half of its batches are of neighbours."""
    rows = {"path": str(data / "pairs.jsonl"), "batch": 2}
    report = train(
        config(
            model={"passage_tokens": 12},
            train={"steps": 4, "bf16": True},
            data=[rows, {**rows, "neighbours": "bm25", "passage_tokens": 40}],
        )
    )

    assert report.steps == 4
    with pytest.raises(ConfigError, match="cluster and neighbours exclude one another"):
        config(data=[{**rows, "neighbours": "bm25", "cluster": "source"}])


def test_the_finished_checkpoint_says_how_it_was_trained():
    base = EncoderConfig(granularity=64, window_tokens=1000)

    landmark = checkpoint_config(base, ModelSettings(inference_granularity=32))
    assert (landmark.granularity, landmark.chunks, landmark.end_token) == (32, "balanced", "")
    mean = checkpoint_config(base, ModelSettings(pooling="mean", inference_window_tokens=8192))
    assert (mean.pooling, mean.end_token, mean.window_tokens) == ("mean", "[SEP]", 8192)
    assert checkpoint_config(base, ModelSettings(chunks="fixed")).chunks == "fixed"
