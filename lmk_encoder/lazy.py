"""An encoder whose name is known at once, and of which no more is loaded than is needed.

Loading torch and a model takes seconds. A run that finds nothing changed, or a command that
shows what an index holds, needs the checkpoint's identity only; a search needs vectors of
queries, which do not need torch (``queries``).
"""

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lmk_encoder.checkpoint import fingerprint
from lmk_encoder.formats.reading import read_checkpoint
from lmk_encoder.preparation import Preparation, listed_queries
from lmk_encoder.queries import QueryEncoder
from lmk_encoder.types import EncodedDocument, FloatMatrix, Progress, TextInput

if TYPE_CHECKING:
    from lmk_encoder.encoder import LandmarkEncoder


class LazyEncoder:
    """A ``DocumentEncoder`` over a checkpoint folder or name; None is the built-in model.

    Raises ModelError or ConfigError at once if the folder or its settings are wrong, and when
    the model is loaded if the weights are. Safe to use from several threads.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self._named = folder
        self.checkpoint = read_checkpoint(folder)
        self._lock = threading.Lock()
        self._encoder: LandmarkEncoder | None = None

    def load(self) -> "LandmarkEncoder":
        """The encoder itself, loaded if it is not."""
        with self._lock:
            if self._encoder is None:
                from lmk_encoder.encoder import LandmarkEncoder

                self._encoder = LandmarkEncoder(self._named)
            return self._encoder

    @cached_property
    def dimension(self) -> int:
        """D, the width of every vector."""
        return self.checkpoint.dimension

    @property
    def name(self) -> str:
        """A readable name of the checkpoint."""
        return self.checkpoint.name

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides the vectors."""
        return fingerprint(self.checkpoint)

    def count_tokens(self, text: str) -> int:
        """Content tokens of ``text``."""
        with self._lock:
            return self._preparation.count_tokens(text)

    def encode_query(self, queries: Sequence[str]) -> FloatMatrix:
        """(Q, D) float32, unit length; without torch, if they are short and few.

        Raises:
            TypeError: ``queries`` is one string, or holds something else.
            ValueError: a query is blank.
        """
        queries = listed_queries(queries)
        with self._lock:
            short = self._queries
        vectors = None if short is None else short.encode(queries)
        return self.load().encode_query(queries) if vectors is None else vectors

    def encode_document(
        self,
        texts: Sequence[TextInput],
        *,
        known: Mapping[bytes, FloatMatrix] | None = None,
        progress: Progress | None = None,
    ) -> list[EncodedDocument]:
        """One result per text, in order."""
        return self.load().encode_document(texts, known=known, progress=progress)

    @cached_property
    def _preparation(self) -> Preparation:
        return Preparation(self.checkpoint)

    @cached_property
    def _queries(self) -> QueryEncoder | None:
        return QueryEncoder.load(self.checkpoint, self._preparation)
