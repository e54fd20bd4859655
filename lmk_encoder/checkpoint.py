"""Checkpoint folders: where they are, and what identifies them."""

import hashlib
from pathlib import Path

from lmk_encoder.config import CONFIG_FILE
from lmk_encoder.errors import ModelError

BUILTIN_FOLDER = Path(__file__).parent / "builtin"

# Raise it when a change of code changes vectors or spans: old indexes then refuse to mix.
LAYOUT_VERSION = 1


def find_checkpoint(folder: str | Path | None = None) -> Path:
    """The folder of a checkpoint; None means the one that comes with the package.

    Raises:
        ModelError: it is no folder, or there are no weights in it.
    """
    path = BUILTIN_FOLDER if folder is None else Path(folder).expanduser()
    if not path.is_dir():
        what = f"{path} is no folder, so there is no model in it."
        raise ModelError(what, "Name a checkpoint folder, or none for the built-in model.")
    if not _weights(path):
        what = f"{path} has no weights (*.safetensors)."
        raise ModelError(what, "Save the model with save_pretrained, or copy the folder anew.")
    return path


def fingerprint(folder: Path) -> str:
    """SHA-256 (hex) of all that decides the vectors: weights, tokenizer, configs, our layout.

    Number type and device are left out: their vectors agree up to rounding.
    """
    digest = hashlib.sha256(f"layout {LAYOUT_VERSION}\n".encode())
    named = [folder / name for name in ("config.json", "tokenizer.json", CONFIG_FILE)]
    for path in [*named, *_weights(folder)]:
        if path.is_file():
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{path.name} {content}\n".encode())
    return digest.hexdigest()


def _weights(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.safetensors"))
