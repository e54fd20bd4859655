"""Loading and running a model folder."""

import logging
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModel

from lmk_encoder import backbone as backbone_module
from lmk_encoder.backbone import Backbone
from lmk_encoder.errors import ConfigError, ModelError


@pytest.fixture(scope="module")
def backbone(tiny):
    return Backbone.load(tiny.folder, device="cpu", dtype="float32")


def copied(tiny, tmp_path):
    return shutil.copytree(tiny.folder, tmp_path / "model")


def test_states_have_the_shape_of_the_ids(backbone):
    states = backbone.run(torch.tensor([[2, 5, 3], [2, 6, 3]]))

    assert states.shape == (2, 3, backbone.dimension)
    assert states.dtype == backbone.dtype == torch.float32


def test_a_mask_hides_padding(backbone):
    alone = backbone.run(torch.tensor([[2, 5, 3]]))
    padded = backbone.run(torch.tensor([[2, 5, 3, 0, 0]]), torch.tensor([[1, 1, 1, 0, 0]]))

    torch.testing.assert_close(padded[:, :3], alone, atol=1e-5, rtol=0)


def test_no_dropout_and_no_gradients(backbone):
    ids = torch.tensor([[2, 5, 3]])

    assert torch.equal(backbone.run(ids), backbone.run(ids))
    assert not backbone.run(ids).requires_grad


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "int8"}, r"dtype='int8'.*float32, bfloat16, float16"),
        ({"device": "toaster"}, r"device='toaster'.*Use cpu"),
    ],
)
def test_a_wrong_option_is_named(tiny, options, message):
    with pytest.raises(ConfigError, match=message):
        Backbone.load(tiny.folder, **options)


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_an_absent_device_is_named(tiny):
    with pytest.raises(ConfigError, match=r"device='cuda'.*Use cpu"):
        Backbone.load(tiny.folder, device="cuda")


@pytest.mark.parametrize(
    ("kind", "positions", "attention"),
    [
        ("bert", 64, "sdpa"),
        ("xlm-roberta", 62, "sdpa"),  # the family reserves two of its 64 positions
        ("modernbert", 64, "sdpa"),  # has no pooler to leave out
        ("mpnet", 62, "eager"),  # has no sdpa
    ],
)
def test_other_architectures_load(tmp_path, kind, positions, attention):
    config = AutoConfig.for_model(
        kind,
        vocab_size=30,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        cls_token_id=0,
        sep_token_id=2,
    )
    config.save_pretrained(tmp_path)
    weights = AutoModel.from_config(config).state_dict()
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    backbone = Backbone.load(tmp_path, device="cpu", dtype="float32")

    assert backbone.run(torch.tensor([[0, 5, 2]])).shape == (1, 3, 16)
    assert backbone.max_positions == positions
    assert backbone.pad_id == 1
    assert backbone.attention == attention


def test_a_folder_without_config_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"no config\.json"):
        Backbone.load(tmp_path)


def test_missing_weights_are_an_error(tiny, tmp_path):
    """This test ensures that no layer is filled with random numbers in silence."""
    folder = copied(tiny, tmp_path)
    weights = load_file(folder / "model.safetensors")
    weights.pop(next(name for name in weights if name.startswith("layers.1") or ".1." in name))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})

    with pytest.raises(ModelError, match=r"lacks weights.*copy it anew"):
        Backbone.load(folder, device="cpu")


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_damaged_file_is_an_error(tiny, tmp_path, name):
    folder = copied(tiny, tmp_path)
    path = folder / name
    path.write_bytes(path.read_bytes()[:100])

    with pytest.raises(ModelError, match=r"cannot be loaded.*complete"):
        Backbone.load(folder, device="cpu")


def test_loading_is_quiet_and_leaves_the_logging_alone(tiny, capfd):
    transformers_log = logging.getLogger("transformers")
    level, handlers = transformers_log.level, list(transformers_log.handlers)
    from transformers.utils import logging as transformers_logging

    bars = transformers_logging.is_progress_bar_enabled()
    Backbone.load(tiny.folder, device="cpu", dtype="float32")

    assert capfd.readouterr() == ("", "")
    assert transformers_log.level == level
    assert transformers_log.handlers == handlers or not handlers
    assert transformers_logging.is_progress_bar_enabled() == bars


@pytest.mark.parametrize("faster", [torch.float32, torch.bfloat16])
def test_the_type_is_the_faster_one_where_both_are_computed_in(tiny, monkeypatch, faster):
    flags = set(Path("/proc/cpuinfo").read_text().split())
    if "avx512_bf16" not in flags or "amx_bf16" in flags:
        pytest.skip("needs a processor with avx512_bf16 and without amx_bf16")
    monkeypatch.setattr(backbone_module, "_matmul_s", lambda dtype: float(dtype != faster))

    assert Backbone.load(tiny.folder, device="cpu").dtype == faster


def test_products_are_timed_on_one_thread_and_leave_the_number_of_threads():
    threads = torch.get_num_threads()

    assert 0 < backbone_module._matmul_s(torch.float32) < 1
    assert torch.get_num_threads() == threads
