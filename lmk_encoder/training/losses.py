"""The losses (pure tensors): what comes in are similarities or vectors, what comes out a number.

Shape letters: Q queries and N passages of the global batch, G passages of one query's own group,
L landmarks of a passage, M landmarks of the batch, D dimensions. Scores are similarities
divided by the temperature. Source: Doshi et al. 2026, arXiv:2601.21525, section 3.
"""

import torch
from torch import Tensor
from torch.nn import functional


def info_nce(scores: Tensor, targets: Tensor, exclude: Tensor | None = None) -> Tensor:
    """Mean cross-entropy of each query's positive among all passages.

    Args:
        scores: (Q, N).
        targets: (Q,) column of each query's positive.
        exclude: (Q, N) bool, passages that are no negatives of the query; never its target.
    """
    return functional.cross_entropy(_without(scores, exclude), targets)


def group_distillation(
    scores: Tensor, own: Tensor, weights: Tensor, exclude: Tensor | None = None
) -> Tensor:
    """The paper's distillation loss: each passage of the group as a positive, by its weight.

    The term of passage i is its cross-entropy among all passages but those of the own group that
    came before it. With one-hot weights on the first it is ``info_nce``.

    Args:
        scores: (Q, N).
        own: (Q, G) columns of each query's own group, the positive first.
        weights: (Q, G) from ``teacher_weights``.
        exclude: (Q, N) bool, passages that are no negatives of the query; none of its own.
    """
    scores = _without(scores, exclude)
    total = scores.new_zeros(())
    for index in range(own.shape[1]):
        entropies = functional.cross_entropy(scores, own[:, index], reduction="none")  # (Q,)
        # A passage without weight adds nothing, also where its logit has no finite entropy.
        total = total + (weights[:, index] * entropies).mean()
        done = torch.zeros_like(scores, dtype=torch.bool).scatter(1, own[:, index, None], True)
        scores = _without(scores, done)
    return total


def teacher_weights(raw_scores: Tensor) -> Tensor:
    """(Q, G) softmax of a teacher's raw scores over each group; no temperature, as in the paper.

    So the scale of the scores matters: reranker logits ten apart are all but one-hot, 100 and
    -100 exactly so, and equal scores give equal weights.
    """
    return raw_scores.float().softmax(dim=1)


def false_negatives(
    own: Tensor, passage_keys: Tensor, query_keys: Tensor, positives: Tensor
) -> Tensor:
    """(Q, N) bool: columns that must not count as negatives of a query.

    Those are copies of a text in its own group, and positives of another row with the same query.

    Args:
        own: (Q, G) columns of each query's own group.
        passage_keys: (N,) equal for equal texts.
        query_keys: (Q,) equal for equal queries.
        positives: (Q,) column of each query's positive.
    """
    num_queries, num_passages = len(query_keys), len(passage_keys)
    own_keys = passage_keys[own]  # (Q, G)
    found = (passage_keys[None, :, None] == own_keys[:, None, :]).any(dim=2)  # (Q, N)
    same_query = query_keys[:, None] == query_keys[None, :]  # (Q, Q)
    answers = torch.zeros(num_queries, num_passages, dtype=torch.bool, device=own.device)
    answers[:, positives] = same_query
    return (found | answers).scatter(1, own, False)


def smooth_max(similarities: Tensor, mask: Tensor, sharpness: float) -> Tensor:
    """(..., N): a soft maximum over the landmarks of each passage.

    ``log(mean(exp(sharpness * s))) / sharpness``: the mean for a small sharpness, the maximum for
    a large one. The mean inside keeps long texts from winning by their number of landmarks.

    Args:
        similarities: (..., N, L).
        mask: (N, L) bool, True on landmarks that are there; at least one a passage.
        sharpness: above 0.
    """
    hidden = (similarities * sharpness).masked_fill(~mask, -torch.inf)
    counts = mask.sum(dim=-1).to(similarities.dtype)
    return (hidden.logsumexp(dim=-1) - counts.log()) / sharpness


def cosine_distance(student: Tensor, teacher: Tensor, weights: Tensor | None = None) -> Tensor:
    """Mean of 1 - cosine between rows of (M, D) and of (M, D), by ``weights`` (M,) if given."""
    distances = 1 - functional.cosine_similarity(student, teacher, dim=-1)
    if weights is None:
        return distances.mean()
    return (distances * weights).sum() / weights.sum()


def neighbourhood_divergence(student: Tensor, teacher: Tensor, temperature: float) -> Tensor:
    """How differently the two see which landmarks of the batch are alike: mean KL(teacher|student).

    The student's vectors are compared with the teacher's, as they should end up among them.

    Args:
        student: (M, D) unit rows, M >= 2.
        teacher: (M, D) unit rows.
        temperature: of both softmaxes over the other M - 1 landmarks.
    """
    itself = torch.eye(len(student), dtype=torch.bool, device=student.device)
    lowest = torch.finfo(student.dtype).min
    of_student = (student @ teacher.T / temperature).masked_fill(itself, lowest).log_softmax(dim=1)
    of_teacher = (teacher @ teacher.T / temperature).masked_fill(itself, lowest).log_softmax(dim=1)
    return functional.kl_div(of_student, of_teacher, reduction="batchmean", log_target=True)


def _without(scores: Tensor, exclude: Tensor | None) -> Tensor:
    """Scores with what is excluded at the lowest finite value of their dtype."""
    if exclude is None:
        return scores
    return scores.masked_fill(exclude, torch.finfo(scores.dtype).min)
