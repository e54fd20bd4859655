"""Which kind of folder this is, and the checkpoint in it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lmk_encoder.checkpoint import Checkpoint, find_checkpoint
from lmk_encoder.config import CONFIG_FILE, EncoderConfig, read_settings
from lmk_encoder.formats.authors import LATENT_FOLDER, output_folder, read_plain
from lmk_encoder.formats.found import Found, with_defaults
from lmk_encoder.formats.modules import is_foreign, read_modules
from lmk_encoder.tokenization import read_special_tokens

_TOKENS = ("start_token", "landmark_token")


def read_checkpoint(
    name: str | Path | None = None, settings: Mapping[str, Any] | None = None
) -> Checkpoint:
    """Understand a checkpoint folder, whoever wrote it.

    Args:
        name: see ``find_checkpoint``.
        settings: keys of ``lmk.json``; they win over what the folder says.

    Raises:
        ModelError: it is no checkpoint, or of a kind that cannot be loaded.
        ConfigError: a setting is unknown or out of range.
    """
    folder = output_folder(find_checkpoint(name))
    own = read_settings(folder)
    given = dict(own or {}) | dict(settings or {})
    if is_foreign(folder):
        found = read_modules(folder)
    elif own is None:
        found = read_plain(folder, of_authors=False)
    else:
        found = _ours(folder)
        if not all(key in given for key in _TOKENS):
            tokens = read_special_tokens(folder)
            given = {"start_token": tokens.start, "landmark_token": tokens.separator} | given
    values = found.settings | given
    if own is None or found.settings:
        values = with_defaults(values, found.transformer, read_special_tokens(found.transformer))
    return Checkpoint(
        folder=folder,
        config=EncoderConfig.from_dict(values),
        transformer=found.transformer,
        title="" if name is None or Path(name).expanduser().is_dir() else str(name),
        dense=found.dense,
        latent=found.latent,
        layout=found.layout,
        notes=found.notes,
    )


def _ours(folder: Path) -> Found:
    """The parts of a folder with ``lmk.json``: settings are all there."""
    dense = tuple(sorted(path.parent for path in folder.glob("*_Dense/config.json")))
    latent = folder / LATENT_FOLDER
    return Found({}, folder, f"lmk ({CONFIG_FILE})", dense, latent if latent.is_dir() else None)
