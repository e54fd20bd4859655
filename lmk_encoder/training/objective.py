"""The loss of one batch: texts through the model, vectors of all devices gathered, terms added."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from lmk_encoder.batching import plan_batches
from lmk_encoder.pooling import unit_states
from lmk_encoder.training.config import LossSettings
from lmk_encoder.training.gather import gather_rows, pad_to_longest, world_size
from lmk_encoder.training.losses import (
    cosine_distance,
    false_negatives,
    group_distillation,
    info_nce,
    neighbourhood_divergence,
    smooth_max,
    teacher_weights,
)

Features = Mapping[str, Any]
# Column -> (K, D) unit vectors, and (K,) which of the column's landmarks they are for.
Teacher = Callable[[Features], tuple[Tensor, Tensor]]


class Encoded(NamedTuple):
    """``vectors`` (N, D) of texts; ``local`` (M, D) of their landmarks; ``owners`` (M,) texts."""

    vectors: Tensor
    local: Tensor
    owners: Tensor


class Objective(nn.Module):
    """What the trainer minimises. Returns every weighted term by name; the trainer adds them up.

    Args:
        model: takes features of windows and adds ``sums``, ``counts``, ``local`` (``Student``).
        losses: the terms. A batch of plain texts has no queries: only distillation counts there.
        teachers: one for every landmark distillation among them, in their order.
        mini_batch_tokens: ids that go through the model at once, the longest texts first; the
            gradients are those of the whole batch. None: all at once.
        gradient_caching: compute the activations of a mini-batch anew when its gradient is known,
            so that memory is that of one mini-batch.
    """

    def __init__(
        self,
        model: nn.Module,
        losses: Sequence[LossSettings],
        teachers: Sequence[Teacher] = (),
        mini_batch_tokens: int | None = None,
        *,
        gradient_caching: bool = False,
    ) -> None:
        super().__init__()
        self.model = model
        self._ranked = [loss for loss in losses if loss.teacher is None]
        distilled = [loss for loss in losses if loss.teacher is not None]
        # In a list of pairs, so that a teacher is no part of what is trained, moved and saved.
        self._distilled = list(zip(distilled, teachers, strict=True))
        self._mini_batch_tokens = mini_batch_tokens
        self._gradient_caching = gradient_caching
        self.tokens = 0  # ids that went through the model, padding left out
        self.accuracy: Tensor | None = None  # of the last batch with queries

    def forward(self, features: Sequence[Features], labels: Tensor | None) -> dict[str, Tensor]:
        """Terms of the loss by name.

        Args:
            features: columns of ``Collator``: queries and passages, or passages alone.
            labels: (B, G) raw teacher scores, with queries.
        """
        *queries, passages = features
        columns = {"landmarks": (passages, self._encode(passages))}
        if queries:
            columns["queries"] = (queries[0], self._encode(queries[0]))
        else:
            columns["texts"] = columns["landmarks"]
        terms: dict[str, Tensor] = {}
        # Mixed precision is for the model: similarities divided by 0.02 need all their digits.
        with torch.autocast(passages["input_ids"].device.type, enabled=False):
            for loss, teacher in self._distilled:
                if loss.on in columns:
                    terms |= _distillation(loss, *columns[loss.on], teacher)
            if queries and labels is not None:
                terms |= self._ranking_terms(*columns["queries"], *columns["landmarks"], labels)
        return terms

    def _encode(self, column: Features) -> Encoded:
        windows = self._run(column)
        owners, num_texts = column["texts"], len(column["keys"])
        sums = torch.cat([window.sums for window in windows])
        counts = torch.cat([window.counts for window in windows])
        totals = sums.new_zeros(num_texts, sums.shape[1]).index_add(0, owners, sums)
        numbers = counts.new_zeros(num_texts).index_add(0, owners, counts)
        means = totals / numbers.clamp(min=1).unsqueeze(1)
        per_window = (column["landmarks"][:, :, 0] >= 0).sum(dim=1)
        local = torch.cat([window.local for window in windows])
        return Encoded(unit_states(means), local, owners.repeat_interleave(per_window))

    def _run(self, column: Features) -> "list[_Window]":
        """All windows of a column, in order; the longest go through the model first."""
        lengths: list[int] = column["attention_mask"].sum(dim=1).tolist()
        self.tokens += sum(lengths)
        if self._mini_batch_tokens is None:
            batches = [tuple(range(len(lengths)))]
        else:
            batches = plan_batches(
                lengths, token_budget=self._mini_batch_tokens, equal_lengths=False
            )
        windows: list[_Window | None] = [None] * len(lengths)
        for batch in batches:
            chosen = torch.tensor(batch, device=column["input_ids"].device)
            width = max(lengths[index] for index in batch)
            inputs = (
                column["input_ids"][chosen, :width],
                column["attention_mask"][chosen, :width],
                column["pooled"][chosen, :width],
                column["landmarks"][chosen],
            )
            if self._gradient_caching and torch.is_grad_enabled():
                sums, counts, local = checkpoint(self._through_model, *inputs, use_reentrant=False)
            else:
                sums, counts, local = self._through_model(*inputs)
            numbers = (inputs[3][:, :, 0] >= 0).sum(dim=1).tolist()
            parts = zip(
                torch.split(sums, 1),
                torch.split(counts, 1),
                torch.split(local, numbers),
                strict=True,
            )
            for index, part in zip(batch, parts, strict=True):
                windows[index] = _Window(*part)
        return [window for window in windows if window is not None]

    def _through_model(
        self, ids: Tensor, mask: Tensor, pooled: Tensor, landmarks: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        found = self.model(
            {"input_ids": ids, "attention_mask": mask, "pooled": pooled, "landmarks": landmarks}
        )
        return found["sums"], found["counts"], found["local"]

    def _ranking_terms(
        self,
        queries: Features,
        asked: Encoded,
        passages: Features,
        encoded: Encoded,
        labels: Tensor,
    ) -> dict[str, Tensor]:
        """InfoNCE and distillation over the queries and passages of all devices.

        Every device computes the loss of the whole batch, in which only its own vectors carry a
        gradient. The devices' gradients are averaged, so each is multiplied by their number.
        """
        query_vectors = gather_rows(asked.vectors)
        raw_scores = gather_rows(labels)  # (Q, G)
        num_queries, group = raw_scores.shape
        own = torch.arange(num_queries * group, device=labels.device).view(num_queries, group)
        exclude = false_negatives(
            own, gather_rows(passages["keys"]), gather_rows(queries["keys"]), own[:, 0]
        )
        queries_in_order = torch.arange(num_queries, device=labels.device)
        terms: dict[str, Tensor] = {}
        for number, loss in enumerate(self._ranked):
            if loss.on == "document":
                similarities = query_vectors @ gather_rows(encoded.vectors).T
            else:
                similarities = _best_landmarks(query_vectors, encoded, loss.sharpness)
            scores = similarities / loss.temperature
            if number == 0:
                best = scores.masked_fill(exclude, -torch.inf).argmax(dim=1)
                self.accuracy = (best == own[:, 0]).float().mean()
            if loss.kind == "infonce":
                value = info_nce(scores, own[:, 0], exclude)
            else:
                value = group_distillation(scores, own, teacher_weights(raw_scores), exclude)
            if loss.reverse:
                back = info_nce(scores[:, own[:, 0]].T, queries_in_order, exclude[:, own[:, 0]].T)
                value = (value + loss.reverse * back) / (1 + loss.reverse)
            # The gradient times the devices, the value as it is, for the logs (trap T17).
            value = value + (world_size() - 1) * (value - value.detach())
            terms[_name(loss)] = loss.weight * value
        return terms


class _Window(NamedTuple):
    """``sums`` (1, D), ``counts`` (1,), ``local`` (L, D) of one window."""

    sums: Tensor
    counts: Tensor
    local: Tensor


def _best_landmarks(query_vectors: Tensor, encoded: Encoded, sharpness: float) -> Tensor:
    """(Q, N) soft maxima of each query's similarities to the landmarks of each passage."""
    counts = torch.bincount(encoded.owners, minlength=len(encoded.vectors))
    padded = nn.utils.rnn.pad_sequence(
        list(torch.split(encoded.local, counts.tolist())), batch_first=True
    )  # (N, L, D)
    mask = torch.arange(padded.shape[1], device=padded.device) < counts.unsqueeze(1)
    padded, mask = gather_rows(pad_to_longest(padded)), gather_rows(pad_to_longest(mask))
    return smooth_max(torch.einsum("qd,nld->qnl", query_vectors, padded), mask, sharpness)


def _distillation(
    loss: LossSettings, column: Features, encoded: Encoded, teacher: Teacher
) -> dict[str, Tensor]:
    """Each landmark drawn to the teacher's vector of its span; nothing where it knows none."""
    taught, known = teacher(column)
    student = encoded.local[known]
    if not len(student):
        return {}
    weights = None
    if loss.short_spans:
        weights = (column["span_tokens"][known] / loss.short_spans).clamp(max=1)
    value = cosine_distance(student, taught, weights)
    if len(student) > 1 and loss.divergence:
        divergence = neighbourhood_divergence(student, taught, loss.temperature)
        value = value + loss.divergence * divergence
    return {_name(loss): loss.weight * value}


def _name(loss: LossSettings) -> str:
    return f"{loss.kind}_{loss.on}"
