"""Where the vectors come from that landmarks are drawn to."""

import copy
import itertools
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ConfigError
from lmk_encoder.landmarks import Interval
from lmk_encoder.pooling import unit_rows
from lmk_encoder.training.config import LossSettings
from lmk_encoder.training.objective import Features, Teacher
from lmk_encoder.training.student import Student
from lmk_encoder.types import FloatMatrix, TextInput

SELF = "self"


def load_teacher(loss: LossSettings, student: Student) -> Teacher:
    """The teacher of one landmark distillation.

    Args:
        loss: names it.
        student: as it is before training.

    Raises:
        ConfigError: its vectors are of another width than the student's.
        ModelError: it cannot be loaded.
    """
    if loss.teacher == SELF:
        return WindowTeacher(student)
    encoder = LandmarkEncoder(loss.teacher)
    width = int(student.model.config.hidden_size)
    if encoder.dimension != width:
        what = f"The teacher {loss.teacher} gives {encoder.dimension} dimensions, not {width}."
        raise ConfigError(what, "Take a teacher as wide as the model.")
    return SpanTeacher(encoder, context=loss.context, are_queries=loss.on == "queries")


class SpanTeacher:
    """Each span as any checkpoint sees it. Blank spans are left out.

    Args:
        encoder: the checkpoint.
        context: share of what it makes of the span within its passage, as late chunking does, in
            what is taught; the rest is what it makes of the span alone. Alone a span is told from
            the others of its passage, in context passages are told from one another.
        are_queries: spans are read as queries, with their prompt.
    """

    def __init__(
        self, encoder: LandmarkEncoder, *, context: float = 0.0, are_queries: bool = False
    ) -> None:
        self._encoder = encoder
        self._context = context
        self._are_queries = are_queries

    def __call__(self, column: Features) -> tuple[Tensor, Tensor]:
        """Vectors (K, D), and which landmarks of the column they are for, (K,)."""
        spans: list[str] = column["span_texts"]
        known = [index for index, text in enumerate(spans) if text.strip()]
        vectors = np.zeros((len(known), self._encoder.dimension), dtype=np.float32)
        if self._context < 1:
            alone = [spans[index] for index in known]
            found = self._encoder.encode(alone, is_query=self._are_queries)
            vectors += (1 - self._context) * found
        if self._context > 0:
            vectors += self._context * self._in_context(_spans_of_texts(column))[known]
        device = column["input_ids"].device
        return torch.from_numpy(unit_rows(vectors)).to(device), torch.tensor(known, device=device)

    def _in_context(self, texts: Sequence[Sequence[str]]) -> FloatMatrix:
        """(M, D): the spans of each text in one pass over it; of blank spans, a neighbour's."""
        policy = Interval(self._encoder.config.max_span_tokens)
        starts = [list(itertools.accumulate(map(len, spans), initial=0)) for spans in texts]
        inputs = [
            TextInput("".join(spans), policy, tuple(places[1:-1]))
            for spans, places in zip(texts, starts, strict=True)
        ]
        rows: list[FloatMatrix] = []
        for spans, places, found in zip(
            texts, starts, self._encoder.encode_document(inputs), strict=True
        ):
            # White space at its start may be counted to the span before.
            words = [
                start + len(span) - len(span.lstrip())
                for start, span in zip(places, spans, strict=False)
            ]
            at = np.searchsorted(found.spans[:, 0], words, side="right") - 1
            rows.append(found.landmark_vectors[at])
        return np.concatenate(rows)


def _spans_of_texts(column: Features) -> list[list[str]]:
    """The texts of the spans of each text of a column."""
    per_window = (column["landmarks"][:, :, 0] >= 0).sum(dim=1)
    owners = column["texts"].repeat_interleave(per_window).tolist()
    groups = itertools.groupby(zip(owners, column["span_texts"], strict=True), key=lambda p: p[0])
    return [[span for _, span in group] for _, group in groups]


class WindowTeacher:
    """The student as it was, on the same windows: what it can do stays."""

    def __init__(self, student: Student) -> None:
        self._frozen = copy.deepcopy(student).eval().requires_grad_(False)

    @torch.no_grad()
    def __call__(self, column: Features) -> tuple[Tensor, Tensor]:
        """Vectors (M, D) of all landmarks of the column, and their numbers (M,)."""
        device = column["input_ids"].device
        found = self._frozen.to(device)(dict(column))["local"]
        return found, torch.arange(len(found), device=device)
