"""Checkpoint folder -> PostNormEncoder, without transformers, whose import takes longer than this.

Only plain cases are read: a folder that leaves a setting to the defaults of transformers, asks
for another activation, or has weights that do not fit, is nobody's but transformers' to judge.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from lmk_encoder.affine import Affine
from lmk_encoder.postnorm import Layer, Norm, PostNormEncoder, rotation_table

# What parts of names are called here, first match first.
_BERT = (
    ("embeddings.word_embeddings", "words"),
    ("embeddings.position_embeddings", "positions"),
    ("embeddings.token_type_embeddings", "types"),
    ("embeddings.LayerNorm", "norm"),
    ("encoder.layer.", "layers."),
    ("attention.self.", ""),
    ("attention.output.dense", "attended"),
    ("attention.output.LayerNorm", "attended_norm"),
    ("intermediate.dense", "up"),
    ("output.dense", "down"),
    ("output.LayerNorm", "down_norm"),
)
_JINA = (  # as transformers names them in memory, and as it writes them
    *_BERT[:4],
    ("emb_ln", "norm"),
    ("encoder.layers.", "layers."),
    ("self_attn.q_proj", "query"),
    ("self_attn.k_proj", "key"),
    ("self_attn.v_proj", "value"),
    ("mixer.Wqkv", "qkv"),
    ("self_attn.o_proj", "attended"),
    ("mixer.out_proj", "attended"),
    ("post_attention_layernorm", "attended_norm"),
    ("norm1", "attended_norm"),
    ("mlp.fc1", "up"),
    ("mlp.fc2", "down"),
    ("post_mlp_layernorm", "down_norm"),
    ("norm2", "down_norm"),
)
_RENAMINGS = {
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "camembert": _BERT,
    "jina_embeddings_v3": _JINA,
}
# Stand before all names in files of task models.
_PREFIXES = ("bert.", "roberta.")
_ROTARY = {"jina_embeddings_v3"}
# These count positions from pad_token_id + 1 and never use those below.
_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert"}


class _Unfit(Exception):
    """A weight has another shape than the config says."""


def read_postnorm(folder: Path, dtype: torch.dtype) -> PostNormEncoder | None:
    """The encoder in ``folder``, on the CPU; None if it is anything but a plain one."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config["model_type"] not in _RENAMINGS or not _is_plain(config):
            return None
        tensors = _read(folder, _RENAMINGS[config["model_type"]], dtype)
        return _assemble(config, _Weights(tensors))
    except (OSError, ValueError, KeyError, TypeError, SafetensorError, _Unfit):
        return None


def _is_plain(config: Mapping[str, Any]) -> bool:
    """Whether the config asks for nothing but what PostNormEncoder computes."""
    head, rest = divmod(config["hidden_size"], config["num_attention_heads"])
    if config["model_type"] in _ROTARY:
        rope = config["rope_parameters"]
        positions_are_plain = rope["rope_type"] == "default" and len(rope) == 2 and head % 2 == 0
    else:
        positions_are_plain = config.get("position_embedding_type", "absolute") == "absolute"
    return (
        positions_are_plain
        and rest == 0
        and config.get("head_dim") in (None, head)
        and config["hidden_act"] == "gelu"
        and not config.get("is_decoder")
        and not config.get("add_cross_attention")
    )


def _read(
    folder: Path, renamings: tuple[tuple[str, str], ...], dtype: torch.dtype
) -> dict[str, Tensor]:
    """The tensors of all weight files in the folder, by our names, in ``dtype``."""
    tensors: dict[str, Tensor] = {}
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, framework="pt") as file:
            for given in file.keys():  # noqa: SIM118 - no mapping
                name = given
                for prefix in _PREFIXES:
                    name = name.removeprefix(prefix)
                for old, new in renamings:
                    name = name.replace(old, new)
                tensors[name] = file.get_tensor(given).to(dtype)
    return tensors


class _Weights:
    """Tensors by name, handed out if they have the shape they should."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors

    def __contains__(self, name: str) -> bool:
        return f"{name}.weight" in self._tensors

    def table(self, name: str, rows: int, width: int) -> Tensor:
        return self._take(f"{name}.weight", (rows, width))

    def linear(self, name: str, out: int, into: int) -> Affine:
        return Affine(self._take(f"{name}.weight", (out, into)), self._take(f"{name}.bias", (out,)))

    def norm(self, name: str, width: int) -> Norm:
        return Norm(self._take(f"{name}.weight", (width,)), self._take(f"{name}.bias", (width,)))

    def _take(self, name: str, shape: tuple[int, ...]) -> Tensor:
        tensor = self._tensors[name]
        if tuple(tensor.shape) != shape:
            raise _Unfit(name)
        return tensor


def _assemble(config: Mapping[str, Any], weights: _Weights) -> PostNormEncoder:
    kind, width, inner = config["model_type"], config["hidden_size"], config["intermediate_size"]
    num_heads, num_positions = config["num_attention_heads"], config["max_position_embeddings"]
    positions = weights.table("types", config["type_vocab_size"], width)[:1]  # the only one used
    rotation = None
    if kind in _ROTARY:
        theta = float(config["rope_parameters"]["rope_theta"])
        rotation = rotation_table(num_positions, width // num_heads, theta)
    else:
        first = config["pad_token_id"] + 1 if kind in _OFFSET_POSITIONS else 0
        positions = weights.table("positions", num_positions, width)[first:] + positions

    def layer(root: str) -> Layer:
        qkv = _qkv(weights, root, width)
        return Layer(
            qkv if rotation is None else Affine(*(_in_pairs(rows, num_heads) for rows in qkv)),
            weights.linear(f"{root}.attended", width, width),
            weights.norm(f"{root}.attended_norm", width),
            weights.linear(f"{root}.up", inner, width),
            weights.linear(f"{root}.down", width, inner),
            weights.norm(f"{root}.down_norm", width),
        )

    return PostNormEncoder(
        words=weights.table("words", config["vocab_size"], width),
        positions=positions,
        rotation=rotation,
        norm=weights.norm("norm", width),
        layers=tuple(layer(f"layers.{number}") for number in range(config["num_hidden_layers"])),
        num_heads=num_heads,
        norm_eps=config["layer_norm_eps"],
        pad_id=config["pad_token_id"] or 0,
    )


def _qkv(weights: _Weights, root: str, width: int) -> Affine:
    """The three maps as one (3 D, D), whether they lie apart or together in the file."""
    if f"{root}.qkv" in weights:
        return weights.linear(f"{root}.qkv", 3 * width, width)
    parts = [weights.linear(f"{root}.{name}", width, width) for name in ("query", "key", "value")]
    return Affine(*(torch.cat(rows) for rows in zip(*parts, strict=True)))


def _in_pairs(rows: Tensor, num_heads: int) -> Tensor:
    """``rows`` (3 D, ...) with dimension i of each query and key before i + head / 2, its partner.

    Files hold the partners in two halves of a head. Scores do not depend on their order.
    """
    queries_keys, values = rows.tensor_split([2 * len(rows) // 3])
    half = len(rows) // (6 * num_heads)
    halves = queries_keys.view(2 * num_heads, 2, half, *rows.shape[1:])
    return torch.cat((halves.transpose(1, 2).flatten(0, 2), values))
