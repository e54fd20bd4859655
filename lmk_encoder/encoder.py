"""LandmarkEncoder: texts -> document vectors and landmark vectors with their places."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray

from lmk_encoder.backbone import Backbone
from lmk_encoder.batching import plan_batches
from lmk_encoder.checkpoint import Checkpoint, fingerprint
from lmk_encoder.dense import Dense
from lmk_encoder.errors import ConfigError, ModelError
from lmk_encoder.formats.reading import read_checkpoint
from lmk_encoder.formats.writing import save_checkpoint
from lmk_encoder.landmarks import LandmarkPolicy
from lmk_encoder.latent import LatentAttention
from lmk_encoder.layout import WindowInput
from lmk_encoder.pooling import position_means, range_means, require_finite, unit_rows
from lmk_encoder.preparation import Preparation, Prepared, listed_queries, listed_texts
from lmk_encoder.process import require_own_process
from lmk_encoder.types import (
    EncodedDocument,
    FloatMatrix,
    FloatVector,
    Progress,
    TextInput,
    no_progress,
)
from lmk_encoder.workers import in_workers

log = logging.getLogger(__name__)

# Ids in one batch. On CPU larger ones only miss the caches; a GPU needs them to be busy.
CPU_BATCH_TOKENS = 1024
GPU_BATCH_TOKENS = 65_536
# Ids that one core computes sooner than several: those of a query.
SMALL_TOKENS = 64


class _Reading(NamedTuple):
    """What was read of one window: local vectors (L, D), the mean (D,) of ``weight`` states."""

    local: FloatMatrix
    mean: FloatVector
    weight: int

    @classmethod
    def nothing(cls, dimension: int) -> Self:
        return cls(np.empty((0, dimension), np.float32), np.zeros(dimension, np.float32), 0)


class LandmarkEncoder:
    """A landmark checkpoint, ready to encode. Implements ``DocumentEncoder``.

    Args:
        folder: a checkpoint folder, or the name of an installed package or of the hub; None is
            the model that comes with the package. Anybody's checkpoint will do: docs/models.md.
        device: "cuda", "mps", "cpu" ...; by default the best that is there.
        dtype: "float32", "bfloat16" or "float16"; by default what is fast on the device.
        settings: keys of ``lmk.json`` that win over those found in the folder, as
            ``{"pooling": "mean", "query_prompt": "query: "}``.

    Raises:
        ModelError: the folder is missing, incomplete or of another kind.
        ConfigError: a setting, the device or the dtype is wrong.
        LmkError: the process was forked from one that had loaded an encoder; encoding says so, too.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        device: str | None = None,
        dtype: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        require_own_process("torch", "an encoder")
        self.checkpoint = read_checkpoint(folder, settings)
        self.config = self.checkpoint.config
        for note in self.checkpoint.notes:
            log.warning("%s: %s", self.checkpoint.folder, note)
        self._preparation = Preparation(self.checkpoint)
        self._backbone = Backbone.load(self.checkpoint.transformer, device=device, dtype=dtype)
        limit = self._backbone.max_positions
        if limit is not None and self.config.window_tokens > limit:
            what = (
                f"window_tokens={self.config.window_tokens} is above the model's {limit} positions."
            )
            raise ConfigError(what, f"Set window_tokens to {limit} or less in lmk.json.")
        self._latent = None
        if self.config.pooling == "latent":
            self._latent = _load_latent(self.checkpoint, self._backbone)
        self._dense = [Dense.load(place) for place in self.checkpoint.dense]
        self._fingerprint = fingerprint(self.checkpoint)

    @property
    def folder(self) -> Path:
        """The folder of the checkpoint."""
        return self.checkpoint.folder

    @property
    def dimension(self) -> int:
        """D, the width of every vector."""
        return self.checkpoint.dimension

    @property
    def name(self) -> str:
        """A readable name of the checkpoint."""
        return self.checkpoint.name

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides the vectors: weights, tokenizer, settings."""
        return self._fingerprint

    @property
    def device(self) -> torch.device:
        """Where the model computes."""
        return self._backbone.device

    @property
    def dtype(self) -> str:
        """The number type it computes in, as "bfloat16"."""
        return str(self._backbone.dtype).removeprefix("torch.")

    def save(self, folder: str | Path) -> None:
        """Write a folder that this class and ``SentenceTransformer`` load; see docs/models.md.

        Raises:
            ConfigError: the folder is there and holds something.
        """
        save_checkpoint(self.checkpoint, Path(folder))

    @property
    def max_window(self) -> int:
        """Ids in one pass of the model, start token and landmarks included."""
        return self.config.window_tokens

    def count_tokens(self, text: str) -> int:
        """Content tokens of ``text``: no landmarks, no start token."""
        return self._preparation.count_tokens(text)

    def encode(
        self,
        texts: Sequence[str],
        *,
        is_query: bool = False,
        prompt: str | None = None,
        policy: LandmarkPolicy | None = None,
        max_tokens: int | None = None,
    ) -> FloatMatrix:
        """One vector a text, (N, D) float32 of unit length: the plain door, as libraries have it.

        Args:
            texts: any strings, empty ones too.
            is_query: use the prompt and the layout of queries instead of those of documents.
            prompt: put before every text; by default the checkpoint's own.
            policy: where landmarks stand; by default as the checkpoint's settings say.
            max_tokens: cut each text to so many ids, landmarks included, as the paper's
                evaluation and sentence-transformers do. By default nothing is cut off: a text
                longer than the window is encoded in several.

        Raises:
            TypeError: ``texts`` is one string, or holds something else.
            ConfigError: ``max_tokens`` is above the model's positions, or the policy's spans are
                too long for its window.
        """
        texts = listed_texts(texts)
        limit = self._backbone.max_positions
        if max_tokens is not None and not 2 <= max_tokens <= (limit or max_tokens):
            what = f"max_tokens={max_tokens} is not between 2 and the model's {limit} positions."
            raise ConfigError(what, "Name another length, or none: then nothing is cut off.")
        if prompt is None:
            prompt = self.config.query_prompt if is_query else self.config.document_prompt
        prepare = self._preparation
        if policy is None and is_query:
            prepared = [prepare.query(text, prompt, max_tokens) for text in texts]
        else:
            cuts = policy or prepare.policy()
            prepared = [prepare.text(TextInput(t, cuts), prompt, max_tokens) for t in texts]
        if not prepared:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([document.vector for document in self._encode(prepared, no_progress)])

    def encode_query(self, queries: Sequence[str]) -> FloatMatrix:
        """(Q, D) float32, unit length, in the order of ``queries``.

        A query of up to ``config.query_tokens`` is one span, so that under landmark pooling its
        vector is its only landmark; a longer one is encoded as a document is.

        Raises:
            TypeError: ``queries`` is one string, or holds something else.
            ValueError: a query is blank.
        """
        return self.encode(listed_queries(queries), is_query=True)

    def encode_document(
        self,
        texts: Sequence[TextInput],
        *,
        known: Mapping[bytes, FloatMatrix] | None = None,
        progress: Progress | None = None,
    ) -> list[EncodedDocument]:
        """One result per text, in order; the more texts at once, the fuller the batches.

        Args:
            texts: what to encode. An empty text has one landmark, too.
            known: landmark vectors (L, D) of unit length by ``WindowKey.digest``, as an earlier
                call gave them: such windows are not encoded again, where the pooling allows it.
            progress: called with stage "encode" and token counts after every batch.

        Raises:
            TypeError: one of them is no TextInput.
            ConfigError: a policy allows spans that are too long for the model's window.
        """
        texts = list(texts)
        for text in texts:
            if not isinstance(text, TextInput):
                raise TypeError(
                    f"a list of TextInput is wanted, but {text!r:.80} is in it: say where its "
                    "landmarks stand, TextInput(text, Interval())"
                )
        prompt = self.config.document_prompt
        prepared = [self._preparation.text(text, prompt, local=True) for text in texts]
        return self._encode(prepared, progress or no_progress, known or {})

    def _encode(
        self,
        texts: Sequence[Prepared],
        progress: Progress,
        known: Mapping[bytes, FloatMatrix] = MappingProxyType({}),
    ) -> list[EncodedDocument]:
        windows = [window for text in texts for window in text.windows]
        found = [self._recall(window, known) for window in windows]
        unknown = [window for window, old in zip(windows, found, strict=True) if old is None]
        fresh = iter(self._read(unknown, progress))
        readings = (next(fresh) if old is None else old for old in found)
        return [self._document(text, [next(readings) for _ in text.windows]) for text in texts]

    def _recall(self, window: WindowInput, known: Mapping[bytes, FloatMatrix]) -> _Reading | None:
        """What was read of the window before; None if that is unknown, or no help."""
        # The mean of the states needs them whole: neither their lengths nor what a layer behind
        # the pooling made of them, nor dimensions that were cut off, can be had again.
        is_whole = not self._dense and self.dimension == self._backbone.dimension
        if not (known and self.config.normalize_landmarks and window.is_local and is_whole):
            return None
        local = known.get(window.key().digest)
        if local is None or len(local) != len(window.landmarks):
            return None
        local = np.asarray(local, dtype=np.float32)  # stores keep half of that
        return _Reading(local, unit_rows(local).mean(axis=0), len(local))

    def _read(self, windows: Sequence[WindowInput], progress: Progress) -> list[_Reading]:
        """What is read of the states of each window, in order."""
        require_own_process("torch", "an encoder")
        on_cpu = self._backbone.device.type == "cpu"
        lengths = [len(window.ids) for window in windows]
        batches = plan_batches(
            lengths,
            token_budget=CPU_BATCH_TOKENS if on_cpu else GPU_BATCH_TOKENS,
            equal_lengths=on_cpu and self._backbone.needs_equal_lengths,
        )
        inputs = [[windows[index] for index in batch] for batch in batches]
        work = partial(in_workers, are_small=sum(lengths) <= SMALL_TOKENS) if on_cpu else map
        result: list[_Reading] = [_Reading.nothing(self._backbone.dimension)] * len(windows)
        done, total = 0, sum(lengths)
        for batch, readings in zip(batches, work(self._run_batch, inputs), strict=True):
            for index, reading in zip(batch, readings, strict=True):
                result[index] = reading
            done += sum(lengths[index] for index in batch)
            progress("encode", done, total)
        return result

    def _run_batch(self, windows: Sequence[WindowInput]) -> list[_Reading]:
        longest = max(len(window.ids) for window in windows)
        ids = np.full((len(windows), longest), self._backbone.pad_id, dtype=np.int64)
        mask, read = np.zeros((2, len(windows), longest), dtype=np.bool_)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = True  # from lengths: a pad id may well be a landmark
            read[row, window.read] = True
        states = self._backbone.run(
            torch.from_numpy(ids),
            None if mask.all() else torch.from_numpy(mask),
            torch.from_numpy(read),
        )
        counts = [len(window.landmarks) for window in windows]
        with torch.inference_mode():
            if self._latent is not None:
                states = self._latent(states)
            local = range_means(
                states,
                _tensor(np.repeat(np.arange(len(windows)), counts), states),
                _tensor(np.concatenate([window.landmarks for window in windows]), states),
            )
            pooled = position_means(
                states,
                _tensor(
                    np.repeat(np.arange(len(windows)), [len(w.pooled) for w in windows]), states
                ),
                _tensor(np.concatenate([window.pooled for window in windows]), states),
                normalize_states=self.config.normalize_landmarks,
            )
        vectors = torch.cat([local, pooled]).cpu().numpy()
        require_finite(vectors, self.name)
        parts = np.split(vectors[: sum(counts)], np.cumsum(counts)[:-1])
        means = vectors[sum(counts) :]
        return [
            _Reading(part, mean, len(window.pooled))
            for part, mean, window in zip(parts, means, windows, strict=True)
        ]

    def _document(self, text: Prepared, readings: Sequence[_Reading]) -> EncodedDocument:
        weights = np.array([[reading.weight] for reading in readings], dtype=np.float32)
        means = np.stack([reading.mean for reading in readings])
        mean = (means * weights).sum(axis=0, keepdims=True) / weights.sum()
        local = np.concatenate([reading.local for reading in readings])
        return EncodedDocument(
            vector=self._finished(mean)[0],
            landmark_vectors=self._finished(local),
            spans=text.places,
            num_tokens=text.num_tokens,
            windows=tuple(window.key() for window in text.windows),
        )

    def _finished(self, means: FloatMatrix) -> FloatMatrix:
        """Means of states (N, D) -> vectors of unit length: layers behind them, then the cut."""
        for layer in self._dense:
            means = layer(means)
        return unit_rows(means[:, : self.dimension])


def _load_latent(checkpoint: Checkpoint, backbone: Backbone) -> LatentAttention:
    if checkpoint.latent is None:
        what = f"{checkpoint.folder} has no latent attention (latent_attn_model)."
        raise ModelError(what, "Name another pooling, or the folder of the whole model.")
    return LatentAttention.load(checkpoint.latent).to(backbone.device, backbone.dtype)


def _tensor(array: NDArray[np.int64], like: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(array).to(like.device)
