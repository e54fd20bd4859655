"""Pooling, recomputed by hand."""

import numpy as np
import torch

from lmk_encoder.pooling import document_vector, position_means, range_means, unit_rows

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


def test_a_vector_of_each_range_is_the_mean_of_its_states():
    states = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
    rows, ranges = torch.tensor([0, 0, 1]), torch.tensor([[0, 2], [2, 3], [0, 3]])
    means = range_means(states, rows, ranges)

    expected = [states[0, :2].mean(0), states[0, 2], states[1].mean(0)]
    torch.testing.assert_close(means, torch.stack(expected))
    assert range_means(states, rows[:0], ranges[:0]).shape == (0, 4)


def test_a_mask_pools_each_row():
    """Row 0 has two states, row 1 one, row 2 none."""
    states = torch.randn(3, 4, 5, dtype=torch.bfloat16)
    mask = torch.tensor([[1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    means = position_means(states, *mask.nonzero(as_tuple=True))

    assert means.dtype == torch.float32
    torch.testing.assert_close(means[0], (states[0, 0].float() + states[0, 2].float()) / 2)
    torch.testing.assert_close(means[1], states[1, 3].float())
    assert not means[2].any()


def test_states_of_any_length_may_weigh_the_same():
    states = torch.tensor([[[3.0, 0.0], [0.0, 1.0]]])
    rows, positions = torch.tensor([0, 0]), torch.tensor([0, 1])
    means = position_means(states, rows, positions, normalize_states=True)

    torch.testing.assert_close(means, torch.tensor([[0.5, 0.5]]))


def test_pooling_can_be_trained_through():
    states = torch.randn(2, 4, 3, requires_grad=True)
    rows, positions = torch.tensor([0, 0, 1]), torch.tensor([1, 2, 3])
    ranges = torch.tensor([[0, 2], [1, 2], [3, 4]])
    loss = position_means(states, rows, positions, normalize_states=True).sum()
    (loss + range_means(states, rows, ranges).sum()).backward()

    assert states.grad is not None
    assert states.grad[0, 1].any()
    assert not states.grad[1, 0].any()
