"""The training output of the paper's authors, and plain folders of transformers.

Neither says how to pool. The authors put it into the name of the folder, as in
``..._lmk_var_gran_32_64_128_256``; the final model lies in ``best``.
"""

import re
from pathlib import Path
from typing import Any

from lmk_encoder.formats.found import Found

LATENT_FOLDER = "latent_attn_model"
_HINT = re.compile(
    r"(lmk_fixed|lmk_var|lmk_en|lmk_multi|(?:latent_attn|cls|mean|every_\d+)(?=_gran_))"
    r"(?:_gran_(\d+(?:_\d+)*))?"
)
_STEP = re.compile(r"best|checkpoint-\d+")
_POOLINGS = {"latent_attn": "latent", "cls": "cls", "mean": "mean"}


def output_folder(folder: Path) -> Path:
    """The folder of the final model: ``best``, where a training run was named."""
    best = folder / "best"
    has_own = any((folder / name).is_file() for name in ("config.json", "modules.json"))
    return best if not has_own and (best / "config.json").is_file() else folder


def read_plain(folder: Path, *, of_authors: bool) -> Found:
    """A transformer without any word on pooling.

    Args:
        folder: where it lies.
        of_authors: whether ``modules.json`` stands beside it with no pooling in it, as the
            authors' code writes it.
    """
    path = folder.resolve()
    name = path.parent.name if _STEP.fullmatch(path.name) else path.name
    settings = hinted_settings(name)
    latent = folder / LATENT_FOLDER
    if latent.is_dir():
        settings = {"pooling": "latent"}
        return Found(settings, folder, "authors' output", latent=latent)
    if settings:
        note = f"Pooling was read off the name {name!r}: {settings}."
        return Found(settings, folder, "authors' output", notes=(note,))
    if of_authors or (folder / "training_args.bin").is_file():
        note = "The folder does not say how to pool: landmarks every 32 tokens are assumed."
        return Found({"pooling": "landmark"}, folder, "authors' output", notes=(note,))
    note = "The folder does not say how to pool: the mean of all states is assumed."
    return Found({"pooling": "mean"}, folder, "transformers", notes=(note,))


def hinted_settings(name: str) -> dict[str, Any]:
    """Settings that the name of a folder holds; empty if it holds none."""
    hint = _HINT.search(name)
    if hint is None:
        return {}
    kind, sizes = hint[1], [int(size) for size in (hint[2] or "").split("_") if size]
    if kind.startswith("every_"):
        return {"pooling": "every_k", "granularity": int(kind.removeprefix("every_"))}
    if kind in _POOLINGS:
        return {"pooling": _POOLINGS[kind]}
    settings: dict[str, Any] = {"pooling": "landmark"}
    if kind in ("lmk_en", "lmk_multi"):
        return settings | {"chunks": "sentences", "query_tokens": 1}
    return settings | ({"granularity": inference_interval(sizes)} if sizes else {})


def inference_interval(sizes: list[int]) -> int:
    """The interval to use of those trained with: 32, the paper's setting, else the smallest."""
    return 32 if 32 in sizes else min(sizes)
