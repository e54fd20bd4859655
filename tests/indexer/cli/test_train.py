import json
import os
import socket
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from indexer.cli.main import app
from lmk_encoder.errors import ConfigError, MissingExtra
from lmk_encoder.testing import write_tiny_checkpoint
from lmk_encoder.training import require_extra


def lmk(*arguments):
    return CliRunner().invoke(app, ["train", *map(str, arguments)])


@pytest.fixture
def config(tmp_path):
    write_tiny_checkpoint(tmp_path / "base")
    rows = [{"query": f"q {n}", "positive": f"answer {n} " * 5} for n in range(8)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "pairs.jsonl").write_text(lines)
    path = tmp_path / "train.toml"
    path.write_text(
        f"""
[model]
base = "{tmp_path}/base"
granularity = 8
passage_tokens = 40
query_tokens = 16

[train]
out = "{tmp_path}/run"
steps = 50
batch = 4
group = 1

[[data]]
path = "{tmp_path}/pairs.jsonl"
"""
    )
    return path


def test_a_config_is_trained_as_it_is_named(config, tmp_path):
    """``lmk train CONFIG`` needs no further word, and options replace the file's values."""
    done = lmk(config, "--steps", 2, "--device", "cpu", "--out", tmp_path / "other", "--quiet")

    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("2 steps, ")
    assert (tmp_path / "other/model/lmk.json").is_file()
    assert not (tmp_path / "run").exists()
    again = lmk(config, "--steps", 2, "--device", "cpu", "--out", tmp_path / "other")
    assert isinstance(again.exception, ConfigError)
    assert "--resume" in str(again.exception)


@pytest.mark.slow
def test_two_processes_train_together(config, tmp_path):
    """As accelerate launch starts them: one folder, one journal, one line at the end."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = str(found.getsockname()[1])
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    options = ["--steps", "2", "--device", "cpu", "--quiet"]
    command = [sys.executable, "-m", "indexer.cli.main", "train", str(config), *options]
    processes = [
        subprocess.Popen(
            command,
            env=os.environ | common | {"RANK": rank, "LOCAL_RANK": rank, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in ("0", "1")
    ]
    printed = [process.communicate(timeout=300)[0] for process in processes]

    assert [process.returncode for process in processes] == [0, 0]
    assert printed[0].startswith("2 steps, ")
    assert printed[1] == ""
    assert (tmp_path / "run/model/lmk.json").is_file()
    assert len((tmp_path / "run/metrics.jsonl").read_text().splitlines()) == 1


def test_help_lists_the_commands():
    assert lmk("--help").exit_code == 0
    for word in ("run", "mine"):
        assert word in lmk("--help").stdout


def test_negatives_are_mined_into_a_file(tmp_path, config):
    done = lmk("mine", tmp_path / "pairs.jsonl", "--out", tmp_path / "mined.jsonl", "--count", 2,
               "--margin", 1, "--quiet")  # fmt: skip

    assert done.exit_code == 0, done.output
    assert "8 queries" in done.stdout
    assert len((tmp_path / "mined.jsonl").read_text().splitlines()) == 8


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    import lmk_encoder.evaluation.extras as extras

    def absent(name):
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(extras, "import_module", absent)

    with pytest.raises(MissingExtra, match=r"lmk\[train\]"):
        require_extra()
