"""Pooling, recomputed by hand."""

import numpy as np

from lmk_encoder.pooling import document_vector, unit_rows

STATES = np.array([[3, 0], [0, 1]], dtype=np.float32)


def test_mean_of_landmark_states():
    """(3, 0) and (0, 1) have the mean (1.5, 0.5), of length sqrt(2.5)."""
    expected = np.array([1.5, 0.5]) / np.sqrt(2.5)

    np.testing.assert_allclose(
        document_vector(STATES, normalize_landmarks=False), expected, rtol=1e-6
    )


def test_mean_of_normalised_landmarks():
    """Scaled to unit length first, both count the same: the diagonal."""
    expected = [np.sqrt(0.5), np.sqrt(0.5)]

    np.testing.assert_allclose(
        document_vector(STATES, normalize_landmarks=True), expected, rtol=1e-6
    )


def test_one_landmark_is_the_document():
    np.testing.assert_array_equal(document_vector(STATES[:1], normalize_landmarks=True), [1, 0])


def test_a_row_of_zeros_stays_finite():
    assert unit_rows(np.zeros((1, 2), np.float32)).tolist() == [[0, 0]]
