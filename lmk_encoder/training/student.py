"""The model in training: windows -> what its texts' vectors are made of, with gradients.

A module of sentence-transformers, so that its trainer can hold it. ``save`` writes a folder that
``LandmarkEncoder`` and ``SentenceTransformer`` load, at every checkpoint.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from sentence_transformers.base.modules import InputModule
from torch import Tensor

from lmk_encoder.config import EncoderConfig
from lmk_encoder.formats.authors import LATENT_FOLDER
from lmk_encoder.formats.writing import write_settings
from lmk_encoder.latent import LatentAttention
from lmk_encoder.pooling import range_means, unit_states

_COPIED = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
_WEIGHTS = "model.safetensors"


class Student(InputModule):  # type: ignore[misc]  # the library's base is untyped here
    """A transformers encoder under training.

    Args:
        model: as ``backbone.load_model`` gives it, in float32.
        config: of the checkpoint that ``save`` writes.
        base: the folder that the tokenizer is copied from.
        latent: under "latent" pooling, what tokens go through before they are averaged.
    """

    def __init__(
        self, model: Any, config: EncoderConfig, base: Path, latent: LatentAttention | None = None
    ) -> None:
        super().__init__()
        self.model = model
        self.latent = latent
        self.settings = config
        self._base = base

    def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Add what the windows (``Collator``) come to.

        ``sums`` (W, D) float32, the sum of the states that count in a text's vector, and
        ``counts`` (W,), how many those are; ``local`` (M, D) unit vectors of all landmarks, window
        by window.
        """
        mask = features["attention_mask"]
        # Without padding no mask is needed, and attention has less to do.
        given = None if bool(mask.all()) else mask
        states = self.model(input_ids=features["input_ids"], attention_mask=given).last_hidden_state
        if self.latent is not None:
            states = self.latent(states)
        ranges = features["landmarks"]
        rows, places = (ranges[:, :, 0] >= 0).nonzero(as_tuple=True)
        pooled = features["pooled"]
        states = states.float()  # sums run in float32, whatever the model computes in (trap T7)
        each = unit_states(states) if self._normalizes_states else states
        sums = (each * pooled.unsqueeze(-1)).sum(dim=1)
        local = unit_states(range_means(states, rows, ranges[rows, places]))
        return {**features, "sums": sums, "counts": pooled.sum(dim=1), "local": local}

    @property
    def _normalizes_states(self) -> bool:
        return self.settings.pooling == "landmark" and self.settings.normalize_landmarks

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write weights, configs and tokenizer into a folder."""
        folder = Path(output_path)
        self.model.save_pretrained(folder)
        for name in _COPIED:
            if (self._base / name).is_file() and self._base.resolve() != folder.resolve():
                shutil.copyfile(self._base / name, folder / name)
        if self.latent is not None:
            (folder / LATENT_FOLDER).mkdir(exist_ok=True)
            save_file(self.latent.state_dict(), folder / LATENT_FOLDER / _WEIGHTS)
            _write_json(folder / LATENT_FOLDER / "config.json", self.latent.settings)
        write_settings(folder, self.settings)

    def load_weights(self, folder: Path) -> None:
        """Take the weights that ``save`` wrote."""
        self.model.load_state_dict(load_file(folder / _WEIGHTS))
        if self.latent is not None:
            self.latent.load_state_dict(load_file(folder / LATENT_FOLDER / _WEIGHTS))

    def preprocess(self, *_: Any, **__: Any) -> dict[str, Tensor]:
        """Texts are laid out by ``Collator``, never by the library."""
        raise NotImplementedError("load the saved folder with LandmarkEncoder to encode texts")


def set_dropout(model: torch.nn.Module, share: float) -> None:
    """Set the share of every dropout layer, and of attention layers that keep it as a number."""
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = share
        elif isinstance(getattr(module, "attention_dropout", None), float):
            module.attention_dropout = share  # type: ignore[assignment]


def _write_json(path: Path, values: dict[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
