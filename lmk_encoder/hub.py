"""A model's name -> a folder on this machine: an installed package, or the Hugging Face hub.

The network is asked only for a name that nothing on this machine answers to, and never when
``HF_HUB_OFFLINE`` is set.
"""

import os
import re
from pathlib import Path

from lmk_encoder.errors import ModelError

# What a hub name looks like: "owner/name" or "name".
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
# Data only. Python files of a repository are never fetched, and never run.
_FILES = ("*.json", "*.safetensors", "*.txt", "*.model", "README.md", "LICENSE*", "NOTICE*")
_SECONDS = 5.0  # how long the hub may take to answer at all


def find_by_name(name: str) -> Path:
    """The folder of an installed package that carries a model, else that of a hub snapshot.

    Raises:
        ModelError: nothing has the name, or the hub cannot be reached.
    """
    folder = find_here(name)
    if folder is not None:
        return folder
    if not _HUB_NAME.fullmatch(name):
        what = f"{name} is no folder, so there is no model in it."
        raise ModelError(what, "Name a checkpoint folder, or none for the built-in model.")
    return _fetched(name)


def find_here(name: str) -> Path | None:
    """The folder of an installed package, else of a snapshot in the hub's cache; None if nothing
    on this machine has the name. Asks no network."""
    folder = _installed(name) if "/" not in name else None
    if folder is not None or not _HUB_NAME.fullmatch(name):
        return folder
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True, allow_patterns=list(_FILES)))
    except LocalEntryNotFoundError:
        return None


def _installed(name: str) -> Path | None:
    """The model folder inside an installed package: where its modules.json or config.json lies."""
    from importlib import metadata  # takes as long as the rest of a search's imports from here

    try:
        files = metadata.distribution(name).files or []
    except (metadata.PackageNotFoundError, ValueError):
        return None
    weights = {Path(str(file.locate())).parent for file in files if file.suffix == ".safetensors"}
    for marker in ("modules.json", "config.json"):
        for file in files:
            folder = Path(str(file.locate())).parent
            if file.name == marker and (folder in weights or marker == "modules.json"):
                return folder
    return None


def _fetched(name: str) -> Path:
    from huggingface_hub import HfApi, snapshot_download

    fetch = "where there is a network run: hf download " + name + " --local-dir FOLDER"
    no_folder = f"{name} is no folder here, no installed package, and not in the hub's cache"
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        fix = f"Unset HF_HUB_OFFLINE, or {fetch}, and name that folder."
        raise ModelError(f"{no_folder}; HF_HUB_OFFLINE is set.", fix)
    try:
        HfApi().model_info(name, timeout=_SECONDS)  # the download itself would wait for minutes
        return Path(snapshot_download(name, allow_patterns=list(_FILES), etag_timeout=_SECONDS))
    except Exception as error:  # whatever the library and its HTTP client call their errors
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        fix = f"Check the name; or {fetch}, and name that folder."
        raise ModelError(f"{no_folder}; the hub does not give it: {reason}.", fix) from error
