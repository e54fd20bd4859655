"""Every recipe is valid and says what its source says; the documentation lists all keys."""

from pathlib import Path

import pytest

from lmk_encoder.training.config import (
    DataSettings,
    LossSettings,
    ModelSettings,
    RunSettings,
    load_config,
)

ROOT = Path(__file__).parents[2]
RECIPES = sorted((ROOT / "recipes").glob("*.toml"))
DEVICES = 8  # of the paper


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_are_valid(path):
    config = load_config(path)

    assert config.train.out == Path("runs") / path.stem
    assert f"recipes/{path.name}" in path.read_text(encoding="utf-8")  # the command that runs it


@pytest.mark.parametrize(
    ("name", "queries", "steps", "warmup", "group", "query_tokens", "passage_tokens"),
    [
        ("msmarco-passages", 2048, 5000, 250, 8, 128, 512),
        ("msmarco-documents", 256, 5000, 250, 2, 128, 8192),
        ("multilingual", 1024, 10_000, 250, 8, 128, 512),
        ("long-ablation", 64, 5000, 1000, 2, 512, 4096),  # trap T22: "8k" trains at 4,096
    ],
)
def test_the_papers_settings(name, queries, steps, warmup, group, query_tokens, passage_tokens):
    config = load_config(ROOT / f"recipes/paper-{name}.toml")
    model, run = config.model, config.train

    assert run.batch * DEVICES == queries
    assert (run.steps, run.warmup, run.group) == (steps, warmup, group)
    assert (model.query_tokens, model.passage_tokens) == (query_tokens, passage_tokens)
    assert (model.chunks, model.granularity) == ("fixed", (32, 64, 128, 256))
    assert (run.learning_rate, run.weight_decay, run.bf16) == (2e-5, 0, True)
    (loss,) = config.loss
    assert (loss.kind, loss.on, loss.temperature) == ("distillation", "document", 0.02)


def test_the_papers_languages():
    data = load_config(ROOT / "recipes/paper-multilingual.toml").data

    assert len(data) == 19
    assert sum(source.weight for source in data) == 340


@pytest.mark.parametrize(
    ("table", "settings"),
    [
        ("[model]", ModelSettings),
        ("[train]", RunSettings),
        ("[[loss]]", LossSettings),
        ("[[data]]", DataSettings),
    ],
)
def test_every_setting_is_documented(table, settings):
    text = (ROOT / "docs/training.md").read_text(encoding="utf-8")
    part = text.split(f"### `{table}`")[1].split("###")[0]

    for name, field in settings.model_fields.items():
        row = next(line for line in part.splitlines() if line.startswith(f"| `{name}` "))
        assert field.description in row
