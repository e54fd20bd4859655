"""The forward pass of ``postnorm`` for a query, in numpy: torch takes longer to import than this.

One short sequence, float32. Its states are columns, so that weights are used as files hold them,
and each product is computed in blocks of rows: BLAS takes small ones as they are, and copies large
ones first, which costs as much as multiplying them with a few columns does. Only queries are worth
it: from some hundred ids on torch is faster.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.postnorm_files import Map, PostNormFiles, read_postnorm
from lmk_encoder.types import FloatMatrix, IntMatrix

Array = NDArray[np.float32]

_BLOCK = 64  # rows of a weight in one product
# erf(x) = 1 - (c1 t + ... + c5 t^5) exp(-x²), t = 1 / (1 + p x), to 1.5e-7 (Abramowitz and
# Stegun 7.1.26): numpy has none of its own.
_ERF_P = 0.3275911
_ERF_C = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


class Affine(NamedTuple):
    """``weight`` (blocks, out / blocks, in) and ``bias`` (out, 1) of a map of columns."""

    weight: Array
    bias: Array

    @classmethod
    def of(cls, *maps: Map[Array]) -> Self:
        """Maps of the same columns as one, their results one below the other."""
        weight = np.concatenate([one.weight for one in maps]) if len(maps) > 1 else maps[0].weight
        rows, width = weight.shape
        block = _BLOCK if rows % _BLOCK == 0 else rows
        bias = np.concatenate([one.bias for one in maps])
        return cls(weight.reshape(-1, block, width), bias[:, None])

    def __call__(self, columns: Array) -> Array:
        """The map of ``columns`` (in, N): (out, N)."""
        mapped: Array = (self.weight @ columns).reshape(len(self.bias), -1)
        mapped += self.bias
        return mapped


class Norm(NamedTuple):
    """Scale and shift (D, 1) of a layer norm of columns, and what keeps it finite."""

    weight: Array
    bias: Array
    eps: float

    def __call__(self, columns: Array) -> Array:
        """``columns`` (D, N), each normalised."""
        centred: Array = columns - columns.mean(axis=0)
        centred *= 1 / np.sqrt(np.square(centred).mean(axis=0) + np.float32(self.eps))
        centred *= self.weight
        centred += self.bias
        return centred


class Layer(NamedTuple):
    """One block. Rows of ``qkv`` (3 D, D) are queries, keys, values, each head by head."""

    qkv: Affine
    attended: Affine
    attended_norm: Norm
    up: Affine
    down: Affine
    down_norm: Norm


@dataclass(frozen=True, slots=True)
class ArrayPostNorm:
    """Weights of an encoder, and its forward pass.

    Attributes:
        files: embeddings, in the number type of the file, and sizes.
        norm: of the embeddings.
        layers: the blocks.
        turns: (2, head / 2, P) cosines and sines of rotary positions; None without.
    """

    files: PostNormFiles[Array]
    norm: Norm
    layers: tuple[Layer, ...]
    turns: Array | None

    @property
    def dimension(self) -> int:
        """D, the width of the states."""
        return len(self.norm.weight)

    @property
    def max_positions(self) -> int:
        """Ids of the longest sequence that the model may be given."""
        return self.files.num_positions

    @classmethod
    def read(cls, folder: Path, longest: int) -> Self | None:
        """The encoder in a folder, for up to ``longest`` ids; None if it is not a plain one."""
        files = read_postnorm(folder, "numpy", np.asarray)
        if files is None:
            return None

        def norm(given: Map[Array]) -> Norm:
            wide = _wide(given)
            return Norm(wide.weight[:, None], wide.bias[:, None], files.norm_eps)

        layers = tuple(
            Layer(
                Affine.of(*map(_wide, layer.qkv)),
                Affine.of(_wide(layer.attended)),
                norm(layer.attended_norm),
                Affine.of(_wide(layer.up)),
                Affine.of(_wide(layer.down)),
                norm(layer.down_norm),
            )
            for layer in files.layers
        )
        turns = None
        if files.theta is not None:
            head = files.type.shape[1] // files.num_heads
            turns = _turns(min(longest, files.num_positions), head, files.theta)
        return cls(files, norm(files.norm), layers, turns)

    def __call__(self, ids: IntMatrix, read: IntMatrix) -> FloatMatrix:
        """Last hidden states (R, D) at the positions ``read`` (R,) of one sequence ``ids`` (T,)."""
        files = self.files
        embedded = files.words[ids].astype(np.float32) + files.type
        if files.positions is not None:
            embedded += files.positions[: len(ids)]
        states = self.norm(embedded.T)
        for layer in self.layers:
            is_last = layer is self.layers[-1]
            queries, keys, values = self._parts(layer.qkv(states))
            if is_last:
                queries, states = queries[:, :, read], states[:, read]
            mixed = layer.attended(_attend(queries, keys, values))
            states = layer.attended_norm(mixed + states)
            states = layer.down_norm(layer.down(_gelu(layer.up(states))) + states)
        return np.ascontiguousarray(states.T)

    def _parts(self, mapped: Array) -> Array:
        """Queries, keys and values (3, heads, head, T), turned if positions are rotary."""
        num_heads, length = self.files.num_heads, mapped.shape[1]
        if self.turns is not None:
            turned = mapped[: 2 * len(mapped) // 3].reshape(2 * num_heads, 2, -1, length)
            cosines, sines = self.turns[:, :, :length]
            first, second = turned[:, 0], turned[:, 1]
            turned[:] = np.stack(
                (first * cosines - second * sines, second * cosines + first * sines), axis=1
            )
        return mapped.reshape(3, num_heads, -1, length)


def _wide(given: Map[Array]) -> Map[Array]:
    return Map(given.weight.astype(np.float32), given.bias.astype(np.float32))


def _turns(num_positions: int, head: int, theta: float) -> Array:
    """(2, head / 2, P): place p turns pair i by p / theta ** (2 i / head)."""
    speeds = 1 / theta ** (np.arange(0, head, 2, dtype=np.float32) / head)
    angles = speeds[:, None] * np.arange(num_positions, dtype=np.float32)
    return np.stack((np.cos(angles), np.sin(angles))).astype(np.float32)


def _attend(queries: Array, keys: Array, values: Array) -> Array:
    """Scaled dot product attention: (heads, head, R), (heads, head, T) twice -> (D, R)."""
    scores = keys.transpose(0, 2, 1) @ queries  # (heads, T, R)
    scores *= np.float32(queries.shape[1] ** -0.5)
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    mixed: Array = (values @ scores).reshape(-1, scores.shape[2])
    return mixed


def _gelu(columns: Array) -> Array:
    """x (1 + erf(x / √2)) / 2, erf as above."""
    scaled = columns * np.float32(0.5**0.5)
    size = np.abs(scaled)
    ratio = 1 / (1 + np.float32(_ERF_P) * size)
    tail = np.zeros_like(ratio)
    for coefficient in reversed(_ERF_C):
        tail += np.float32(coefficient)
        tail *= ratio
    size *= size
    tail *= np.exp(-size)
    result: Array = (1 + np.copysign(1 - tail, scaled)) * columns
    result *= np.float32(0.5)
    return result
