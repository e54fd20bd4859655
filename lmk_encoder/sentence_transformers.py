"""Our checkpoints as models of sentence-transformers: ``SentenceTransformer(folder)``.

``modules.json`` of a saved folder names the class below; the library imports it from here, which
it does only with ``trust_remote_code=True`` (its word for every class that is not its own; no
code of the folder is run). Needs the library installed; nothing else of this package does.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import torch
from sentence_transformers.base.modules import InputModule
from torch import Tensor

from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.formats.reading import read_checkpoint
from lmk_encoder.formats.writing import write_checkpoint


class LandmarkTransformer(InputModule):  # type: ignore[misc]
    """Texts -> vectors, whatever the pooling, through ``LandmarkEncoder``. For inference.

    Texts longer than the window are encoded in several windows instead of being cut, so the
    vectors are those of ``LandmarkEncoder.encode``. The model is loaded when first needed, on
    the device and in the number type that the module was moved to (float32 at first).

    Args:
        folder: a checkpoint folder.
        settings: keys of ``lmk.json`` that win over those of the folder.
    """

    def __init__(self, folder: str | Path, settings: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._folder, self._settings = folder, settings
        self.checkpoint = read_checkpoint(folder, settings)
        self._encoder: LandmarkEncoder | None = None
        self.register_buffer("_place", torch.zeros(()), persistent=False)

    @property
    def encoder(self) -> LandmarkEncoder:
        """The encoder, loaded where the module is now."""
        dtype = str(self._place.dtype).removeprefix("torch.")
        made = self._encoder
        if made is None or (made.device, made.dtype) != (self._place.device, dtype):
            made = LandmarkEncoder(
                self._folder,
                device=str(self._place.device),
                dtype=dtype,
                settings=self._settings,
            )
            self._encoder = made
        return made

    @property
    def max_seq_length(self) -> int:
        """Ids in one window. Longer texts are not cut: they take several."""
        return self.checkpoint.config.window_tokens

    def get_embedding_dimension(self) -> int:
        """Width of the vectors."""
        return self.checkpoint.dimension

    def preprocess(
        self, inputs: Sequence[str], prompt: str | None = None, task: str | None = None, **_: Any
    ) -> dict[str, Any]:
        """Keep the texts; tokens are made where windows are.

        Raises:
            TypeError: an input is not a string.
        """
        for text in inputs:
            if not isinstance(text, str):
                raise TypeError(f"a text to encode must be a string, not {type(text).__name__}")
        return {"texts": list(inputs), "prompt": prompt or "", "is_query": task == "query"}

    def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Tensor | Any]:
        """Add ``sentence_embedding`` (B, D), of unit length."""
        vectors = self.encoder.encode(
            features["texts"], is_query=features["is_query"], prompt=features["prompt"]
        )
        features["sentence_embedding"] = torch.from_numpy(vectors).to(self._place.device)
        return features

    def save(self, output_path: str, *args: Any, **kwargs: Any) -> None:
        """Write the checkpoint into a folder."""
        write_checkpoint(self.checkpoint, Path(output_path))

    @classmethod
    def load(
        cls, model_name_or_path: str, subfolder: str = "", model_kwargs: Any = None, **_: Any
    ) -> Self:
        """Load from a folder or a name; ``model_kwargs`` may say a ``dtype``."""
        folder = Path(model_name_or_path, subfolder) if subfolder else model_name_or_path
        module = cls(folder)
        options = model_kwargs or {}
        dtype = options.get("dtype") or options.get("torch_dtype")
        if dtype is not None:
            module.to(getattr(torch, dtype) if isinstance(dtype, str) else dtype)
        return module
