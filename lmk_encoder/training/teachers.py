"""Where the vectors come from that landmarks are drawn to."""

import copy

import torch
from torch import Tensor

from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ConfigError
from lmk_encoder.training.config import LossSettings
from lmk_encoder.training.objective import Features, Teacher
from lmk_encoder.training.student import Student

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
    return SpanTeacher(encoder)


class SpanTeacher:
    """Each span encoded alone, by any checkpoint. Blank spans are left out."""

    def __init__(self, encoder: LandmarkEncoder) -> None:
        self._encoder = encoder

    def __call__(self, column: Features) -> tuple[Tensor, Tensor]:
        """Vectors (K, D), and which landmarks of the column they are for, (K,)."""
        spans: list[str] = column["span_texts"]
        known = [index for index, text in enumerate(spans) if text.strip()]
        vectors = self._encoder.encode([spans[index] for index in known])
        device = column["input_ids"].device
        return torch.from_numpy(vectors).to(device), torch.tensor(known, device=device)


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
