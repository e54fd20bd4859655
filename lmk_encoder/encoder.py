"""LandmarkEncoder: texts -> document vectors and landmark vectors with their places."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from lmk_encoder.backbone import Backbone
from lmk_encoder.batching import plan_batches
from lmk_encoder.checkpoint import find_checkpoint, fingerprint
from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import ConfigError, ModelError
from lmk_encoder.landmarks import Interval, LandmarkSpan, landmark_spans, max_span_tokens
from lmk_encoder.pooling import document_vector, unit_rows
from lmk_encoder.tokenization import LandmarkTokenizer, WindowInput, window_key
from lmk_encoder.types import EncodedDocument, FloatMatrix, Progress, TextInput, no_progress
from lmk_encoder.windows import plan_windows

# Ids in one batch. On CPU larger ones only miss the caches; a GPU needs them to be busy.
CPU_BATCH_TOKENS = 4096
GPU_BATCH_TOKENS = 65_536


class _Layout(NamedTuple):
    """One text, ready for the model."""

    spans: list[LandmarkSpan]
    windows: list[WindowInput]
    num_tokens: int


class LandmarkEncoder:
    """A landmark checkpoint, ready to encode. Implements ``DocumentEncoder``.

    Args:
        folder: a checkpoint folder; None is the model that comes with the package.
        device: "cuda", "mps", "cpu" ...; by default the best that is there.
        dtype: "float32", "bfloat16" or "float16"; by default what is fast on the device.

    Raises:
        ModelError: the folder is missing, incomplete or of another kind.
        ConfigError: a setting in its ``lmk.json``, the device or the dtype is wrong.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        device: str | None = None,
        dtype: str | None = None,
    ) -> None:
        self.folder = find_checkpoint(folder)
        self.config = EncoderConfig.load(self.folder)
        self._tokenizer = LandmarkTokenizer.load(self.folder, self.config)
        self._backbone = Backbone.load(self.folder, device=device, dtype=dtype)
        limit = self._backbone.max_positions
        if limit is not None and self.config.window_tokens > limit:
            what = (
                f"window_tokens={self.config.window_tokens} is above the model's {limit} positions."
            )
            raise ConfigError(what, f"Set window_tokens to {limit} or less in lmk.json.")
        self._fingerprint = fingerprint(self.folder)

    @property
    def dimension(self) -> int:
        """D, the width of every vector."""
        return self._backbone.dimension

    @property
    def name(self) -> str:
        """A readable name of the checkpoint."""
        return self.config.name or self.folder.resolve().name

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides the vectors: weights, tokenizer, settings."""
        return self._fingerprint

    @property
    def max_window(self) -> int:
        """Ids in one pass of the model, start token and landmarks included."""
        return self.config.window_tokens

    def count_tokens(self, text: str) -> int:
        """Content tokens of ``text``: no landmarks, no start token."""
        return len(self._tokenizer.tokenize(text).ids)

    def encode_query(self, queries: Sequence[str]) -> FloatMatrix:
        """(Q, D) float32, unit length, in the order of ``queries``.

        A query of up to ``config.query_tokens`` is one span, so that its vector is its only
        landmark; a longer one is encoded as a document is.

        Raises:
            ValueError: a query is blank.
        """
        if not all(query.strip() for query in queries):
            raise ValueError("a blank query has no meaning to encode")
        whole, parts = Interval(self.config.query_tokens), Interval(self.config.granularity)
        layouts = []
        for query in queries:
            layout = self._layout(TextInput(query, whole))
            is_long = layout.num_tokens > self.config.query_tokens
            layouts.append(self._layout(TextInput(query, parts)) if is_long else layout)
        if not layouts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([document.vector for document in self._encode(layouts, no_progress)])

    def encode_document(
        self, texts: Sequence[TextInput], *, progress: Progress | None = None
    ) -> list[EncodedDocument]:
        """One result per text, in order; the more texts at once, the fuller the batches.

        Args:
            texts: what to encode. An empty text has one landmark, too.
            progress: called with stage "encode" and token counts after every batch.

        Raises:
            ConfigError: a policy allows spans that are too long for the model's window.
        """
        return self._encode([self._layout(text) for text in texts], progress or no_progress)

    def _layout(self, text: TextInput) -> _Layout:
        asked, allowed = max_span_tokens(text.policy), self.config.max_span_tokens
        if asked > allowed:
            what = f"Spans of {asked} tokens are too long for windows of {self.max_window}."
            raise ConfigError(what, f"Use an interval of {allowed} tokens or less.")
        ids, offsets = self._tokenizer.tokenize(text.text)
        spans = landmark_spans(text.text, offsets, text.policy, text.breaks)
        windows = plan_windows(
            spans, max_length=self.max_window, left_context=self.config.left_context_tokens
        )
        inputs = [self._tokenizer.window_input(ids, spans, window) for window in windows]
        return _Layout(spans, inputs, len(ids))

    def _encode(self, layouts: Sequence[_Layout], progress: Progress) -> list[EncodedDocument]:
        windows = [window for layout in layouts for window in layout.windows]
        states = iter(self._landmark_states(windows, progress))
        return [
            self._document(layout, np.concatenate([next(states) for _ in layout.windows]))
            for layout in layouts
        ]

    def _landmark_states(
        self, windows: Sequence[WindowInput], progress: Progress
    ) -> list[FloatMatrix]:
        """Last hidden states (L, D) float32 of the kept landmarks of each window, in order."""
        on_cpu = self._backbone.device.type == "cpu"
        lengths = [len(window.ids) for window in windows]
        batches = plan_batches(
            lengths,
            token_budget=CPU_BATCH_TOKENS if on_cpu else GPU_BATCH_TOKENS,
            equal_lengths=on_cpu,
        )
        result: list[FloatMatrix] = [np.empty((0, self.dimension), np.float32)] * len(windows)
        done, total = 0, sum(lengths)
        for batch in batches:
            for index, states in zip(
                batch, self._run_batch([windows[index] for index in batch]), strict=True
            ):
                result[index] = states
            done += sum(lengths[index] for index in batch)
            progress("encode", done, total)
        return result

    def _run_batch(self, windows: Sequence[WindowInput]) -> list[FloatMatrix]:
        longest = max(len(window.ids) for window in windows)
        ids = np.full((len(windows), longest), self._backbone.pad_id, dtype=np.int64)
        mask = np.zeros((len(windows), longest), dtype=np.int64)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1  # from lengths: a pad id may well be a landmark
        is_padded = not mask.all()
        states = self._backbone.run(
            torch.from_numpy(ids), torch.from_numpy(mask) if is_padded else None
        )
        counts = [len(window.landmarks) for window in windows]
        rows = np.repeat(np.arange(len(windows)), counts)
        columns = np.concatenate([window.landmarks for window in windows])
        picked = states[torch.from_numpy(rows), torch.from_numpy(columns)]  # (L, D)
        landmarks: FloatMatrix = picked.float().cpu().numpy()
        if not np.isfinite(landmarks).all():
            what = f"The model {self.name!r} gave values that are not finite."
            raise ModelError(what, "Try dtype='float32'; if it stays, the weights are damaged.")
        return np.split(landmarks, np.cumsum(counts)[:-1])

    def _document(self, layout: _Layout, states: FloatMatrix) -> EncodedDocument:
        return EncodedDocument(
            vector=document_vector(states, normalize_landmarks=self.config.normalize_landmarks),
            landmark_vectors=unit_rows(states),
            spans=np.array([(span.start, span.end) for span in layout.spans], dtype=np.int64),
            num_tokens=layout.num_tokens,
            windows=tuple(window_key(window) for window in layout.windows),
        )
