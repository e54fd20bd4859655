"""The learning rate over the steps of a run (pure)."""

from math import cos, pi

from lmk_encoder.training.config import RunSettings


def rate_factor(step: int, settings: RunSettings) -> float:
    """Share of ``learning_rate`` at a step: a linear rise, then a fall to the final rate."""
    if step < settings.warmup:
        return (step + 1) / (settings.warmup + 1)
    done = min((step - settings.warmup) / (settings.steps - settings.warmup), 1.0)
    if settings.schedule == "constant":
        return 1.0
    left = 1 - done if settings.schedule == "linear" else (1 + cos(pi * done)) / 2
    final = settings.final_learning_rate / settings.learning_rate
    return final + (1 - final) * left
