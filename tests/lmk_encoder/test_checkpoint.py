"""Checkpoint folders: found, identified, licensed."""

import json
import shutil

import numpy as np
import pytest

from lmk_encoder.checkpoint import BUILTIN_FOLDER, find_checkpoint, fingerprint
from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ModelError
from lmk_encoder.formats.reading import read_checkpoint


def identity(folder):
    return fingerprint(read_checkpoint(folder))


@pytest.fixture
def folder(tiny, tmp_path):
    return shutil.copytree(tiny.folder, tmp_path / "model")


def test_no_name_means_the_built_in_model():
    assert find_checkpoint() == find_checkpoint("builtin") == BUILTIN_FOLDER


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"nowhere is no folder.*built-in"):
        find_checkpoint(tmp_path / "nowhere")


def test_a_folder_without_weights_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"no weights.*save_pretrained"):
        find_checkpoint(tmp_path)


def test_the_fingerprint_is_that_of_the_content(tiny, folder):
    """A copy elsewhere is the same model."""
    assert identity(folder) == identity(tiny.folder) == tiny.fingerprint


def test_a_setting_changes_the_identity(folder):
    before = identity(folder)
    settings = json.loads((folder / "lmk.json").read_text())
    (folder / "lmk.json").write_text(json.dumps(settings | {"granularity": 4}))

    assert LandmarkEncoder(folder, device="cpu").fingerprint not in (before, "")


def test_a_readable_name_does_not_change_the_fingerprint(folder):
    before = identity(folder)
    settings = json.loads((folder / "lmk.json").read_text())
    (folder / "lmk.json").write_text(json.dumps(settings | {"name": "another"}))

    assert identity(folder) == before


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_every_file_counts(folder, name):
    before = identity(folder)
    path = folder / name
    path.write_bytes(path.read_bytes() + b"\n")

    assert identity(folder) != before


@pytest.fixture
def older(folder):
    """A tokenizer of before ``tokenizer.json``, as many checkpoints still have it."""
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in vocabulary))
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "tokenizer.json").unlink()
    return folder


def test_without_a_tokenizer_file_its_settings_count(older):
    before, encoder = identity(older), LandmarkEncoder(older, device="cpu", dtype="float32")
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": False}
    (older / "tokenizer_config.json").write_text(json.dumps(settings))
    other = LandmarkEncoder(older, device="cpu", dtype="float32")

    assert not np.allclose(encoder.encode(["WHY"]), other.encode(["WHY"]), atol=1e-4)
    assert other.fingerprint == identity(older) != before == encoder.fingerprint


def test_without_a_tokenizer_file_its_words_count(older):
    before = identity(older)
    words = (older / "vocab.txt").read_text().splitlines()
    words[10], words[11] = words[11], words[10]
    (older / "vocab.txt").write_text("".join(f"{word}\n" for word in words))

    assert identity(older) != before


def test_the_built_in_model_comes_with_its_terms():
    assert "Apache" in (BUILTIN_FOLDER / "NOTICE").read_text(encoding="utf-8")
