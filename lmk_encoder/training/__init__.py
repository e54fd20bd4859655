"""Texts with questions -> a better checkpoint. Nothing of the product imports this package.

In go a ``TrainingConfig`` (a TOML file) and the files it names; out comes a run folder: the
settings, metrics, curves, checkpoints to resume from, and ``model``, a folder that
``LandmarkEncoder`` loads. Needs the extra ``train``; only ``trainer.py`` knows
sentence-transformers.
"""

from lmk_encoder.evaluation.extras import need


def require_extra() -> None:
    """Raise MissingExtra, naming what to install, if a package of the extra is absent."""
    for package in ("sentence_transformers", "accelerate", "datasets", "matplotlib"):
        need(package, extra="train")
