"""From states to vectors (pure). Sums run in float32, whatever the model computes in."""

import numpy as np

from lmk_encoder.types import FloatMatrix, FloatVector


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
