"""From states to vectors (pure). Sums run in float32, whatever the model computes in."""

from typing import TYPE_CHECKING

import numpy as np

from lmk_encoder.types import FloatMatrix, FloatVector

if TYPE_CHECKING:
    from torch import Tensor


def unit_rows(matrix: FloatMatrix) -> FloatMatrix:
    """Scale each row of (N, D) to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: FloatMatrix = matrix / np.maximum(lengths, np.finfo(np.float32).tiny)
    return scaled


def document_vector(landmark_states: FloatMatrix, *, normalize_landmarks: bool) -> FloatVector:
    """Landmark pooling: the mean of the landmark states (L, D) of a text, scaled to length 1.

    Every landmark counts the same, however many tokens its span has. With
    ``normalize_landmarks`` every landmark counts the same whatever the length of its state, too.
    """
    states = unit_rows(landmark_states) if normalize_landmarks else landmark_states
    mean = states.mean(axis=0, keepdims=True, dtype=np.float32)
    vector: FloatVector = unit_rows(mean)[0]
    return vector


def pool_cls(states: "Tensor") -> "Tensor":
    """The state (B, D) of the first token of each row of ``states`` (B, T, D), not normalised."""
    return states[:, 0].float()


def pool_mean(states: "Tensor", mask: "Tensor") -> "Tensor":
    """The mean (B, D) over the unmasked tokens of ``states`` (B, T, D), not normalised.

    ``mask`` (B, T) is true on tokens. The start token and the closing one count, as in the
    models that are trained so. A row without tokens is an error of the caller.
    """
    weights = mask.float().unsqueeze(-1)  # (B, T, 1)
    return (states.float() * weights).sum(dim=1) / weights.sum(dim=1)
