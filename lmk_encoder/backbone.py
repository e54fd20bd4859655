"""The model itself: ids -> last hidden states. The only file that knows transformers.

Never touches the network: a checkpoint is a folder on this machine.
"""

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self, cast, get_args

import torch
from torch import Tensor

from lmk_encoder.errors import ConfigError, ModelError

Dtype = Literal["float32", "bfloat16", "float16"]


class Backbone:
    """A bidirectional encoder in evaluation mode on one device."""

    def __init__(self, model: Any, device: torch.device) -> None:
        self._model = model.eval().requires_grad_(False).to(device)
        self.device = device
        self.dimension = int(model.config.hidden_size)
        self.pad_id = int(getattr(model.config, "pad_token_id", None) or 0)
        self.max_positions = _max_positions(model.config)

    @classmethod
    def load(cls, folder: Path, *, device: str | None = None, dtype: str | None = None) -> Self:
        """Load a checkpoint folder.

        Args:
            folder: config.json and safetensors weights, as transformers writes them.
            device: "cuda", "mps", "cpu" ...; by default the first of these that is there.
            dtype: "float32", "bfloat16" or "float16"; by default bfloat16 where the hardware
                computes in it, else float32.

        Raises:
            ConfigError: the device or dtype is unknown or absent.
            ModelError: the folder is missing, incomplete or of another kind.
        """
        place = _choose_device(device)
        number_type = _choose_dtype(dtype, place)
        if place.type == "cpu":
            keep_freed_memory()
        return cls(load_model(folder, number_type), place)

    @property
    def dtype(self) -> torch.dtype:
        """The number type the model computes in."""
        return cast(torch.dtype, self._model.dtype)

    @property
    def attention(self) -> str:
        """Which attention code runs: "sdpa", or "eager" for models without it."""
        return str(self._model.config._attn_implementation)

    def run(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """Last hidden states (B, T, D), on the device, in the model's dtype.

        Args:
            ids: (B, T) int64.
            mask: (B, T), 1 on tokens and 0 on padding; None if nothing is padded, which saves
                the model the work of applying it.
        """
        with torch.inference_mode():
            ids = ids.to(self.device)
            if mask is not None:
                mask = mask.to(self.device)
            return cast(Tensor, self._model(input_ids=ids, attention_mask=mask).last_hidden_state)


def keep_freed_memory() -> None:
    """Let the C library keep freed memory instead of handing it back after every layer.

    Activations of some megabytes are allocated and freed all the time; handed back, each costs
    thousands of page faults anew (8-11 % of the time of a forward pass on Linux). The same as
    starting with MALLOC_MMAP_MAX_=0 and a large MALLOC_TRIM_THRESHOLD_. Does nothing where
    there is no glibc.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    trim_threshold, mmap_max = -1, -4  # M_TRIM_THRESHOLD, M_MMAP_MAX of <malloc.h>
    libc = ctypes.CDLL(None)
    libc.mallopt(mmap_max, 0)
    libc.mallopt(trim_threshold, 2**31 - 1)


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


def _choose_device(device: str | None) -> torch.device:
    if device is None:
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        chosen = torch.device(device)
        torch.empty(0, device=chosen)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        what = f"device={device!r} cannot be used: {str(error).splitlines()[0]}"
        raise ConfigError(what, "Use cpu, or install a torch build for it.") from error
    return chosen


def _choose_dtype(dtype: str | None, device: torch.device) -> torch.dtype:
    if dtype is None:
        return torch.bfloat16 if _computes_in_bfloat16(device) else torch.float32
    if dtype not in get_args(Dtype):
        what = f"dtype={dtype!r} is unknown."
        raise ConfigError(what, f"Use one of: {', '.join(get_args(Dtype))}.")
    return cast(torch.dtype, getattr(torch, dtype))


def _computes_in_bfloat16(device: torch.device) -> bool:
    """Whether bfloat16 is the faster type: elsewhere CPUs emulate it, slower than float32."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    cpu_info = Path("/proc/cpuinfo")
    if device.type != "cpu" or not cpu_info.exists():
        return False
    flags = set(cpu_info.read_text(errors="replace").split())
    return bool(flags & {"avx512_bf16", "amx_bf16"})
