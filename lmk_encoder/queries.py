"""Queries -> vectors without torch: what one search from a cold start needs of a model.

Importing torch and loading a model into it takes seconds, encoding a query milliseconds. So the
usual checkpoints (``postnorm_files``) have a second forward pass, in numpy, for queries only;
everything else of a query is as in ``encoder``. Its vectors agree to 1e-5 in float32.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np

from lmk_encoder.checkpoint import Checkpoint
from lmk_encoder.layout import WindowInput
from lmk_encoder.pooling import document_vector, require_finite, unit_rows
from lmk_encoder.postnorm_arrays import ArrayPostNorm
from lmk_encoder.preparation import Preparation, listed_queries
from lmk_encoder.types import FloatMatrix

# Ids of one call. Above, torch's speed is worth loading it.
MOST_IDS = 512
# Texts of more characters hardly ever have so few ids; they are not tokenised to find out.
MOST_CHARACTERS = 32 * MOST_IDS


class QueryEncoder:
    """Encodes a few short queries at a time, in float32. Safe to use from several threads."""

    def __init__(self, name: str, preparation: Preparation, model: ArrayPostNorm) -> None:
        self._name, self._preparation, self._model = name, preparation, model

    @classmethod
    def load(cls, checkpoint: Checkpoint, preparation: Preparation) -> Self | None:
        """The encoder of a checkpoint; None if its queries need more than this forward pass."""
        config = checkpoint.config
        if checkpoint.dense or config.pooling == "latent":
            return None
        model = ArrayPostNorm.read(checkpoint.transformer, MOST_IDS)
        if model is None or model.max_positions < config.window_tokens:
            return None
        return cls(checkpoint.name, preparation, model)

    def encode(self, queries: Sequence[str]) -> FloatMatrix | None:
        """(Q, D) float32, unit length, in order; None if they are too long or too many.

        Raises:
            TypeError: ``queries`` is one string, or holds something else.
            ValueError: a query is blank.
        """
        queries = listed_queries(queries)
        prepare, config = self._preparation, self._preparation.config
        if sum(map(len, queries)) > MOST_CHARACTERS:
            return None
        windows: list[WindowInput] = []
        for query in queries:
            windows += prepare.query(query, config.query_prompt).windows
        if len(windows) != len(queries) or sum(len(window.ids) for window in windows) > MOST_IDS:
            return None
        vectors = np.empty((len(queries), self._model.dimension), dtype=np.float32)
        for row, window in zip(vectors, windows, strict=True):
            states = self._model(window.ids, window.pooled)
            row[:] = document_vector(states, normalize_landmarks=config.normalize_landmarks)
        require_finite(vectors, self._name)
        return unit_rows(vectors[:, : config.truncate_dim or None])
