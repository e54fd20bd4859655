"""The ids of one window for every pooling, and which of their states are read (pure).

    landmark   [CLS] span LMK span LMK          reads each LMK; it is the span's local vector
    multicls   CLS span CLS span [SEP]          reads each CLS; it is the span's local vector
    mean       [CLS] span span [SEP]            reads every id ("latent": after latent attention)
    every_k    [CLS] span span [SEP]            reads ids 0, k, 2k ...
    cls, last  [CLS] span span [SEP]            reads the first, or the last id

A document vector is the mean of the states read in all windows of a text. The local vector of a
span under "mean", "latent" and "every_k" is the mean of its tokens' states from the same pass
(late chunking); under "cls" and "last", whose one state speaks for all, spans are encoded apart.
Positions come from construction, never from searching ids.
Source: Doshi et al. 2026, arXiv:2601.21525; its rivals as their authors define them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.config import Pooling, Variant
from lmk_encoder.landmarks import LandmarkSpan
from lmk_encoder.types import WindowKey
from lmk_encoder.windows import Window, plan_windows

TokenIds = NDArray[np.int64]

_APART = ("cls", "last")  # local vectors need passes of their own
_MARKED = ("landmark", "multicls")  # an id is put at every span
# Attention computes this many scores at a time; what is left over costs as much again.
_FAST_MULTIPLE = 16
_NO_RANGES = np.empty((0, 2), dtype=np.int64)
_NO_POSITIONS = np.empty(0, dtype=np.int64)


class WindowInput(NamedTuple):
    """One window.

    ``ids`` (T,) go through the model.
    ``landmarks`` (L, 2) position ranges: the mean of a range's states is a span's local vector.
    ``pooled`` (P,) positions whose states count in the document vector.
    """

    ids: TokenIds
    landmarks: TokenIds
    pooled: TokenIds

    @property
    def is_local(self) -> bool:
        """Whether the states that count are its local vectors: then they tell its mean, too."""
        return np.array_equal(self.landmarks[:, 0], self.pooled) and bool(
            (self.landmarks[:, 1] == self.pooled + 1).all()
        )

    @property
    def read(self) -> TokenIds:
        """Positions whose states are needed, for local vectors or for the document's."""
        ranges = [np.arange(start, stop) for start, stop in self.landmarks]
        return np.concatenate([self.pooled, *ranges])

    def key(self) -> WindowKey:
        """What tells whether a window was encoded before: its ids, and what is read of it."""
        digest = blake2b(self.ids.tobytes(), digest_size=16)
        digest.update(self.landmarks.tobytes())
        digest.update(self.pooled.tobytes())
        return WindowKey(digest.digest(), len(self.landmarks))


@dataclass(frozen=True, slots=True)
class Layout:
    """How the ids of one checkpoint's windows are put together.

    Attributes:
        pooling: what is read.
        start: id before the content, if there is one.
        end: id behind it, if there is one.
        mark: the landmark; under "multicls" the id before each span.
        every: k of "every_k".
        variant: see ``EncoderConfig.variant``.
    """

    pooling: Pooling
    start: int | None
    end: int | None
    mark: int
    every: int = 64
    variant: Variant = ""

    @property
    def prefix(self) -> tuple[int, ...]:
        """Ids before the content of every window."""
        return () if self.start is None or self.pooling == "multicls" else (self.start,)

    @property
    def suffix(self) -> tuple[int, ...]:
        """Ids behind it."""
        return () if self.end is None else (self.end,)

    def windows(
        self,
        ids: TokenIds,
        spans: Sequence[LandmarkSpan],
        *,
        max_length: int,
        left_context: int,
        prompt: int = 0,
        read_prompt: bool = True,
        local: bool = True,
    ) -> list[WindowInput]:
        """All windows of a text; their ``landmarks`` in order are those of ``spans``.

        Args:
            ids: (N,) of the whole text, of which ``spans`` are ranges.
            spans: all spans of the text.
            max_length: ids in one window.
            left_context: content tokens repeated before every window but the first.
            prompt: so many tokens at the start are a prompt. Every window begins with it.
            read_prompt: whether the prompt, the start token before it and marks in it count in
                a mean.
            local: whether local vectors are wanted; without them "cls" and "last" save passes.

        Raises:
            ConfigError: a span alone is longer than a window.
        """
        apart = self.pooling in _APART
        keys = [crc32(ids[span.first : span.last].tobytes()) for span in spans]
        plan = self._plan(spans, keys, max_length, 0 if apart else left_context, prompt)
        windows = [self._window(ids, spans, window) for window in plan]
        if prompt and not read_prompt:
            windows[0] = self._without_prompt(windows[0], spans, prompt)
        if not apart:
            return windows
        windows = [window._replace(landmarks=_NO_RANGES) for window in windows]
        if local:
            alone = (
                Window(i, i + 1, ((0, prompt),) if 0 < prompt <= span.first else ())
                for i, span in enumerate(spans)
            )
            read_apart = [self._window(ids, spans, window) for window in alone]
            windows += [window._replace(pooled=_NO_POSITIONS) for window in read_apart]
        return windows

    def _without_prompt(
        self, first: WindowInput, spans: Sequence[LandmarkSpan], prompt: int
    ) -> WindowInput:
        marks = sum(span.last <= prompt for span in spans) if self.pooling in _MARKED else 0
        read = first.pooled >= len(self.prefix) + prompt + marks
        # A text of nothing but its prompt has nothing else to be read.
        return first._replace(pooled=first.pooled[read]) if read.any() else first

    def _plan(
        self,
        spans: Sequence[LandmarkSpan],
        keys: Sequence[int],
        max_length: int,
        left_context: int,
        prompt: int,
    ) -> list[Window]:
        marks = int(self.pooling in _MARKED)
        specials = len(self.prefix) + len(self.suffix)
        plan = plan_windows(
            spans,
            max_length=max_length,
            left_context=left_context,
            marks=marks,
            specials=specials,
            keys=keys,
            multiple=_FAST_MULTIPLE,
        )
        if len(plan) == 1 or not prompt:
            return plan
        plan = plan_windows(
            spans,
            max_length=max_length,
            left_context=left_context,
            marks=marks,
            specials=specials + prompt + marks,
            keys=keys,
            multiple=_FAST_MULTIPLE,
        )
        return [
            replace(window, context=((0, prompt), *window.context)) if window.first else window
            for window in plan
        ]

    def cut(self, window: WindowInput, max_length: int) -> WindowInput:
        """The one window of a text cut to ``max_length`` ids, as the paper and libraries cut.

        Landmarks count in the length, and what stands behind the last one left has none of its
        own; if none is left, the last id becomes one. The end token is never cut off (but for
        variant C, which cuts plainly).
        """
        total = len(window.ids)
        if total <= max_length:
            return window
        kept_end = 0 if self.variant == "C" else len(self.suffix)
        body = max_length - kept_end
        tail = window.ids[total - kept_end :]
        ids = np.concatenate([window.ids[:body], tail])
        moved = window.pooled[window.pooled >= total - kept_end] - (total - max_length)
        pooled = np.concatenate([window.pooled[window.pooled < body], moved])
        if self.pooling == "every_k":
            pooled = np.arange(0, max_length, self.every)
        ranges = np.minimum(window.landmarks[window.landmarks[:, 0] < body], body)
        if self.pooling == "landmark" and not len(pooled):
            ids[-1] = self.mark
            pooled = np.array([max_length - 1])
            ranges = np.array([[max_length - 1, max_length]])
        return WindowInput(ids, ranges, pooled)

    def _window(self, ids: TokenIds, spans: Sequence[LandmarkSpan], window: Window) -> WindowInput:
        if len(ids) == 0:
            return self._empty()
        kept = [(span.first, span.last) for span in spans[window.first : window.last]]
        ranges = np.array([*window.context, *kept], dtype=np.int64)
        lengths = ranges[:, 1] - ranges[:, 0]
        first, context = len(self.prefix), len(window.context)
        ends = first + np.cumsum(lengths + int(self.pooling in _MARKED))
        starts = ends - lengths - int(self.pooling == "landmark")
        result = np.full(int(ends[-1]) + len(self.suffix), self.mark, dtype=np.int64)
        result[:first] = self.prefix
        result[int(ends[-1]) :] = self.suffix
        for (start, stop), place in zip(ranges.tolist(), starts.tolist(), strict=True):
            result[place : place + stop - start] = ids[start:stop]
        landmarks = self._local(starts[context:], lengths[context:], len(result))
        pooled = self._pooled(landmarks, len(result), int(starts[context]))
        return WindowInput(result, landmarks, pooled)

    def _empty(self) -> WindowInput:
        """A text without tokens: one local vector, of the mark, else of all there is."""
        published = {"A": (self.mark,), "C": (*self.prefix, *self.suffix, self.mark)}
        match self.pooling:
            case "landmark":
                ids = published.get(self.variant, (*self.prefix, self.mark, *self.suffix))
            case "multicls":
                ids = (self.mark, *self.suffix)
            case _:
                ids = (*self.prefix, *self.suffix) or (self.mark,)
        total = len(ids)
        match self.pooling:
            case "landmark":
                place = total - 1 if self.variant in published else len(self.prefix)
                read = [place, place + 1]
            case "multicls" | "cls":
                read = [0, 1]
            case "last":
                read = [total - 1, total]
            case _:
                read = [0, total]
        landmarks = np.array([read])
        if self.pooling == "landmark" and self._pools_end:
            return WindowInput(np.array(ids), landmarks, np.arange(len(self.prefix), total))
        return WindowInput(
            np.array(ids), landmarks, self._pooled(landmarks, total, len(self.prefix))
        )

    @property
    def _pools_end(self) -> bool:
        """Whether the end token counts as a landmark: where variant C has the same id for both."""
        return self.variant == "C" and self.end == self.mark

    def _local(self, starts: TokenIds, lengths: TokenIds, total: int) -> TokenIds:
        """Position ranges (L, 2) of the local vectors of kept spans."""
        match self.pooling:
            case "landmark":
                starts, lengths = starts + lengths, np.ones_like(lengths)
            case "multicls":
                starts, lengths = starts - 1, np.ones_like(lengths)
            case "cls":
                starts, lengths = np.zeros_like(starts), np.ones_like(lengths)
            case "last":
                starts, lengths = np.full_like(starts, total - 1), np.ones_like(lengths)
        return np.stack([starts, starts + lengths], axis=1)

    def _pooled(self, landmarks: TokenIds, total: int, kept_from: int) -> TokenIds:
        """Positions that count; those of the left context, ``[first, kept_from)``, do not."""
        match self.pooling:
            case "landmark" | "multicls":
                end = [total - 1] if self._pools_end else []
                return np.append(landmarks[:, 0], np.array(end, dtype=np.int64))
            case "cls":
                return np.array([0])
            case "last":
                return np.array([total - 1])
            case pooling:
                positions = np.arange(0, total, self.every if pooling == "every_k" else 1)
                return positions[(positions < len(self.prefix)) | (positions >= kept_from)]
