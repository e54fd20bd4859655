"""Checkpoint folder -> the parts of a post-norm encoder, for whatever library computes with them.

Neither torch nor transformers is imported: their import takes longer than this. Only plain cases
are read: a folder that leaves a setting to the defaults of transformers, asks for another
activation, or has weights that do not fit, is nobody's but transformers' to judge.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from safetensors import SafetensorError, safe_open

Array = TypeVar("Array")  # torch's tensor or numpy's array

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


class Map(NamedTuple, Generic[Array]):
    """A linear map, ``weight`` (out, in), or a layer norm, ``weight`` (D,), with its bias."""

    weight: Array
    bias: Array


@dataclass(frozen=True, slots=True)
class PostNormLayer(Generic[Array]):
    """One block. ``qkv`` are queries, keys and values (D, D) each, or one map (3 D, D) of all."""

    qkv: tuple[Map[Array], ...]
    attended: Map[Array]
    attended_norm: Map[Array]
    up: Map[Array]
    down: Map[Array]
    down_norm: Map[Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostNormFiles(Generic[Array]):
    """What a folder holds.

    Attributes:
        words: (V, D) embeddings.
        type: (1, D), added to all of them: the only token type there is.
        positions: (P, D), added place by place; None with rotary positions.
        theta: base of the rotary positions; None without.
        norm: of the embeddings.
        num_positions: P.
        num_heads: of the attention.
        norm_eps: of all layer norms.
        pad_id: what stands on padding.
    """

    words: Array
    type: Array
    positions: Array | None
    theta: float | None
    norm: Map[Array]
    layers: tuple[PostNormLayer[Array], ...]
    num_positions: int
    num_heads: int
    norm_eps: float
    pad_id: int


class _Unfit(Exception):
    """A weight has another shape than the config says."""


def read_postnorm(
    folder: Path, framework: Literal["pt", "numpy"], cast: Callable[[Any], Array]
) -> PostNormFiles[Array] | None:
    """The parts of the encoder in ``folder``; None if it is anything but a plain one.

    Args:
        folder: config.json and safetensors weights, as transformers writes them.
        framework: whose arrays are read. numpy has no bfloat16: None for files in that.
        cast: what becomes of each array read.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config["model_type"] not in _RENAMINGS or not _is_plain(config):
            return None
        arrays = _read(folder, _RENAMINGS[config["model_type"]], framework)
        return _assembled(config, _Weights(arrays, cast))
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


def _read(folder: Path, renamings: tuple[tuple[str, str], ...], framework: str) -> dict[str, Any]:
    """The arrays of all weight files in the folder, by our names."""
    arrays: dict[str, Any] = {}
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, framework=framework) as file:
            for given in file.keys():  # noqa: SIM118 - no mapping
                name = given
                for prefix in _PREFIXES:
                    name = name.removeprefix(prefix)
                for old, new in renamings:
                    name = name.replace(old, new)
                arrays[name] = file.get_tensor(given)
    return arrays


class _Weights(Generic[Array]):
    """Arrays by name, handed out if they have the shape they should."""

    def __init__(self, arrays: Mapping[str, Any], cast: Callable[[Any], Array]) -> None:
        self._arrays, self._cast = arrays, cast

    def __contains__(self, name: str) -> bool:
        return f"{name}.weight" in self._arrays

    def table(self, name: str, rows: int, width: int) -> Array:
        return self._take(f"{name}.weight", (rows, width))

    def map(self, name: str, *shape: int) -> Map[Array]:
        return Map(self._take(f"{name}.weight", shape), self._take(f"{name}.bias", shape[:1]))

    def _take(self, name: str, shape: tuple[int, ...]) -> Array:
        array = self._arrays[name]
        if tuple(array.shape) != shape:
            raise _Unfit(name)
        return self._cast(array)


def _assembled(config: Mapping[str, Any], weights: _Weights[Array]) -> PostNormFiles[Array]:
    kind, width, inner = config["model_type"], config["hidden_size"], config["intermediate_size"]
    num_positions, first = config["max_position_embeddings"], 0
    positions: Any = None
    if kind not in _ROTARY:
        first = config["pad_token_id"] + 1 if kind in _OFFSET_POSITIONS else 0
        positions = weights.table("positions", num_positions, width)
        positions = positions[first:]

    def layer(root: str) -> PostNormLayer[Array]:
        if f"{root}.qkv" in weights:
            qkv: tuple[Map[Array], ...] = (weights.map(f"{root}.qkv", 3 * width, width),)
        else:
            names = (f"{root}.query", f"{root}.key", f"{root}.value")
            qkv = tuple(weights.map(name, width, width) for name in names)
        return PostNormLayer(
            qkv,
            weights.map(f"{root}.attended", width, width),
            weights.map(f"{root}.attended_norm", width),
            weights.map(f"{root}.up", inner, width),
            weights.map(f"{root}.down", width, inner),
            weights.map(f"{root}.down_norm", width),
        )

    types: Any = weights.table("types", config["type_vocab_size"], width)
    return PostNormFiles(
        words=weights.table("words", config["vocab_size"], width),
        type=types[:1],
        positions=positions,
        theta=float(config["rope_parameters"]["rope_theta"]) if kind in _ROTARY else None,
        norm=weights.map("norm", width),
        layers=tuple(layer(f"layers.{number}") for number in range(config["num_hidden_layers"])),
        num_positions=num_positions - first,
        num_heads=config["num_attention_heads"],
        norm_eps=config["layer_norm_eps"],
        pad_id=config["pad_token_id"] or 0,
    )
