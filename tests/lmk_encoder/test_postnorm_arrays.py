"""The forward pass in numpy against the one in torch."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from scipy.special import erf

from lmk_encoder.checkpoint import BUILTIN_FOLDER
from lmk_encoder.postnorm import PostNormEncoder
from lmk_encoder.postnorm_arrays import ArrayPostNorm, _gelu

KINDS = ["bert", "roberta", "xlm-roberta", "camembert", "jina_embeddings_v3"]


def states_of_both(folder, ids, read):
    ours, theirs = ArrayPostNorm.read(folder, 64), PostNormEncoder.read(folder, torch.float32)
    assert ours.dimension == theirs.dimension
    assert ours.max_positions == theirs.max_positions
    with torch.inference_mode():
        expected = theirs.on(torch.device("cpu"))(torch.from_numpy(ids)[None])
    return ours(ids, np.array(read)), expected[0, read].numpy()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [1, 2, 17, 60])
def test_states_are_those_of_torch(write_random, tmp_path, kind, length):
    ids = np.arange(length) * 7 % 37 + 2
    read = [length - 1, 0]
    ours, expected = states_of_both(write_random(tmp_path, kind), ids, read)

    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=1e-4)


@pytest.mark.skipif(
    not (BUILTIN_FOLDER / "model.safetensors").exists(), reason="no built-in weights"
)
def test_the_built_in_model_has_the_same_states():
    ids = np.random.default_rng(0).integers(1000, 30000, 40)
    ours, expected = states_of_both(BUILTIN_FOLDER, ids, list(range(40)))

    np.testing.assert_allclose(ours, expected, atol=1e-5)


def test_what_numpy_cannot_hold_or_we_do_not_know_is_left_to_torch(write_random, tmp_path):
    folder = write_random(tmp_path, "bert")
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"hidden_act": "relu"}))
    assert ArrayPostNorm.read(folder, 64) is None

    folder = write_random(tmp_path / "bfloat16", "bert")
    weights = load_file(folder / "model.safetensors")
    half = {name: weight.bfloat16() for name, weight in weights.items()}
    save_file(half, folder / "model.safetensors", {"format": "pt"})
    assert ArrayPostNorm.read(folder, 64) is None


def test_gelu_is_exact_to_float32():
    values = np.concatenate([np.linspace(-12, 12, 4001), [0.0, 1e-8, -1e-8, 100, -100]])
    values = values.astype(np.float32)[:, None]
    exact = values.astype(np.float64) * (1 + erf(values.astype(np.float64) / np.sqrt(2))) / 2

    np.testing.assert_allclose(_gelu(values), exact, atol=5e-7, rtol=2e-7)
