"""Every kind of model, every pooling: the same vectors as a direct computation from AutoModel."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import (
    AutoModel,
    BertConfig,
    EuroBertConfig,
    GteConfig,
    JinaEmbeddingsV3Config,
    LlamaConfig,
    ModernBertConfig,
    NomicBertConfig,
    Qwen3Config,
    T5Config,
    XLMRobertaConfig,
)

from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ModelError
from lmk_encoder.landmarks import Slices
from lmk_encoder.latent import LatentAttention
from lmk_encoder.types import TextInput

SHAPE = {
    "vocab_size": 4 + 2 * 94,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "pad_token_id": 0,
}
GROUPS = {"num_key_value_heads": 2, "head_dim": 8}
NO_TOKENS = {"bos_token_id": None, "eos_token_id": None}
CONFIGS = {
    "bert": BertConfig(**SHAPE, max_position_embeddings=130),
    "xlm-roberta": XLMRobertaConfig(**SHAPE, max_position_embeddings=130, **NO_TOKENS),
    "modernbert": ModernBertConfig(
        **SHAPE, local_attention=16, cls_token_id=2, sep_token_id=3, **NO_TOKENS
    ),
    "gte": GteConfig(**SHAPE),
    "nomic_bert": NomicBertConfig(**SHAPE),
    "jina_embeddings_v3": JinaEmbeddingsV3Config(**SHAPE),
    "eurobert": EuroBertConfig(**SHAPE, num_key_value_heads=4, **NO_TOKENS),
    "llama": LlamaConfig(**SHAPE, num_key_value_heads=2, **NO_TOKENS),
    "qwen3": Qwen3Config(**SHAPE, **GROUPS, **NO_TOKENS),
}
TEXT = "abcdefghijklm"
IDS = [4 + ord(TEXT[0]) - 33, *(4 + 94 + ord(letter) - 33 for letter in TEXT[1:])]
CLS, SEP = 2, 3
PLAIN = [CLS, *IDS, SEP]
MARKED = [CLS, *IDS[:4], SEP, *IDS[4:8], SEP, *IDS[8:12], SEP, *IDS[12:], SEP]
SPANS = [(0, 4), (4, 8), (8, 12), (12, 13)]
# Pooling -> ids, positions read, and the position range of each span's local vector.
EXPECTED = {
    "landmark": (MARKED, [5, 10, 15, 17], [(5, 6), (10, 11), (15, 16), (17, 18)]),
    "mean": (PLAIN, list(range(15)), [(1, 5), (5, 9), (9, 13), (13, 14)]),
    "every_k": (PLAIN, [0, 4, 8, 12], [(1, 5), (5, 9), (9, 13), (13, 14)]),
    "multicls": (
        [CLS, *IDS[:4], CLS, *IDS[4:8], CLS, *IDS[8:12], CLS, *IDS[12:], SEP],
        [0, 5, 10, 15],
        [(0, 1), (5, 6), (10, 11), (15, 16)],
    ),
    "cls": (PLAIN, [0], None),
    "last": (PLAIN, [14], None),
}


@pytest.fixture(scope="module", params=CONFIGS)
def folder(request, write_transformer, tmp_path_factory):
    return write_transformer(tmp_path_factory.mktemp(request.param), CONFIGS[request.param])


@pytest.fixture(scope="module")
def direct(folder):
    model = AutoModel.from_pretrained(folder).eval()

    def states(ids):
        with torch.inference_mode():
            return model(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()

    return states


def unit(vector):
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("pooling", EXPECTED)
def test_vectors_are_those_of_a_direct_computation(folder, direct, pooling):
    encoder = LandmarkEncoder(
        folder,
        device="cpu",
        dtype="float32",
        settings={"pooling": pooling, "granularity": 4},
    )
    (document,) = encoder.encode_document([TextInput(TEXT, Slices(4))])
    ids, pooled, ranges = EXPECTED[pooling]
    states = direct(ids)

    np.testing.assert_allclose(document.vector, unit(states[pooled].mean(axis=0)), atol=2e-5)
    np.testing.assert_allclose(
        encoder.encode([TEXT], policy=Slices(4))[0], document.vector, atol=1e-6
    )
    assert document.spans.tolist() == [list(span) for span in SPANS]
    for row, (start, end) in enumerate(SPANS):
        if ranges is None:  # encoded apart
            own = direct([CLS, *IDS[start:end], SEP])
            local = own[0] if pooling == "cls" else own[-1]
        else:
            local = states[slice(*ranges[row])].mean(axis=0)
        np.testing.assert_allclose(document.landmark_vectors[row], unit(local), atol=2e-5)


@pytest.mark.parametrize("pooling", ["landmark", "mean", "last"])
def test_a_vector_does_not_depend_on_its_batch(folder, pooling):
    """Padded beside texts of other lengths, as on a GPU."""
    encoder = LandmarkEncoder(folder, device="cpu", dtype="float32", settings={"pooling": pooling})
    texts = ["a b c", TEXT * 4, "", "z", TEXT]
    together = encoder.encode(texts)

    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_allclose(encoder.encode([text])[0], vector, atol=1e-5)


def test_latent_attention_stands_between_states_and_mean(transformer, tmp_path):
    """Computed by hand from the module's own weights, as the paper defines it."""
    folder = tmp_path / "model"
    shutil.copytree(transformer, folder)
    torch.manual_seed(1)
    module = LatentAttention(32, latents=8, heads=2, head_width=32)
    (folder / "latent_attn_model").mkdir()
    (folder / "latent_attn_model" / "config.json").write_text(json.dumps(module.settings))
    save_file(module.state_dict(), folder / "latent_attn_model" / "model.safetensors")
    encoder = LandmarkEncoder(folder, device="cpu", dtype="float32")
    model = AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        states = model(input_ids=torch.tensor([PLAIN])).last_hidden_state[0]
        weights = module.state_dict()

        def norm(x, name):
            return torch.nn.functional.layer_norm(
                x, (32,), weights[f"{name}.weight"], weights[f"{name}.bias"]
            )

        block = "cross_attend_blocks.0"
        queries = norm(states, f"{block}.norm") @ weights[f"{block}.fn.to_q.weight"].T
        both = (
            norm(weights["latents"], f"{block}.norm_context")
            @ weights[f"{block}.fn.to_kv.weight"].T
        )
        seen = []
        for head in range(2):
            cut = slice(32 * head, 32 * head + 32)
            keys, values = both[:, cut], both[:, 64:][:, cut]
            seen.append((queries[:, cut] @ keys.T / 32**0.5).softmax(-1) @ values)
        states = states + torch.cat(seen, -1) @ weights[f"{block}.fn.to_out.weight"].T
        block = "cross_attend_blocks.1"
        inner = norm(states, f"{block}.norm") @ weights[f"{block}.fn.net.0.weight"].T
        values, gates = (inner + weights[f"{block}.fn.net.0.bias"]).chunk(2, -1)
        states = states + (
            (values * torch.nn.functional.gelu(gates)) @ weights[f"{block}.fn.net.2.weight"].T
            + weights[f"{block}.fn.net.2.bias"]
        )
    (document,) = encoder.encode_document([TextInput(TEXT, Slices(4))])

    assert encoder.config.pooling == "latent"
    np.testing.assert_allclose(document.vector, unit(states.mean(0).numpy()), atol=2e-5)
    np.testing.assert_allclose(
        document.landmark_vectors[0], unit(states[1:5].mean(0).numpy()), atol=2e-5
    )


def test_latent_attention_has_the_papers_size():
    """About 35.4 million parameters at a width of 768."""
    with torch.device("meta"):
        module = LatentAttention(768)
    count = sum(parameter.numel() for parameter in module.parameters())

    assert 35.4e6 < count < 35.5e6


def test_latent_pooling_needs_its_module(transformer):
    with pytest.raises(ModelError, match="no latent attention"):
        LandmarkEncoder(transformer, device="cpu", settings={"pooling": "latent"})


def test_a_model_of_two_halves_is_refused(write_transformer, tmp_path):
    config = T5Config(vocab_size=192, d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4)
    with pytest.raises(ModelError, match=r"two halves \(t5\)"):
        LandmarkEncoder(write_transformer(tmp_path / "t5", config), device="cpu")
