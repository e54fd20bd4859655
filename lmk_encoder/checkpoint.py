"""A checkpoint on this machine: where its parts lie, and what identifies it."""

import hashlib
import json
from dataclasses import dataclass, fields
from pathlib import Path

from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import ModelError
from lmk_encoder.files import read_json
from lmk_encoder.hub import find_by_name, find_here

BUILTIN_NAME = "builtin"
BUILTIN_FOLDER = Path(__file__).parent / "builtin"

# Raise it when a change of code changes vectors or spans: old indexes then refuse to mix.
LAYOUT_VERSION = 2

# The first holds all of a tokenizer; the others are what transformers makes one of without it.
TOKENIZER_FILES = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "vocab.txt", "vocab.json", "merges.txt", "*.model",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One checkpoint, whoever wrote it, as the encoder needs it.

    Attributes:
        folder: the folder that was named.
        config: its settings, found or given.
        title: the name it was found by; empty if that was a path.
        transformer: folder of ``config.json``, the weights and the tokenizer.
        dense: folders of linear layers behind the pooling, in order.
        latent: folder of the latent attention module, if there is one.
        layout: whose layout the folder has, in words.
        notes: what the reader should know of how it was understood.
    """

    folder: Path
    config: EncoderConfig
    transformer: Path
    title: str = ""
    dense: tuple[Path, ...] = ()
    latent: Path | None = None
    layout: str = ""
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """A readable name."""
        return self.config.name or self.title or self.folder.resolve().name

    @property
    def dimension(self) -> int:
        """Width of the vectors. Raises ModelError if the folder does not tell."""
        if self.dense:
            file, key = self.dense[-1] / "config.json", "out_features"
        else:
            file, key = self.transformer / "config.json", "hidden_size"
        values = read_json(file)
        for name in (key, "dim", "n_embd", "d_model"):
            if isinstance(values.get(name), int):
                width = int(values[name])
                return min(self.config.truncate_dim or width, width)
        raise ModelError(f"{file} does not tell the model's {key}.", "Copy the checkpoint anew.")

    def weight_files(self) -> list[Path]:
        """All files of weights, in a fixed order."""
        folders = [self.transformer, *self.dense, *([self.latent] if self.latent else [])]
        return [file for folder in folders for file in weight_files(folder)]


def find_checkpoint(name: str | Path | None = None) -> Path:
    """The folder of a checkpoint: a path, or the name of an installed package or of the hub.

    None and "builtin" mean the one that comes with the package.

    Raises:
        ModelError: nothing has that name, or there are no weights in it.
    """
    path = BUILTIN_FOLDER if name in (None, BUILTIN_NAME) else Path(str(name)).expanduser()
    if not path.is_dir():
        path = find_by_name(str(name))
    if not any(weight_files(folder) for folder in (path, path / "0_Transformer", path / "best")):
        what = f"{path} has no weights (*.safetensors or pytorch_model.bin)."
        raise ModelError(what, "Save the model with save_pretrained, or copy the folder anew.")
    return path


def is_here(name: str | None) -> bool:
    """Whether ``find_checkpoint`` looks for the name on this machine only, since it is there."""
    if name in (None, BUILTIN_NAME) or Path(str(name)).expanduser().is_dir():
        return True
    return find_here(str(name)) is not None


def weight_files(folder: Path) -> list[Path]:
    """Files of weights in one folder: safetensors, else the older format."""
    return sorted(folder.glob("*.safetensors")) or sorted(folder.glob("pytorch_model*.bin"))


def fingerprint(checkpoint: Checkpoint) -> str:
    """SHA-256 (hex) of all that decides the vectors: weights, tokenizer, settings, our layout.

    Number type, device and the readable name are left out: vectors agree up to rounding.
    """
    digest = hashlib.sha256(f"layout {LAYOUT_VERSION}\n".encode())
    changed = {
        field.name: value
        for field in fields(EncoderConfig)
        if field.name != "name"
        and (value := getattr(checkpoint.config, field.name)) != field.default
    }
    digest.update(json.dumps(changed, sort_keys=True).encode())
    named = [checkpoint.transformer / "config.json", *_tokenizer_files(checkpoint.transformer)]
    named += [folder / "config.json" for folder in checkpoint.dense]
    if checkpoint.latent is not None:
        named.append(checkpoint.latent / "config.json")
    for path in [*named, *checkpoint.weight_files()]:
        if path.is_file():
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"\n{path.name} {content}".encode())
    return digest.hexdigest()


def _tokenizer_files(folder: Path) -> list[Path]:
    """All files that decide how a text becomes ids."""
    whole, *older = TOKENIZER_FILES
    if (folder / whole).is_file():
        return [folder / whole]
    return [file for name in older for file in sorted(folder.glob(name))]
