"""A tiny model and tiny data, so that a whole run takes a second."""

import json
import socket

import pytest

from lmk_encoder.testing import write_tiny_checkpoint
from lmk_encoder.training.config import parse_config


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    """A checkpoint of two layers: windows of 64 ids, a word of n letters is n tokens."""
    folder = tmp_path_factory.mktemp("base")
    write_tiny_checkpoint(folder)
    return folder


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Twelve pairs with negatives, and eight texts."""
    folder = tmp_path_factory.mktemp("data")
    pairs = [
        {
            "query": f"what is {name}",
            "pos": [f"{name} is the thing called {name}, and there is more to say of it. " * 2],
            "neg": [f"{other} is not it. " for other in ("rock", "sand", "clay")],
            "kind": "even" if len(name) % 2 == 0 else "odd",
        }
        for name in "oak elm ash fir yew larch cedar beech birch maple alder aspen".split()
    ]
    texts = [{"text": f"page {n} tells of trees and of woods. " * 5} for n in range(8)]
    for name, rows in (("pairs", pairs), ("texts", texts)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture
def config(base, data, tmp_path):
    """Makes the settings of a tiny run; keywords change its tables."""

    def make(**tables):
        model = {
            "base": str(base),
            "granularity": [4, 8],
            "passage_tokens": 40,
            "query_tokens": 16,
        }
        run = {"out": str(tmp_path / "run"), "steps": 6, "batch": 3, "group": 3, "log_every": 1}
        run |= {"learning_rate": 1e-3, "device": "cpu", "checkpoint_every": 2}
        values = {
            "model": model | tables.pop("model", {}),
            "train": run | tables.pop("train", {}),
            "data": [{"path": str(data / "pairs.jsonl")}],
        }
        return parse_config(values | tables, "test")

    return make


@pytest.fixture
def free_port():
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
