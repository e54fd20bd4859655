"""Queries without torch: the same vectors, and what is left to the whole encoder."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from lmk_encoder.checkpoint import BUILTIN_FOLDER
from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ModelError
from lmk_encoder.formats.reading import read_checkpoint
from lmk_encoder.lazy import LazyEncoder
from lmk_encoder.preparation import Preparation
from lmk_encoder.queries import QueryEncoder
from lmk_encoder.testing import write_tiny_checkpoint

QUERIES = ["a", "who may open it?", "Ab CD. " * 3]


def load(folder):
    checkpoint = read_checkpoint(folder)
    return QueryEncoder.load(checkpoint, Preparation(checkpoint))


@pytest.fixture
def folder(tmp_path):
    write_tiny_checkpoint(tmp_path)
    return tmp_path


def set_config(folder, **settings):
    path = folder / "lmk.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"pooling": "mean"},
        {"pooling": "cls"},
        {"pooling": "last", "end_token": "[SEP]"},
        {"pooling": "every_k", "normalize_landmarks": False},
        {"query_prompt": "find: "},
        {"query_prompt": "find: ", "pooling": "mean", "include_prompt": False},
        {"truncate_dim": 8},
    ],
    ids=str,
)
def test_vectors_are_those_of_the_whole_encoder(folder, settings):
    set_config(folder, **settings)
    vectors = load(folder).encode(QUERIES)

    expected = LandmarkEncoder(folder, device="cpu", dtype="float32").encode_query(QUERIES)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


@pytest.mark.skipif(
    not (BUILTIN_FOLDER / "model.safetensors").exists(), reason="no built-in weights"
)
def test_vectors_of_the_built_in_model():
    queries = ["How are frames checked?", "def", "Wer öffnet die Schleuse? " * 15]
    expected = LandmarkEncoder(device="cpu", dtype="float32").encode_query(queries)

    np.testing.assert_allclose(load(None).encode(queries), expected, atol=1e-5)


def test_a_query_of_several_windows_is_left_to_the_whole_encoder(folder):
    long = "word and " * 40
    assert load(folder).encode([long]) is None
    assert load(folder).encode(["a" * 100_000]) is None
    assert load(folder).encode(["a b c d e f g"] * 100) is None

    lazy, eager = LazyEncoder(folder), LandmarkEncoder(folder)
    assert np.array_equal(lazy.encode_query([long]), eager.encode_query([long]))


def test_no_query_has_no_vector(folder):
    assert load(folder).encode([]).shape == (0, 32)


def test_blank_queries_are_refused(folder):
    with pytest.raises(ValueError, match="blank"):
        load(folder).encode(["a", " "])


def test_checkpoints_that_need_more_than_a_forward_pass_are_left_alone(folder, tmp_path):
    set_config(folder, pooling="latent")
    assert load(folder) is None

    other = shutil.copytree(folder, tmp_path / "other")
    set_config(other, pooling="landmark", window_tokens=1000)  # of 512 positions
    assert load(other) is None


def test_damaged_weights_are_named(folder):
    path = folder / "model.safetensors"
    weights = load_file(path)
    name = next(name for name in weights if "fc2.bias" in name)
    weights[name] = np.full_like(weights[name], np.nan)
    save_file(weights, path, {"format": "pt"})
    with pytest.raises(ModelError, match="not finite"):
        load(folder).encode(["a"])


def test_a_query_needs_no_torch(folder):
    code = (
        "import sys; from lmk_encoder.lazy import LazyEncoder\n"
        f"encoder = LazyEncoder({str(folder)!r})\n"
        "print(encoder.encode_query(['a b']).shape, encoder.count_tokens('a b'))\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules\n"
        "encoder.encode_query(['a b ' * 40])\n"
        "assert 'torch' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["(1,", "32)", "2"]
