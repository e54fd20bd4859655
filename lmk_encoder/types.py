"""Array aliases and the two borders of the encoder: what an encoder is, and how it reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.landmarks import LandmarkPolicy, Syntax

FloatMatrix = NDArray[np.float32]
FloatVector = NDArray[np.float32]
IntMatrix = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TextInput:
    """One text to encode, with the places its landmarks should stand.

    ``breaks`` are character offsets that no landmark span may cross (page borders,
    headings, function borders); out-of-range and repeated ones are ignored.
    ``context`` is what a reader knows before the text begins (the project that a file belongs
    to): every window is read behind it, and it is no part of any span.
    """

    text: str
    policy: LandmarkPolicy
    breaks: tuple[int, ...] = ()
    context: str = ""


def with_prompt(text: TextInput, prompt: str) -> TextInput:
    """The same text behind a prompt and its own context, its places moved accordingly."""
    prompt += text.context
    if not prompt:
        return text
    lead, policy = len(prompt), text.policy
    if isinstance(policy, Syntax):
        policy = replace(
            policy,
            borders=tuple(border + lead for border in policy.borders),
            definitions=tuple(border + lead for border in policy.definitions),
        )
    return TextInput(prompt + text.text, policy, tuple(b + lead for b in text.breaks if b > 0))


class WindowKey(NamedTuple):
    """One window of a document: a hash of the ids that went through the model, and how many
    landmarks of it were kept. Equal digests of one model have equal landmark vectors."""

    digest: bytes
    num_landmarks: int


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """What one pass over a document gives.

    ``vector`` (D,) float32, unit length: under landmark pooling the normalised mean of the
    landmark vectors; otherwise of what the checkpoint's pooling reads.
    ``landmark_vectors`` (L, D) float32, each row of unit length, in text order: the local vector
    of every span, whatever the pooling.
    ``spans`` (L, 2) int64 character ranges ``[start, end)`` that tile the text exactly.
    ``windows`` hold the landmarks in text order; their numbers add up to L.
    """

    vector: FloatVector
    landmark_vectors: FloatMatrix
    spans: IntMatrix
    num_tokens: int
    windows: tuple[WindowKey, ...]

    @property
    def num_windows(self) -> int:
        """How many passes of the model the document took."""
        return len(self.windows)


class DocumentEncoder(Protocol):
    """What indexing and search need of a model. Fakes implement it without inheriting."""

    @property
    def dimension(self) -> int:
        """D, the width of every vector."""

    @property
    def name(self) -> str:
        """A readable name of the checkpoint."""

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides the vectors: weights, tokenizer, pooling, windows."""

    def encode_query(self, queries: Sequence[str]) -> FloatMatrix:
        """(Q, D) float32, unit length. A blank query is a ValueError of the caller."""

    def encode_document(
        self,
        texts: Sequence[TextInput],
        *,
        known: Mapping[bytes, FloatMatrix] | None = None,
        progress: "Progress | None" = None,
    ) -> list[EncodedDocument]:
        """One result per text, in order. ``known`` are landmark vectors of windows that were
        encoded before, by digest; an encoder may use them instead of encoding again."""

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` without special tokens."""


class Progress(Protocol):
    """Called as work goes on; ``total`` is None while it is unknown."""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """``stage`` is a word such as "encode"; ``done`` and ``total`` count its own unit."""


def no_progress(stage: str, done: int, total: int | None) -> None:
    """Say nothing: the default."""
