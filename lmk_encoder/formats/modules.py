"""Folders of sentence-transformers: ``modules.json`` and what it names.

Plain ones (Transformer, Pooling, Dense, Normalize), and the three drafts with landmarks (A, B,
C), told apart by the keys of ``sentence_bert_config.json``. Of a module's type only the last
component counts: libraries move their modules.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from lmk_encoder.errors import ModelError
from lmk_encoder.files import read_json
from lmk_encoder.formats.authors import inference_interval, read_plain
from lmk_encoder.formats.found import Found, model_positions
from lmk_encoder.tokenization import read_special_tokens

MODULES_FILE = "modules.json"
SETTINGS_FILE = "sentence_bert_config.json"
PROMPTS_FILE = "config_sentence_transformers.json"
OWN_MODULES = "lmk_encoder."  # types that our own folders name

_MODES = {
    "cls": "cls",
    "mean": "mean",
    "mean_sqrt_len_tokens": "mean",  # a mean of another length, and all vectors get length 1
    "lasttoken": "last",
    "lmk": "landmark",
}
_LEGACY_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
    "pooling_mode_lmk": "lmk",
}


class _Module(NamedTuple):
    kind: str
    folder: Path


def is_foreign(folder: Path) -> bool:
    """Whether ``modules.json`` is there and names modules of others than this package."""
    if not (folder / MODULES_FILE).is_file():
        return False
    return not any(entry["type"].startswith(OWN_MODULES) for entry in _entries(folder))


def read_modules(folder: Path) -> Found:
    """What ``modules.json`` of a folder says.

    Raises:
        ModelError: a module is unknown, or pools in a way that is not supported.
    """
    first, *others = _modules(folder)
    known = ("Pooling", "Dense", "Normalize")
    for module in others:
        if module.kind not in known:
            raise _unsupported(folder, f"the module {module.kind}")
    if first.kind not in ("Transformer", "LandmarkTransformer"):
        raise _unsupported(folder, f"the module {first.kind}")
    of_kind = {kind: [m.folder for m in others if m.kind == kind] for kind in known}
    if first.kind == "Transformer" and not of_kind["Pooling"]:
        return read_plain(first.folder, of_authors=True)
    pooling = _pooling_settings(of_kind["Pooling"][0]) if of_kind["Pooling"] else {}
    values = _optional(first.folder / SETTINGS_FILE)
    notes: list[str] = []
    settings = {"pooling": "landmark"} | pooling | _prompts(folder)
    settings |= _window(first.folder, values, notes)
    if values.get("do_lower_case"):
        settings["lowercase"] = True
    layout = "sentence-transformers"
    if first.kind == "LandmarkTransformer" or settings["pooling"] == "landmark":
        settings |= {"pooling": "landmark"} | _landmark_settings(first.folder, values, notes)
        layout += f", landmark variant {settings['variant']}"
        _check_landmarks(folder, settings, of_kind, values, notes)
    return Found(settings, first.folder, layout, dense=tuple(of_kind["Dense"]), notes=tuple(notes))


def _modules(folder: Path) -> list[_Module]:
    return [
        _Module(entry["type"].rpartition(".")[2], folder / entry["path"])
        for entry in _entries(folder)
    ]


def _entries(folder: Path) -> list[dict[str, str]]:
    """The entries of ``modules.json``, of which there is one, with type and path."""
    file, here = folder / MODULES_FILE, folder.resolve()
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
        inside = [(folder / entry["path"]).resolve().is_relative_to(here) for entry in entries]
        named = all(isinstance(entry["type"], str) for entry in entries)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"{file} cannot be read: {error!r}."
        raise ModelError(what, "Copy the checkpoint anew.") from error
    if not entries or not named or not all(inside):
        what = f"{file} names no module, or one outside of its folder."
        raise ModelError(what, "Copy the checkpoint anew.")
    return list(entries)


def _pooling_settings(folder: Path) -> dict[str, Any]:
    """Settings from the configuration of a Pooling module, old keys or new ones."""
    values = read_json(folder / "config.json")
    modes = values.get("pooling_mode")
    if modes is None:
        modes = [mode for key, mode in _LEGACY_MODES.items() if values.get(key)] or ["mean"]
    modes = [modes] if isinstance(modes, str) else list(modes)
    if len(modes) != 1 or modes[0] not in _MODES:
        raise _unsupported(folder, f"pooling by {' and '.join(map(str, modes))}")
    return {
        "pooling": _MODES[modes[0]],
        "include_prompt": bool(values.get("include_prompt", True)),
    }


def _prompts(folder: Path) -> dict[str, str]:
    values = _optional(folder / PROMPTS_FILE)
    prompts = values.get("prompts") or {}
    default = prompts.get(values.get("default_prompt_name")) or ""
    documents = (prompts.get(name) for name in ("document", "passage", "corpus"))
    return {
        "query_prompt": prompts.get("query") or default,
        "document_prompt": next((prompt for prompt in documents if prompt), default),
    }


def _window(transformer: Path, values: dict[str, Any], notes: list[str]) -> dict[str, int]:
    window, positions = values.get("max_seq_length"), model_positions(transformer)
    if not isinstance(window, int):
        return {}
    if positions is not None and window > positions:
        notes.append(f"max_seq_length={window} is above the model's {positions} positions.")
        window = positions
    return {"window_tokens": window}


def _landmark_settings(
    transformer: Path, values: dict[str, Any], notes: list[str]
) -> dict[str, Any]:
    """Interval, variant and landmark token, by the keys of the three drafts."""
    if "landmark_interval" in values:
        settings: dict[str, Any] = {"variant": "C", "granularity": values["landmark_interval"]}
        token_id = values.get("lmk_token_id")
        if token_id is not None:
            token = read_special_tokens(transformer).by_id(int(token_id))
            if token is None:
                what = f"lmk_token_id={token_id} of {transformer / SETTINGS_FILE} is no token."
                raise ModelError(what, "Copy the checkpoint anew, with its own tokenizer.")
            settings["landmark_token"] = token
        return settings
    if "splitter_type" in values or "splitter_granularity" in values:
        sizes = values.get("splitter_granularity", 128)
        sizes = list(sizes) if isinstance(sizes, list) else [sizes]
        if values.get("splitter_type") == "variable" or len(sizes) > 1:
            notes.append(
                f"The interval was drawn anew for every text from {sizes}; "
                f"{inference_interval(sizes)} is used for all."
            )
        return {"variant": "A", "granularity": inference_interval(sizes)}
    return {"variant": "B", "granularity": values.get("eval_splitter_granularity", 32)}


def _check_landmarks(
    folder: Path,
    settings: dict[str, Any],
    modules: dict[str, list[Path]],
    values: dict[str, Any],
    notes: list[str],
) -> None:
    """Say what a folder gets wrong, and what is done about it."""
    if settings["variant"] == "C":
        notes.append("Variant C counts the end token as a landmark, where they are the same.")
    for place in modules["Pooling"]:
        token_id, own = read_json(place / "config.json").get("lmk_token_id"), "lmk_token_id"
        if token_id is not None and token_id != values.get(own, token_id):
            notes.append(
                f"{own}={token_id} of the pooling is not the transformer's {values[own]}: "
                "landmarks are known by their places, so nothing is lost."
            )
        elif token_id == -1:
            notes.append(f"{own} of the pooling is not set; the tokenizer's separator is meant.")
    if not settings.get("include_prompt", True):
        notes.append("include_prompt=false means nothing to landmarks: prompts count.")
        settings["include_prompt"] = True
    if not modules["Normalize"]:
        notes.append(f"{folder} has no Normalize module; here all vectors get length 1.")


def _optional(file: Path) -> dict[str, Any]:
    return read_json(file) if file.is_file() else {}


def _unsupported(folder: Path, what: str) -> ModelError:
    return ModelError(
        f"{folder} needs {what}, which is not supported.",
        "Use a model of Transformer, Pooling (mean, cls, lasttoken, lmk), Dense and Normalize.",
    )
