"""From states to vectors (pure). Sums run in float32, whatever the model computes in.

Every pooling is a mean of states at positions that the layout knows from construction
(``lmk_encoder.layout``): only the positions differ. Functions on tensors can be differentiated,
so that training and inference pool with the same code; those on arrays need no torch.
"""

from typing import TYPE_CHECKING

import numpy as np

from lmk_encoder.errors import ModelError
from lmk_encoder.types import FloatMatrix, FloatVector

if TYPE_CHECKING:
    from torch import Tensor


def position_means(
    states: "Tensor", rows: "Tensor", positions: "Tensor", *, normalize_states: bool = False
) -> "Tensor":
    """The mean (B, D) in float32 of the states of each row at the given positions.

    With the positions of the landmarks this is landmark pooling, with all of them mean pooling,
    with the first one CLS pooling, and so on. A row without any position gives zeros.
    ``mask.nonzero(as_tuple=True)`` turns a mask (B, T) into ``rows`` and ``positions``.

    Args:
        states: last hidden states (B, T, D).
        rows: (P,) the row of the batch that each position lies in.
        positions: (P,) which of its states count.
        normalize_states: scale each state to unit length first, so that all weigh the same.
    """
    picked = states[rows, positions].float()
    if normalize_states:
        picked = unit_states(picked)
    sums = picked.new_zeros(len(states), picked.shape[-1]).index_add(0, rows, picked)
    counts = rows.bincount(minlength=len(states)).clamp(min=1)
    return sums / counts.unsqueeze(-1)


def range_means(states: "Tensor", rows: "Tensor", ranges: "Tensor") -> "Tensor":
    """The mean (L, D) in float32 of each range of states: one vector for every span.

    A range of one landmark is the landmark's state; one of a span's tokens is late chunking.

    Args:
        states: last hidden states (B, T, D).
        rows: (L,) the row of the batch that each range lies in.
        ranges: (L, 2) positions ``[start, stop)``, none empty.
    """
    starts, lengths = ranges[:, 0], ranges[:, 1] - ranges[:, 0]
    if bool((lengths == 1).all()):
        return states[rows, starts].float()
    owner = (lengths.new_ones(len(lengths)).cumsum(0) - 1).repeat_interleave(lengths)
    before = lengths.cumsum(0) - lengths  # picked states in front of each range
    steps = lengths.new_ones(len(owner)).cumsum(0) - 1 - before[owner]
    picked = states[rows[owner], starts[owner] + steps].float()
    sums = picked.new_zeros(len(lengths), picked.shape[-1]).index_add(0, owner, picked)
    return sums / lengths.unsqueeze(-1)


def unit_states(states: "Tensor") -> "Tensor":
    """Scale the last axis to length 1; zeros stay as they are."""
    lengths: Tensor = states.norm(dim=-1, keepdim=True)
    return states / lengths.clamp(min=float(np.finfo(np.float32).tiny))


def unit_rows(matrix: FloatMatrix) -> FloatMatrix:
    """Scale each row of (N, D) to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: FloatMatrix = matrix / np.maximum(lengths, np.finfo(np.float32).tiny)
    return scaled


def require_finite(vectors: FloatMatrix, model: str) -> None:
    """Raise ModelError if a value is infinite or no number."""
    if not np.isfinite(vectors).all():
        what = f"The model {model!r} gave values that are not finite."
        raise ModelError(what, "Try dtype='float32'; if it stays, the weights are damaged.")


def document_vector(landmark_states: FloatMatrix, *, normalize_landmarks: bool) -> FloatVector:
    """Landmark pooling: the mean of the landmark states (L, D) of a text, scaled to length 1.

    Every landmark counts the same, however many tokens its span has. With
    ``normalize_landmarks`` every landmark counts the same whatever the length of its state, too.
    """
    states = unit_rows(landmark_states) if normalize_landmarks else landmark_states
    mean = states.mean(axis=0, keepdims=True, dtype=np.float32)
    vector: FloatVector = unit_rows(mean)[0]
    return vector
