"""Values are worked out by hand or written out naively in plain Python."""

from math import exp, log

import pytest
import torch

from lmk_encoder.training.losses import (
    cosine_distance,
    false_negatives,
    group_distillation,
    info_nce,
    neighbourhood_divergence,
    smooth_max,
    teacher_weights,
)

SCORES = torch.tensor([[2.0, 1.0, 0.5, -1.0], [0.0, 3.0, 1.0, 2.0]])
OWN = torch.tensor([[0, 1], [2, 3]])  # two queries, groups of two


def entropy(scores, target):
    return -log(exp(scores[target]) / sum(exp(score) for score in scores))


def test_info_nce_of_two_by_hand():
    """Scores 1/0 and 0/1 at targets 0 and 1: -log(e / (e + 1)) for both."""
    loss = info_nce(torch.eye(2), torch.tensor([0, 1]))

    assert loss.item() == pytest.approx(log(1 + exp(-1)))


def test_excluded_passages_are_no_negatives():
    exclude = torch.tensor([[False, True, False, False], [False] * 4])

    loss = info_nce(SCORES, torch.tensor([0, 2]), exclude)

    expected = entropy([2.0, 0.5, -1.0], 0) + entropy(SCORES[1].tolist(), 2)
    assert loss.item() == pytest.approx(expected / 2)


def test_distillation_as_the_paper_defines_it():
    """Term 0 over all four passages; term 1 without the group's own passage 0."""
    weights = torch.tensor([[0.75, 0.25], [0.4, 0.6]])

    loss = group_distillation(SCORES, OWN, weights)

    first = 0.75 * entropy([2.0, 1.0, 0.5, -1.0], 0) + 0.25 * entropy([1.0, 0.5, -1.0], 0)
    second = 0.4 * entropy([0.0, 3.0, 1.0, 2.0], 2) + 0.6 * entropy([0.0, 3.0, 2.0], 2)
    assert loss.item() == pytest.approx((first + second) / 2)


def test_distillation_is_info_nce_when_the_teacher_is_one_hot():
    weights = teacher_weights(torch.tensor([[100.0, -100.0], [100.0, -100.0]]))

    assert weights.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    loss = group_distillation(SCORES, OWN, weights)
    torch.testing.assert_close(loss, info_nce(SCORES, OWN[:, 0]))


def test_teacher_scores_are_taken_raw():
    """Trap T13: ten logits apart is all but one-hot; equal scores are uniform; fill-ups are nil."""
    weights = teacher_weights(torch.tensor([[10.0, 0.0], [3.0, 3.0], [100.0, -torch.inf]]))

    assert weights[0, 1].item() == pytest.approx(1 / (1 + exp(10)))
    assert weights[1:].tolist() == [[0.5, 0.5], [1.0, 0.0]]


def test_distillation_has_finite_gradients_with_masks_in_place():
    scores = SCORES.clone().requires_grad_()
    exclude = torch.tensor([[False, False, True, True], [True, True, False, False]])
    weights = teacher_weights(torch.tensor([[100.0, -torch.inf], [1.0, 0.0]]))

    group_distillation(scores, OWN, weights, exclude).backward()

    assert torch.isfinite(scores.grad).all()


def test_copies_and_answers_to_the_same_query_are_no_negatives():
    """Trap T16. Passages a b | b c | d e for the queries 1, 1, 2."""
    own = torch.tensor([[0, 1], [2, 3], [4, 5]])
    passages = torch.tensor([1, 2, 2, 3, 4, 5])

    mask = false_negatives(own, passages, torch.tensor([1, 1, 2]), own[:, 0])

    assert mask.int().tolist() == [
        [0, 0, 1, 0, 0, 0],  # column 2 is a copy of the own negative, and answers query 1
        [1, 1, 0, 0, 0, 0],  # column 0 answers query 1; column 1 is a copy of the own positive
        [0, 0, 0, 0, 0, 0],
    ]


def test_smooth_max_lies_between_mean_and_maximum():
    similarities = torch.tensor([[[0.9, 0.1, 0.0], [0.2, 0.4, 9.0]]])  # (1, N=2, L=3)
    mask = torch.tensor([[True, True, True], [True, True, False]])

    sharp = smooth_max(similarities, mask, 1000.0)
    blunt = smooth_max(similarities, mask, 0.001)

    torch.testing.assert_close(sharp, torch.tensor([[0.9, 0.4]]), atol=2e-3, rtol=0)
    torch.testing.assert_close(blunt, torch.tensor([[1 / 3, 0.3]]), atol=1e-3, rtol=0)
    expected = log((exp(0.9 * 8) + exp(0.1 * 8) + 1) / 3) / 8
    assert smooth_max(similarities, mask, 8.0)[0, 0].item() == pytest.approx(expected)


def test_smooth_max_does_not_favour_many_landmarks():
    mask = torch.tensor([[True, True], [True, False]])

    scores = smooth_max(torch.tensor([[0.5, 0.5], [0.5, 0.0]]), mask, 20.0)

    torch.testing.assert_close(scores, torch.tensor([0.5, 0.5]))


def test_cosine_distance_by_hand():
    student = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    teacher = torch.tensor([[5.0, 0.0], [1.0, 0.0]])

    assert cosine_distance(student, teacher).item() == pytest.approx(1 - (1 + 0.5**0.5) / 2)


def test_short_spans_may_weigh_less():
    student, teacher = torch.eye(2), torch.tensor([[1.0, 0.0], [1.0, 0.0]])

    loss = cosine_distance(student, teacher, torch.tensor([1.0, 0.25]))

    assert loss.item() == pytest.approx(0.25 / 1.25)


def test_neighbourhoods_that_agree_have_no_divergence():
    vectors = torch.nn.functional.normalize(torch.randn(5, 4), dim=1)

    assert neighbourhood_divergence(vectors, vectors, 0.05).item() == pytest.approx(0, abs=1e-6)


def test_neighbourhood_divergence_by_hand():
    """The student takes landmark 0 for the teacher's 1, and sees 2 as the teacher does."""
    student = torch.tensor([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    teacher = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])

    near, far = exp(1) / (exp(1) + 1), 1 / (exp(1) + 1)
    # Row 0, others 1 and 2: teacher (far, near), student (near, far). Row 1, others 0 and 2: both
    # even. Row 2, others 0 and 1: both (near, far).
    expected = (far * log(far / near) + near * log(near / far)) / 3

    assert neighbourhood_divergence(student, teacher, 1.0).item() == pytest.approx(expected)
