"""The reproduction on a tiny backbone and a tiny set: the whole command, a step a pooling."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lmk_encoder.testing import write_tiny_checkpoint

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from scripts import reproduction, rotary_backbone  # noqa: E402


@pytest.fixture
def arguments(tmp_path):
    write_tiny_checkpoint(tmp_path / "backbone", window_tokens=512)
    names = "oak elm ash fir yew".split()
    data = tmp_path / "set"
    data.mkdir()
    documents = [{"_id": n, "text": f"The {n} is a tree, and {n} is its name. " * 9} for n in names]
    queries = [{"_id": n, "text": f"what is {n}"} for n in names]
    for name, rows in (("corpus", documents), ("queries", queries)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (data / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (data / "qrels.tsv").write_text("".join(f"{n}\t{n}\t1\n" for n in names), encoding="utf-8")
    pairs = [
        {"query": q["text"], "positive": d["text"]} for q, d in zip(queries, documents, strict=True)
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(p) + "\n" for p in pairs))
    return [
        "--train", str(tmp_path / "pairs.jsonl"), "--sets", str(data), "--out",
        str(tmp_path / "out"), "--backbone", str(tmp_path / "backbone"), "--steps", "1", "--batch",
        "2", "--seeds", "1", "--lengths", "64", "128", "--device", "cpu", "--float32",
    ]  # fmt: skip


@pytest.mark.slow
def test_one_command_trains_measures_and_prints(arguments, tmp_path, capsys):
    reproduction.main(arguments)

    printed = capsys.readouterr().out
    for system in (
        "cls",
        "cls read as multicls",
        "mean",
        "latent",
        "every_k",
        "lmk_sentences",
        "lmk_fixed@32",
        "lmk_variable@256",
    ):
        assert f"| {system} " in printed
    before = (tmp_path / "out/results.jsonl").read_text()
    assert len(before.splitlines()) == 2 * (1 + 1 + 1 + 1 + 1 + 1 + 4 + 4)
    reproduction.main(arguments)  # nothing is done again
    assert (tmp_path / "out/results.jsonl").read_text() == before


def test_nothing_but_the_pooling_differs(arguments, tmp_path):
    options = reproduction._options(arguments)
    configs = {
        name: reproduction.run_config(name, 1, tmp_path / "b", tmp_path / name, options)
        for name in reproduction.SYSTEMS
    }

    free = {"pooling", "chunks", "granularity", "inference_granularity", "name"}
    rest = {json.dumps(c.model.model_dump(exclude=free)) for c in configs.values()}
    assert len(rest) == 1
    assert len({c.train.model_copy(update={"out": None}) for c in configs.values()}) == 1
    assert configs["lmk_variable"].model.granularity == (32, 64, 128, 256)


def test_the_table_pairs_queries_over_seeds_and_weighs_sets_alike():
    rows = [
        {"system": s, "seed": seed, "set": data, "length": 512, "values": values}
        for seed in (1, 2)
        for s, data, values in (
            ("cls", "a", [0.0, 0.0]),
            ("cls", "b", [1.0]),
            ("mean", "a", [1.0, 0.0]),
            ("mean", "b", [1.0]),
        )
    ]

    printed = reproduction.report(rows)

    both, a, b = printed.split("\n\n")[1::2]
    assert "| cls | 0.500 | - |" in squeezed(both)  # the mean of 0 and 1, not of 0, 0 and 1
    assert "| mean | 0.750 |" in squeezed(both)
    assert "| cls | 0.000 | - |" in squeezed(a)
    assert "| mean | 1.000 | 1.000 |" in squeezed(b)


def squeezed(text):
    return " ".join(text.split())


def test_a_bert_with_rotary_positions_keeps_all_but_the_positions():
    width, random = 4, torch.Generator().manual_seed(0)

    def tensor(*shape):
        return torch.randn(*shape, generator=random)

    names = (
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        *rotary_backbone._LAYER,
    )
    bert = {
        f"encoder.layer.0.{name}.{part}": tensor(width)
        for name in names
        for part in ("weight", "bias")
    }
    bert |= {
        f"embeddings.{name}.weight": tensor(3, width)
        for name in ("word_embeddings", "position_embeddings", "token_type_embeddings")
    }
    bert |= {f"embeddings.LayerNorm.{part}": tensor(width) for part in ("weight", "bias")}

    found = rotary_backbone.rotary_weights(bert, 1)

    np.testing.assert_allclose(
        found["embeddings.token_type_embeddings.weight"][0],
        bert["embeddings.token_type_embeddings.weight"][0]
        + bert["embeddings.position_embeddings.weight"].mean(dim=0),
    )
    together = found["encoder.layers.0.mixer.Wqkv.bias"]
    assert torch.equal(together[width : 2 * width], bert["encoder.layer.0.attention.self.key.bias"])
    assert len(found) == 2 + 2 + 2 + 2 * 5  # embeddings, their norm, Wqkv, five parts of a layer
