"""What a checkpoint is, in figures and words: ``lmk model info``."""

import json
import pickle
import re
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from lmk_encoder.checkpoint import Checkpoint, fingerprint
from lmk_encoder.config import Pooling
from lmk_encoder.errors import ModelError
from lmk_encoder.files import read_json
from lmk_encoder.formats.found import model_positions

LOCAL_VECTORS: dict[Pooling, str] = {
    "landmark": "the state of each landmark",
    "multicls": "the state of the start token before each span",
    "mean": "the mean of each span's states in the same pass (late chunking)",
    "latent": "the mean of each span's states in the same pass, after latent attention",
    "every_k": "the mean of each span's states in the same pass (late chunking)",
    "cls": "each span encoded apart",
    "last": "each span encoded apart",
}
_MODEL_CARD = re.compile(r"\A---\n.*?^license:\s*(\S+)", re.DOTALL | re.MULTILINE)
_IN_WORDS = re.compile(r"\blicen[cs]ed?\W+(?:under\W+)?(?:the\W+)?([\w.-]*\d[\w.-]*|MIT)\b", re.I)
# What files of other content give: not JSON, JSON of another shape, no pickle.
_DAMAGED = (
    *(OSError, ValueError, KeyError, TypeError, AttributeError, EOFError),
    *(RuntimeError, pickle.UnpicklingError),  # RecursionError is a RuntimeError
)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A checkpoint described. ``parameters`` counts all weights, layers behind the pooling too."""

    name: str
    folder: str
    layout: str
    architecture: str
    pooling: str
    local_vectors: str
    landmark_token: str
    interval: int
    window_tokens: int
    positions: int | None
    dimension: int
    parameters: int
    weights_bytes: int
    weights_dtype: str
    query_prompt: str
    document_prompt: str
    licence: str
    fingerprint: str
    notes: tuple[str, ...]


def describe(checkpoint: Checkpoint) -> ModelInfo:
    """Read what there is to tell of a checkpoint, without loading the model.

    Raises:
        ModelError: a file of it is damaged.
    """
    config, values = checkpoint.config, read_json(checkpoint.transformer / "config.json")
    tensors = [tensor for file in checkpoint.weight_files() for tensor in _tensors(file)]
    return ModelInfo(
        name=checkpoint.name,
        folder=str(checkpoint.folder.resolve()),
        layout=checkpoint.layout,
        architecture=str(values.get("model_type", "unknown")),
        pooling=config.pooling,
        local_vectors=LOCAL_VECTORS[config.pooling],
        landmark_token=config.landmark_token if config.pooling == "landmark" else "",
        interval=config.granularity,
        window_tokens=config.window_tokens,
        positions=model_positions(checkpoint.transformer),
        dimension=checkpoint.dimension,
        parameters=sum(prod(shape) for shape, dtype in tensors if "F" in dtype.upper()),
        weights_bytes=sum(file.stat().st_size for file in checkpoint.weight_files()),
        weights_dtype=", ".join(sorted({dtype for _, dtype in tensors if "F" in dtype.upper()})),
        query_prompt=config.query_prompt,
        document_prompt=config.document_prompt,
        licence=licence(checkpoint.folder),
        fingerprint=fingerprint(checkpoint),
        notes=checkpoint.notes,
    )


def licence(folder: Path) -> str:
    """The licence that a model's card or notice names; empty if none does."""
    for name in ("README.md", "NOTICE", "LICENSE"):
        file = folder / name
        if not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        found = _MODEL_CARD.search(text) or _IN_WORDS.search(text)
        if found:
            return found[1]
    return ""


def _safetensors(file: Path) -> list[tuple[list[int], str]]:
    with file.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        if size > file.stat().st_size - 8:  # else any eight bytes would order so much memory
            raise ValueError(f"its header of {size:,} bytes is larger than the file")
        header: dict[str, Any] = json.loads(stream.read(size))
    header.pop("__metadata__", None)
    return [([int(n) for n in entry["shape"]], str(entry["dtype"])) for entry in header.values()]


def _pickled(file: Path) -> list[tuple[list[int], str]]:
    import torch

    weights = torch.load(file, weights_only=True, map_location="meta")
    return [(list(w.shape), str(w.dtype).removeprefix("torch.")) for w in weights.values()]


def _tensors(file: Path) -> list[tuple[list[int], str]]:
    """Shape and number type of every tensor in a file of weights. Raises ModelError."""
    read = _safetensors if file.suffix == ".safetensors" else _pickled
    try:
        return read(file)
    except _DAMAGED as error:
        what = f"{file} cannot be read: {error!r}."
        raise ModelError(what, "Copy the checkpoint anew.") from error
