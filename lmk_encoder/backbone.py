"""The model itself: ids -> last hidden states, on the best device there is."""

import ctypes
import platform
import time
from collections import deque
from functools import cache
from pathlib import Path
from typing import Literal, Protocol, Self, cast, get_args

import torch
from torch import Tensor

from lmk_encoder.errors import ConfigError
from lmk_encoder.postnorm import SHORT_LENGTHS, PostNormEncoder
from lmk_encoder.workers import in_workers

Dtype = Literal["float32", "bfloat16", "float16"]


class Model(Protocol):
    """What computes states: our own code, or transformers for what that does not cover."""

    @property
    def dimension(self) -> int:
        """D, the width of the states."""

    @property
    def pad_id(self) -> int:
        """What stands on padding."""

    @property
    def max_positions(self) -> int | None:
        """Ids of the longest sequence, or None if the checkpoint does not say."""

    @property
    def dtype(self) -> torch.dtype:
        """The number type it computes in."""

    @property
    def attention(self) -> str:
        """Which attention code runs."""

    @property
    def needs_equal_lengths(self) -> bool:
        """Whether padding costs as much as tokens do."""

    def __call__(self, ids: Tensor, mask: Tensor | None, read: Tensor | None) -> Tensor:
        """As ``Backbone.run``."""


class Backbone:
    """A bidirectional encoder in evaluation mode on one device."""

    def __init__(self, model: Model, device: torch.device) -> None:
        self._model = model
        self.device = device
        self.dimension = model.dimension
        self.pad_id = model.pad_id
        self.max_positions = model.max_positions
        self.needs_equal_lengths = model.needs_equal_lengths

    @classmethod
    def load(cls, folder: Path, *, device: str | None = None, dtype: str | None = None) -> Self:
        """Load a checkpoint folder.

        Args:
            folder: config.json and safetensors weights, as transformers writes them.
            device: "cuda", "mps", "cpu" ...; by default the first of these that is there.
            dtype: "float32", "bfloat16" or "float16"; by default bfloat16 where the hardware
                is faster in it, else float32.

        Raises:
            ConfigError: the device or dtype is unknown or absent.
            ModelError: the folder is missing, incomplete or of another kind.
        """
        place = _choose_device(device)
        number_type = _choose_dtype(dtype, place)
        if place.type == "cpu":
            keep_freed_memory()
        with torch.inference_mode():
            # On MPS complex numbers and ragged batches are not what they are elsewhere.
            own = None if place.type == "mps" else PostNormEncoder.read(folder, number_type)
            if own is not None:
                backbone = cls(own.on(place), place)
                backbone._warm_up()
                return backbone
        from lmk_encoder.automodel import AutoEncoder  # transformers takes seconds to import

        return cls(AutoEncoder.load(folder, number_type, place), place)

    def _warm_up(self) -> None:
        """Have the kernels of a query compiled, on one core as it is computed (CPU only)."""
        if self.device.type == "cpu":
            inputs = [torch.zeros(1, length, dtype=torch.int64) for length in SHORT_LENGTHS]
            deque(in_workers(self.run, inputs, are_small=True), maxlen=0)

    @property
    def dtype(self) -> torch.dtype:
        """The number type the model computes in."""
        return self._model.dtype

    @property
    def attention(self) -> str:
        """Which attention code runs: "sdpa", or "eager" for models without it."""
        return self._model.attention

    def run(self, ids: Tensor, mask: Tensor | None = None, read: Tensor | None = None) -> Tensor:
        """Last hidden states (B, T, D), on the device, in the model's dtype.

        Args:
            ids: (B, T) int64.
            mask: (B, T), 1 on tokens, which come first in each row, and 0 on padding; None if
                nothing is padded, which saves the model the work of applying it.
            read: (B, T), 1 where somebody reads the state; others may be zero. None is all.
        """
        with torch.inference_mode():
            return self._model(
                ids, None if mask is None else mask.bool(), None if read is None else read.bool()
            )


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
    """Whether bfloat16 is the faster type: where it is emulated, it is slower than float32."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    cpu_info = Path("/proc/cpuinfo")
    if device.type != "cpu" or not cpu_info.exists():
        return False
    flags = set(cpu_info.read_text(errors="replace").split())
    if "amx_bf16" in flags:
        return True
    # Some of these processors multiply bfloat16 twice as fast as float32, others half as fast.
    return "avx512_bf16" in flags and _matmul_s(torch.bfloat16) < _matmul_s(torch.float32)


@cache
def _matmul_s(dtype: torch.dtype) -> float:
    """Processor seconds of a matrix product of a layer's shape on one thread, best of five.

    Neither other programs nor waiting for other threads counts. Some 20 ms for both types.
    """
    states, weights = torch.zeros(128, 384, dtype=dtype), torch.zeros(1536, 384, dtype=dtype)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        times = []
        for _ in range(5):
            begun = time.thread_time()
            torch.nn.functional.linear(states, weights)
            times.append(time.thread_time() - begun)
    finally:
        torch.set_num_threads(threads)
    return min(times)
