"""Any encoder that transformers knows. The only file that knows transformers, whose import is slow.

Never touches the network: a checkpoint is a folder on this machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from lmk_encoder.errors import ModelError


class AutoEncoder:
    """A model of transformers in evaluation mode."""

    needs_equal_lengths = True

    def __init__(self, model: Any, device: torch.device) -> None:
        self._model = model.eval().requires_grad_(False).to(device)
        model.config.use_cache = False  # a decoder would keep keys and values that nobody reads
        self._device = device
        self.dimension = int(model.config.hidden_size)
        self.pad_id = int(getattr(model.config, "pad_token_id", None) or 0)
        self.max_positions = _max_positions(model.config)
        self.dtype = cast(torch.dtype, model.dtype)
        # "sdpa", or "eager" for models without it.
        self.attention = str(model.config._attn_implementation)

    @classmethod
    def load(cls, folder: Path, dtype: torch.dtype, device: torch.device) -> "AutoEncoder":
        """Load a folder as ``save_pretrained`` writes it.

        Raises:
            ModelError: the folder is missing, incomplete or of another kind.
        """
        return cls(load_model(folder, dtype), device)

    def __call__(self, ids: Tensor, mask: Tensor | None, read: Tensor | None) -> Tensor:
        """Last hidden states (B, T, D); ``read`` changes nothing: all of them are computed."""
        if mask is not None:
            mask = mask.to(self._device)
        output = self._model(input_ids=ids.to(self._device), attention_mask=mask)
        return cast(Tensor, output.last_hidden_state)


def load_model(folder: Path, dtype: torch.dtype) -> Any:
    """An AutoModel with all its weights, sdpa attention where it has it, and no pooler."""
    from safetensors import SafetensorError
    from transformers import AutoModel

    if not (folder / "config.json").is_file():
        what = f"{folder} has no config.json: it is no model folder."
        raise ModelError(what, "Name the folder that save_pretrained wrote.")
    options = {"local_files_only": True, "dtype": dtype, "output_loading_info": True}
    with quiet_transformers():
        try:
            for attention in ("sdpa", "eager"):
                try:
                    model, info = _from_pretrained(
                        AutoModel, folder, options | {"attn_implementation": attention}
                    )
                    break
                except ValueError as error:  # "... does not support ... scaled_dot_product ..."
                    if attention == "eager" or "attention" not in str(error):
                        raise
        except (OSError, ValueError, ImportError, RuntimeError, SafetensorError) as error:
            what = f"{folder} cannot be loaded: {error}."
            raise ModelError(what, "Check that the folder is complete, or save it anew.") from error
    if model.config.is_encoder_decoder:
        what = f"{folder} is a model of two halves ({model.config.model_type})."
        raise ModelError(what, "Use an encoder, or a decoder: bert, modernbert, qwen3 ...")
    absent = sorted(key for key in info["missing_keys"] if "pooler" not in key)
    if absent or info["mismatched_keys"]:
        what = f"{folder} lacks weights of its model: {', '.join(absent[:3]) or 'wrong shapes'}."
        raise ModelError(what, "The file is incomplete or of another model: copy it anew.")
    return model


def _from_pretrained(auto: Any, folder: Path, options: dict[str, Any]) -> Any:
    try:
        return auto.from_pretrained(folder, add_pooling_layer=False, **options)
    except TypeError:  # models that never had a pooler do not know the argument
        return auto.from_pretrained(folder, **options)


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Keep loading bars and notes off stderr, then restore the settings as they were."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def _max_positions(config: Any) -> int | None:
    """Ids the model takes at most, or None if its config does not say."""
    positions = getattr(config, "max_position_embeddings", None)
    if not isinstance(positions, int) or positions < 1:
        return None
    # The RoBERTa family and MPNet count positions from pad_token_id + 1 and reserve those below.
    reserved = 2 if config.model_type in {"roberta", "xlm-roberta", "camembert", "mpnet"} else 0
    return positions - reserved
