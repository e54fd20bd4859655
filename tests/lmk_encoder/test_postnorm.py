"""Our forward pass against transformers, which is the definition."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.nn.functional import cosine_similarity

from lmk_encoder.automodel import AutoEncoder
from lmk_encoder.checkpoint import BUILTIN_FOLDER
from lmk_encoder.postnorm import PostNormEncoder, rotation_table, turned

CPU = torch.device("cpu")
KINDS = ["bert", "roberta", "xlm-roberta", "camembert", "jina_embeddings_v3"]


def both(folder, dtype=torch.float32):
    own = PostNormEncoder.read(folder, dtype)
    assert own is not None
    return own.on(CPU), AutoEncoder.load(folder, dtype, CPU)


@pytest.mark.parametrize("kind", KINDS)
def test_states_are_those_of_transformers(write_random, tmp_path, kind):
    own, theirs = both(write_random(tmp_path, kind))
    ids = torch.arange(2, 38).reshape(3, 12)

    with torch.inference_mode():
        torch.testing.assert_close(own(ids), theirs(ids, None, None), atol=2e-5, rtol=1e-4)
    assert (own.dimension, own.pad_id) == (theirs.dimension, theirs.pad_id)
    assert own.max_positions == theirs.max_positions


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(write_random, tmp_path, kind):
    own, theirs = both(write_random(tmp_path, kind))
    lengths = torch.tensor([12, 3, 3, 1, 12])
    mask = torch.arange(12) < lengths[:, None]
    ids = torch.where(mask, torch.arange(60).reshape(5, 12) % 37 + 2, own.pad_id)

    with torch.inference_mode():
        states, expected = own(ids, mask), theirs(ids, mask, None)
    torch.testing.assert_close(states[mask], expected[mask], atol=2e-5, rtol=1e-4)


def test_states_that_nobody_reads_change_nothing(write_random, tmp_path):
    own, _ = both(write_random(tmp_path, "jina_embeddings_v3"))
    ids = torch.arange(2, 38).reshape(3, 12)
    mask = torch.arange(12) < torch.tensor([12, 5, 12])[:, None]
    read = torch.zeros(3, 12, dtype=torch.bool)
    read[0, [0, 11]] = read[2, 4] = True

    with torch.inference_mode():
        states, all_states = own(ids, mask, read), own(ids, mask)
    torch.testing.assert_close(states[read], all_states[read], atol=1e-5, rtol=1e-5)
    assert not states[~read].any()


def test_plain_and_packed_maps_agree(write_random, tmp_path):
    folder = write_random(tmp_path, "bert")
    plain = PostNormEncoder.read(folder, torch.float32)
    ids = torch.arange(2, 38).reshape(3, 12)

    with torch.inference_mode():
        torch.testing.assert_close(plain.on(CPU)(ids), plain(ids), atol=1e-5, rtol=1e-4)


@pytest.mark.skipif(
    not (BUILTIN_FOLDER / "model.safetensors").exists(), reason="no built-in weights"
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_built_in_model_is_computed_as_well_as_by_transformers(dtype):
    own, _ = both(BUILTIN_FOLDER, dtype)
    _, exact = both(BUILTIN_FOLDER)
    ids = torch.randint(1000, 30000, (2, 40), generator=torch.Generator().manual_seed(0))

    with torch.inference_mode():
        likeness = cosine_similarity(own(ids).float(), exact(ids, None, None), dim=-1)
    assert likeness.min() > (0.9995 if dtype == torch.bfloat16 else 0.99999)


def test_names_of_a_task_model_are_understood(write_random, tmp_path):
    """A BertForMaskedLM has ``bert.`` before the names of its encoder, and heads of its own."""
    folder = write_random(tmp_path, "bert")
    path = folder / "model.safetensors"
    own, _ = both(folder)
    weights = {f"bert.{name}": weight for name, weight in load_file(path).items()}
    save_file(weights | {"cls.predictions.bias": torch.zeros(40)}, path, {"format": "pt"})
    again, _ = both(folder)
    ids = torch.arange(2, 14).reshape(1, 12)

    with torch.inference_mode():
        torch.testing.assert_close(own(ids), again(ids))


@pytest.mark.parametrize(
    "unusual",
    [
        {"hidden_act": "relu"},
        {"is_decoder": True},
        {"model_type": "modernbert"},
        {"intermediate_size": 47},
        {"num_hidden_layers": 3},
        {"num_attention_heads": 5},
    ],
)
def test_what_is_unusual_is_left_to_transformers(write_random, tmp_path, unusual):
    folder = write_random(tmp_path, "bert")
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | unusual))

    assert PostNormEncoder.read(folder, torch.float32) is None


def test_other_kinds_of_rotary_positions_are_left_to_transformers(write_random, tmp_path):
    folder = write_random(tmp_path, "jina_embeddings_v3")
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config["rope_parameters"] |= {"rope_type": "linear", "factor": 2.0}
    path.write_text(json.dumps(config))

    assert PostNormEncoder.read(folder, torch.float32) is None


def test_a_quarter_turn():
    """One pair at speed 1: place p turns (1, 0) by p radians."""
    rotation = rotation_table(3, 2, 10000.0)
    states = torch.tensor([[1.0, 0.0]] * 3)
    expected = torch.stack([torch.arange(3.0).cos(), torch.arange(3.0).sin()], dim=1)

    torch.testing.assert_close(turned(states, rotation), expected)
