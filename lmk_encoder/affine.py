"""Linear maps with what follows them: plain, or packed for oneDNN, which does both in one pass.

Packing puts the weights in the order in which the kernels read them, once instead of at every
call, and adds bias, GELU or residual while the products are still in the cache. torch uses the
same operators in compiled models; where they are missing, plain maps give the same values.
"""

from functools import cache
from typing import NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 - its name in every torch program
from torch import Tensor

# Rows that packed weights are laid out for; any other number works.
_USUAL_ROWS = 1024


class Affine(NamedTuple):
    """``weight`` (out, in) and ``bias`` (out,) of a map."""

    weight: Tensor
    bias: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        """The map of ``rows`` (N, in): (N, out)."""
        return F.linear(rows, self.weight, self.bias)

    def gelu(self, rows: Tensor) -> Tensor:
        """GELU of the map."""
        mapped: Tensor = torch.ops.aten.gelu_(self(rows))
        return mapped

    def plus(self, rows: Tensor, others: Tensor) -> Tensor:
        """``others`` (N, out) added to the map."""
        return self(rows).add_(others)

    def on(self, device: torch.device) -> "Affine | PackedAffine":
        """The same map for many calls on a device."""
        if device.type == "cpu" and _can_pack(self.weight.dtype):
            return _pack(self)
        return Affine(self.weight.to(device), self.bias.to(device))


class PackedAffine(NamedTuple):
    """An ``Affine`` whose weight lies in oneDNN's own order."""

    weight: Tensor
    bias: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        """The map of ``rows`` (N, in): (N, out)."""
        return self._pointwise(rows, "none", "")

    def gelu(self, rows: Tensor) -> Tensor:
        """GELU of the map."""
        return self._pointwise(rows, "gelu", "none")

    def plus(self, rows: Tensor, others: Tensor) -> Tensor:
        """``others`` (N, out) added to the map."""
        linear = torch.ops.mkldnn._linear_pointwise.binary
        mapped: Tensor = linear(rows, others, self.weight, self.bias, "add")
        return mapped

    def on(self, device: torch.device) -> "PackedAffine":
        """Itself: what is packed stays on the CPU."""
        if device.type != "cpu":
            raise ValueError(f"packed for the CPU, not for {device}")
        return self

    def _pointwise(self, rows: Tensor, kind: str, algorithm: str) -> Tensor:
        linear = torch.ops.mkldnn._linear_pointwise
        mapped: Tensor = linear(rows, self.weight, self.bias, kind, [], algorithm)
        return mapped


def _pack(plain: Affine) -> PackedAffine:
    weight = torch.ops.mkldnn._reorder_linear_weight(plain.weight, _USUAL_ROWS)
    return PackedAffine(weight, plain.bias)


@cache
def _can_pack(dtype: torch.dtype) -> bool:
    """Whether this build of torch on this processor has the operators, and they are right."""
    if dtype not in (torch.float32, torch.bfloat16):
        return False
    plain = Affine(torch.eye(16, dtype=dtype), torch.ones(16, dtype=dtype))
    rows = torch.arange(32, dtype=dtype).reshape(2, 16)
    try:
        packed = _pack(plain)
        pairs = (
            (packed(rows), plain(rows)),
            (packed.gelu(rows), plain.gelu(rows)),
            (packed.plus(rows, rows), plain.plus(rows, rows)),
        )
    except (AttributeError, RuntimeError):
        return False
    return all(torch.allclose(ours, theirs, rtol=0.01) for ours, theirs in pairs)
