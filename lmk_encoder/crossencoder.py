"""Cross-encoders of sentence-transformers: the one place that knows their class.

They are no part of the product: the extra ``rerank`` brings the library, the user the model.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.errors import ConfigError, ModelError


class CrossEncoder:
    """Scores a query together with a text; higher is better."""

    def __init__(self, name: str) -> None:
        """``name`` is a folder, or the name of a model that is in the local cache.

        Raises:
            ConfigError: sentence-transformers is not installed.
            ModelError: there is no such model, or it cannot be loaded.
        """
        self.name = name
        self._model: Any = _load(name)

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(N,) how well each text answers the query."""
        if not texts:
            return np.empty(0)
        found = self._model.predict([(query, text) for text in texts], show_progress_bar=False)
        return np.asarray(found, dtype=np.float64).reshape(len(texts))


@lru_cache(maxsize=2)
def cross_encoder(name: str) -> CrossEncoder:
    """The cross-encoder of a name, loaded once."""
    return CrossEncoder(name)


def _load(name: str) -> Any:
    if not name.strip():
        raise ModelError(
            "A cross-encoder needs a name; none was given.",
            "Name the folder of one that is on this machine.",
        )
    try:
        from sentence_transformers import CrossEncoder as Loaded
    except ImportError as error:
        raise ConfigError(
            f"Reranking by {name!r} needs sentence-transformers, which is not installed.",
            'Install it with: pip install "lmk[rerank]"; or use rerank="landmarks".',
        ) from error
    try:
        return Loaded(name, local_files_only=True)
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        # Of a name found nowhere the library says that it could not connect: it never tried.
        nowhere = isinstance(error, OSError) and not Path(name).exists()
        told = str(error).partition("\n")[0][:200].rstrip(".")
        reason = "it is no folder here, and not in the hub's cache" if nowhere else told
        raise ModelError(
            f"No cross-encoder could be loaded from {name!r}: {reason}.",
            "Name the folder of one that is on this machine.",
        ) from error
