"""BERT and its kin, forward pass only: what transformers computes, in less time (torch only).

The post-norm encoders: BERT, RoBERTa, XLM-RoBERTa, CamemBERT, and jina_embeddings_v3, which is
XLM-RoBERTa with rotary positions. What differs from the usual code (docs/experiments.md has the
figures): sequences lie one after another in one matrix of rows, nothing is padded; one product
makes queries, keys and values; rotary positions are one complex product, for which rows of the
weights stand in pairs; and the last layer is computed for the rows that somebody asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple, Self

import torch
import torch.nn.functional as F  # noqa: N812 - its name in every torch program
from torch import Tensor

from lmk_encoder.affine import Affine, PackedAffine
from lmk_encoder.attention import attend
from lmk_encoder.postnorm_files import PostNormLayer, read_postnorm

Map = Affine | PackedAffine

# Rows are filled up to a multiple of this: kernels are compiled for every number of rows, which
# takes milliseconds, and no more than a thousand of them are kept. Short sequences, as a query is,
# are filled up to one of a few numbers, for which a model that is loaded has them compiled.
_ROWS, _FEW_ROWS = 32, 8
SHORT_LENGTHS = range(_FEW_ROWS, _ROWS + 1, _FEW_ROWS)


class Norm(NamedTuple):
    """Scale and shift (D,) of a layer norm."""

    weight: Tensor
    bias: Tensor

    def to(self, device: torch.device) -> "Norm":
        """The same norm on a device."""
        return Norm(self.weight.to(device), self.bias.to(device))


class Layer(NamedTuple):
    """One block. Rows of ``qkv`` (3 D, D) are queries, keys, values, each head by head."""

    qkv: Map
    attended: Map
    attended_norm: Norm
    up: Map
    down: Map
    down_norm: Norm

    def on(self, device: torch.device) -> "Layer":
        """The same block, ready to run on a device."""
        return Layer(
            self.qkv.on(device),
            self.attended.on(device),
            self.attended_norm.to(device),
            self.up.on(device),
            self.down.on(device),
            self.down_norm.to(device),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PostNormEncoder:
    """Weights of an encoder, and its forward pass.

    Attributes:
        words: (V, D) embeddings.
        positions: (P, D), what is added to them place by place; (1, D) with ``rotation``.
        rotation: (P, head / 2) complex64, by which pairs of neighbouring dimensions of queries
            and keys are turned; None for models that add positions.
        norm: of the embeddings.
    """

    words: Tensor
    positions: Tensor
    rotation: Tensor | None
    norm: Norm
    layers: tuple[Layer, ...]
    num_heads: int
    norm_eps: float
    pad_id: int
    needs_equal_lengths: ClassVar[bool] = False
    attention: ClassVar[str] = "sdpa"

    @classmethod
    def read(cls, folder: Path, dtype: torch.dtype) -> Self | None:
        """The encoder in a checkpoint folder, on the CPU; None if it is not a plain one."""
        files = read_postnorm(folder, "pt", lambda tensor: tensor.to(dtype))
        if files is None:
            return None
        rotation, positions, num_heads = None, files.type, files.num_heads
        if files.positions is not None:
            positions = files.positions + files.type
        if files.theta is not None:
            head = files.type.shape[1] // num_heads
            rotation = rotation_table(files.num_positions, head, files.theta)
        return cls(
            words=files.words,
            positions=positions,
            rotation=rotation,
            norm=Norm(*files.norm),
            layers=tuple(_layer(layer, num_heads, rotation is not None) for layer in files.layers),
            num_heads=num_heads,
            norm_eps=files.norm_eps,
            pad_id=files.pad_id,
        )

    @property
    def dimension(self) -> int:
        """D, the width of the states."""
        return self.words.shape[1]

    @property
    def dtype(self) -> torch.dtype:
        """The number type of weights and states."""
        return self.words.dtype

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.words.device

    @property
    def max_positions(self) -> int:
        """P, the ids of the longest sequence."""
        return len(self.positions if self.rotation is None else self.rotation)

    def on(self, device: torch.device) -> Self:
        """The same encoder, ready to run on a device."""
        return type(self)(
            words=self.words.to(device),
            positions=self.positions.to(device),
            rotation=None if self.rotation is None else self.rotation.to(device),
            norm=self.norm.to(device),
            layers=tuple(layer.on(device) for layer in self.layers),
            num_heads=self.num_heads,
            norm_eps=self.norm_eps,
            pad_id=self.pad_id,
        )

    def __call__(
        self, ids: Tensor, mask: Tensor | None = None, read: Tensor | None = None
    ) -> Tensor:
        """Last hidden states (B, T, D).

        Args:
            ids: (B, T), on the CPU.
            mask: (B, T) bool, true on tokens, which come first in each row, false on padding;
                None if nothing is padded. Padding is left out, not computed.
            read: (B, T) bool, the states that matter; the others may be zero. None is all.
        """
        batch, length = ids.shape
        if mask is None:
            mask = torch.ones(batch, length, dtype=torch.bool)
        read = mask if read is None else read & mask
        states = self._rows(
            _whole(ids[mask], self.device),
            _whole(torch.arange(length).expand(batch, length)[mask], self.device),
            mask.sum(1).tolist(),
            _whole(read[mask].nonzero().squeeze(1), self.device),
            read.sum(1).tolist(),
        )
        result = states.new_zeros(batch, length, self.dimension)
        result[read.to(self.device)] = states[: int(read.sum())]
        return result

    def _rows(
        self,
        ids: Tensor,
        places: Tensor,
        lengths: Sequence[int],
        kept: Tensor,
        num_kept: Sequence[int],
    ) -> Tensor:
        """Last hidden states (K, D) of kept rows.

        Args:
            ids: (N,), the sequences one after another, and any ids behind the last.
            places: (N,), the place of each id in its sequence.
            lengths: ids of each sequence.
            kept: (K,) rows of ``ids``, sequence by sequence, and any rows behind the last.
            num_kept: how many of them are in each sequence.
        """
        states = F.embedding(ids, self.words)
        if self.rotation is None:
            rotation = None
            states = states.add_(self.positions[places])
        else:
            rotation = self.rotation[places, None, None]
            states = states.add_(self.positions)
        states = self._norm(states, self.norm)
        *layers, last = self.layers
        for layer in layers:
            queries, keys, values = self._parts(states, layer, rotation)
            mixed = attend(queries, keys, values, num_queries=lengths, num_keys=lengths)
            states = self._after_attention(states, mixed, layer)
        queries, keys, values = self._parts(states, last, rotation)
        mixed = attend(queries[kept], keys, values, num_queries=num_kept, num_keys=lengths)
        return self._after_attention(states[kept], mixed, last)

    def _parts(
        self, states: Tensor, layer: Layer, rotation: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, (N, heads, head) each."""
        parts = layer.qkv(states).view(len(states), 3, self.num_heads, -1)
        if rotation is None:
            queries, keys, values = parts.unbind(1)
        else:
            queries, keys = turned(parts[:, :2], rotation).unbind(1)
            values = parts[:, 2]
        return queries, keys, values

    def _after_attention(self, states: Tensor, mixed: Tensor, layer: Layer) -> Tensor:
        states = self._norm(layer.attended.plus(mixed, states), layer.attended_norm)
        return self._norm(layer.down.plus(layer.up.gelu(states), states), layer.down_norm)

    def _norm(self, states: Tensor, norm: Norm) -> Tensor:
        return F.layer_norm(states, (self.dimension,), norm.weight, norm.bias, self.norm_eps)


def _layer(given: PostNormLayer[Tensor], num_heads: int, is_rotary: bool) -> Layer:
    """The block as it is computed: one map for queries, keys and values."""
    qkv = Affine(*(torch.cat(rows) for rows in zip(*given.qkv, strict=True)))
    if is_rotary:
        qkv = Affine(*(_in_pairs(rows, num_heads) for rows in qkv))
    return Layer(
        qkv,
        Affine(*given.attended),
        Norm(*given.attended_norm),
        Affine(*given.up),
        Affine(*given.down),
        Norm(*given.down_norm),
    )


def _in_pairs(rows: Tensor, num_heads: int) -> Tensor:
    """``rows`` (3 D, ...) with dimension i of each query and key before i + head / 2, its partner.

    Files hold the partners in two halves of a head. Scores do not depend on their order.
    """
    queries_keys, values = rows.tensor_split([2 * len(rows) // 3])
    half = len(rows) // (6 * num_heads)
    halves = queries_keys.view(2 * num_heads, 2, half, *rows.shape[1:])
    return torch.cat((halves.transpose(1, 2).flatten(0, 2), values))


def rotation_table(num_positions: int, head: int, theta: float) -> Tensor:
    """(P, head / 2) complex64: place p turns pair i by p / theta ** (2 i / head)."""
    speeds = 1.0 / theta ** (torch.arange(0, head, 2, dtype=torch.float32) / head)
    angles = torch.arange(num_positions, dtype=torch.float32)[:, None] * speeds
    return torch.polar(torch.ones_like(angles), angles)


def turned(states: Tensor, rotation: Tensor) -> Tensor:
    """``states`` (..., head) with neighbouring dimensions turned as pairs, in float32."""
    pairs = torch.view_as_complex(states.float().view(*states.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * rotation).flatten(-2).to(states.dtype)


def _whole(rows: Tensor, device: torch.device) -> Tensor:
    """``rows`` (N,) on the device, zeros behind them up to a usual number of rows."""
    filled = F.pad(rows, (0, -len(rows) % (_ROWS if len(rows) > _ROWS else _FEW_ROWS)))
    if device.type == "cuda":
        return filled.pin_memory().to(device, non_blocking=True)
    return filled.to(device)
