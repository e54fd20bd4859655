"""Swapping the built-in model: checked before anything is replaced."""

import json
from pathlib import Path

import numpy as np
import pytest

from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ModelError
from lmk_encoder.testing import write_tiny_checkpoint
from scripts.set_builtin import main, set_builtin


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "new"
    path.mkdir()
    write_tiny_checkpoint(path)
    (path / "README.md").write_text("A tiny model.\n")
    (path / "NOTICE").write_text("Made for a test.\n")
    for name in ("tokenizer_config.json",):
        if not (path / name).exists():
            (path / name).write_text("{}")
    return path


def test_the_copy_gives_the_same_vectors(folder, tmp_path):
    target = tmp_path / "builtin"
    target.mkdir()
    (target / "old.txt").write_text("of the model before")
    size, fingerprint = set_builtin(folder, target)
    assert not (target / "old.txt").exists()
    assert (target / "NOTICE").read_text() == "Made for a test.\n"
    assert size == sum(file.stat().st_size for file in target.iterdir())
    assert json.loads((target / "config.json").read_text())["dtype"] == "float16"
    given, taken = LandmarkEncoder(folder), LandmarkEncoder(target)
    assert taken.fingerprint == fingerprint
    cosine = given.encode_query(["a b c"])[0] @ taken.encode_query(["a b c"])[0]
    assert np.isclose(cosine, 1, atol=2e-3)


def test_a_model_without_notices_is_refused_and_nothing_is_touched(folder, tmp_path, capsys):
    target = tmp_path / "builtin"
    target.mkdir()
    (target / "old.txt").write_text("of the model before")
    (folder / "NOTICE").unlink()
    with pytest.raises(ModelError, match="lacks a NOTICE or LICENSE"):
        set_builtin(folder, target)
    assert main([str(folder), "--target", str(target)]) == 1
    assert "lacks a NOTICE" in capsys.readouterr().err
    assert [file.name for file in target.iterdir()] == ["old.txt"]
