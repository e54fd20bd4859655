"""A checkpoint -> a folder that this package and sentence-transformers both load.

Where the settings are something that sentence-transformers knows (mean, cls, lasttoken), the
folder names its own modules and needs nothing of us there; otherwise it names ours
(``lmk_encoder.sentence_transformers``).
"""

import json
import shutil
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lmk_encoder.checkpoint import TOKENIZER_FILES, Checkpoint, weight_files
from lmk_encoder.config import CONFIG_FILE, EncoderConfig
from lmk_encoder.dense import read_weights
from lmk_encoder.errors import ConfigError
from lmk_encoder.files import read_json
from lmk_encoder.formats.authors import LATENT_FOLDER
from lmk_encoder.formats.modules import MODULES_FILE, OWN_MODULES, PROMPTS_FILE, SETTINGS_FILE
from lmk_encoder.tokenization import read_special_tokens

_OWN_TYPE = f"{OWN_MODULES}sentence_transformers.LandmarkTransformer"
_THEIR_TYPE = "sentence_transformers.models."
_MODES = {"mean": "mean_tokens", "cls": "cls_token", "last": "lasttoken"}
_PAPERS = ("README.md", "LICENSE*", "NOTICE*")


def save_checkpoint(checkpoint: Checkpoint, folder: Path) -> None:
    """Write a checkpoint with all its parts; the weights stay in their number type.

    Raises:
        ConfigError: ``folder`` is there and holds something.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is there and not empty.", "Name a new folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        made = Path(scratch, "model")
        made.mkdir()
        write_checkpoint(checkpoint, made)
        if folder.exists():
            folder.rmdir()
        made.replace(folder)


def write_checkpoint(checkpoint: Checkpoint, folder: Path) -> None:
    """Write a checkpoint into a folder that is there; see ``save_checkpoint``."""
    _copy(checkpoint.transformer, folder, ("config.json", *TOKENIZER_FILES))
    _copy(checkpoint.folder, folder, _PAPERS)
    _copy_weights(checkpoint.transformer, folder)
    places = dense_folders(folder, len(checkpoint.dense))
    for place, layer in zip(places, checkpoint.dense, strict=True):
        place.mkdir(exist_ok=True)
        _copy(layer, place, ("config.json",))
        _copy_weights(layer, place)
    if checkpoint.latent is not None:
        shutil.copytree(checkpoint.latent, folder / LATENT_FOLDER, dirs_exist_ok=True)
    config = replace(checkpoint.config, name=checkpoint.name)
    write_settings(folder, config, dense=len(places))


def write_settings(folder: Path, config: EncoderConfig, *, dense: int = 0) -> None:
    """Write the settings beside weights and tokenizer, for us and for sentence-transformers.

    Args:
        folder: holds ``config.json`` and the tokenizer already.
        config: the settings; written to ``lmk.json`` in full.
        dense: layers behind the pooling, in ``dense_folders``.
    """
    _write(folder / CONFIG_FILE, asdict(config))
    prompts = {"query": config.query_prompt, "document": config.document_prompt}
    described = {"prompts": prompts, "default_prompt_name": None, "similarity_fn_name": "cosine"}
    _write(folder / PROMPTS_FILE, described)
    _write(
        folder / SETTINGS_FILE,
        {"max_seq_length": config.window_tokens, "do_lower_case": config.lowercase},
    )
    if not _is_known_to_others(folder, config):
        _write(folder / MODULES_FILE, [{"idx": 0, "name": "0", "path": "", "type": _OWN_TYPE}])
        return
    pooling, normalize = folder / "1_Pooling", folder / f"{2 + dense}_Normalize"
    layers = dense_folders(folder, dense)
    for place in (pooling, normalize):
        place.mkdir(exist_ok=True)
    _write(
        pooling / "config.json",
        {
            "word_embedding_dimension": read_json(folder / "config.json")["hidden_size"],
            "include_prompt": config.include_prompt,
        }
        | {f"pooling_mode_{mode}": config.pooling == own for own, mode in _MODES.items()},
    )
    kinds = ("Transformer", "Pooling", *["Dense"] * dense, "Normalize")
    places = ("", pooling.name, *(layer.name for layer in layers), normalize.name)
    modules = [
        {"idx": i, "name": str(i), "path": place, "type": _THEIR_TYPE + kind}
        for i, (kind, place) in enumerate(zip(kinds, places, strict=True))
    ]
    _write(folder / MODULES_FILE, modules)


def dense_folders(folder: Path, count: int) -> list[Path]:
    """Where the linear layers of a folder lie, in order."""
    return [folder / f"{2 + index}_Dense" for index in range(count)]


def _is_known_to_others(folder: Path, config: EncoderConfig) -> bool:
    """Whether modules of sentence-transformers give the same vectors."""
    if config.pooling not in _MODES or config.strip or config.truncate_dim:
        return False
    tokens = read_special_tokens(folder)
    return (config.start_token, config.end_token) == (tokens.leading, tokens.trailing)


def _copy(source: Path, target: Path, patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        for file in sorted(source.glob(pattern)):
            shutil.copyfile(file, target / file.name)


def _copy_weights(source: Path, target: Path) -> None:
    """Copy weights; those of the older format become safetensors."""
    files = weight_files(source)
    if all(file.suffix == ".safetensors" for file in files):
        _copy(source, target, ("*.safetensors", "*.safetensors.index.json"))
        return
    from safetensors.torch import save_file

    weights = {name: value.clone().contiguous() for name, value in read_weights(source).items()}
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})


def _write(file: Path, values: Any) -> None:
    file.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
