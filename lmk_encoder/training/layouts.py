"""How a text is laid out for training: its windows, and the text of each landmark's span.

The same spans and windows as inference makes (``lmk_encoder.landmarks``, ``lmk_encoder.layout``),
so that training and use cannot drift apart. What differs is the cut: training looks at the first
``passage_tokens`` ids of a text only, and each text draws its own granularity.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmk_encoder.config import EncoderConfig
from lmk_encoder.landmarks import (
    Interval,
    LandmarkPolicy,
    LandmarkSpan,
    Sentences,
    Slices,
    landmark_spans,
)
from lmk_encoder.layout import Layout, WindowInput
from lmk_encoder.tokenization import LandmarkTokenizer
from lmk_encoder.training.config import ModelSettings
from lmk_encoder.training.stretches import best_stretch, random_stretch

# Characters tokenised for every id that is kept: longer than any usual token, so that the end of
# a long text is not tokenised only to be thrown away.
_CHARACTERS_PER_ID = 10
_MARKED = ("landmark", "multicls")


@dataclass(frozen=True, slots=True)
class LaidOut:
    """``windows`` of a text; text and token count of every span, in the order of ``landmarks``."""

    windows: tuple[WindowInput, ...]
    span_texts: tuple[str, ...]
    span_tokens: tuple[int, ...]


class TextLayouts:
    """Lays out queries and passages of one model.

    Args:
        tokenizer: of the checkpoint.
        config: of the checkpoint.
        settings: granularity and lengths while training.
    """

    def __init__(
        self, tokenizer: LandmarkTokenizer, config: EncoderConfig, settings: ModelSettings
    ) -> None:
        self._tokenizer = tokenizer
        self._layout: Layout = tokenizer.layout(config)
        self._settings = settings
        self._left_context = config.left_context_tokens
        self._query_prompt = config.query_prompt
        self._document_prompt = config.document_prompt
        self._marks = int(config.pooling in _MARKED)
        self._specials = len(self._layout.prefix) + len(self._layout.suffix)

    def query(self, text: str, random: np.random.Generator) -> LaidOut:
        """A query: one span, as at inference; with "fixed" chunks as a passage is (the paper)."""
        limit = self._settings.query_tokens
        fixed = self._settings.chunks == "fixed"
        policy = self._policy(random) if fixed else Interval(limit)
        return self._lay_out(self._query_prompt + text, policy, limit, None)

    def passage(self, text: str, query: str | None, random: np.random.Generator) -> LaidOut:
        """A passage, or of a longer text the part that is kept, at the granularity it draws.

        Args:
            text: all of it.
            query: what it belongs to; None for a plain text.
            random: draws the granularity, and the part of a plain text.
        """
        limit = self._settings.passage_tokens
        if query is None:
            text = random_stretch(text, limit * _CHARACTERS_PER_ID // 2, random)
        elif self._settings.passage_part == "best":
            text = best_stretch(text, query, limit * _CHARACTERS_PER_ID // 2)
        text = self._document_prompt + text
        return self._lay_out(text, self._policy(random), limit, self._settings.window_tokens)

    def _policy(self, random: np.random.Generator) -> LandmarkPolicy:
        given, chunks = self._settings.granularity, self._settings.chunks
        tokens = given if isinstance(given, int) else given[int(random.integers(len(given)))]
        if chunks == "fixed":
            return Slices(tokens)
        sentences = chunks == "sentences" or (chunks == "mixed" and random.random() < 0.5)
        return Sentences(tokens) if sentences else Interval(tokens)

    def _lay_out(
        self, text: str, policy: LandmarkPolicy, limit: int, window_tokens: int | None
    ) -> LaidOut:
        head = text[: limit * _CHARACTERS_PER_ID]
        ids, offsets = self._tokenizer.tokenize(head)
        if len(ids) < limit and len(head) < len(text):
            head = text
            ids, offsets = self._tokenizer.tokenize(text)
        ids, offsets = ids[:limit], offsets[:limit]
        if len(ids) == limit:
            head = head[: int(offsets[-1, 1])]
        spans = landmark_spans(head, offsets, policy)
        longest = window_tokens or limit
        if self._settings.chunks != "fixed":
            spans = fit_spans(spans, limit - self._specials, longest - self._specials, self._marks)
        windows = self._layout.windows(
            ids,
            spans,
            # The paper cuts after it has put the landmarks in: first all of it in one window.
            max_length=2 * limit + self._specials if self._settings.chunks == "fixed" else longest,
            left_context=self._left_context,
            local=False,
        )
        if self._settings.chunks == "fixed":
            windows = [self._layout.cut(windows[0], limit)]
        kept = spans[: sum(len(window.landmarks) for window in windows)]
        return LaidOut(
            tuple(windows),
            tuple(head[span.start : span.end] for span in kept),
            tuple(span.last - span.first for span in kept),
        )


def fit_spans(
    spans: Sequence[LandmarkSpan], room: int, longest: int, marks: int
) -> list[LandmarkSpan]:
    """The spans that ``room`` ids hold, the last one shortened to fit with its landmark (pure).

    The authors cut after insertion instead, which leaves up to a whole span of tokens without a
    landmark of their own, and none at all where the first span is too long (trap T5, T3).

    Args:
        spans: of one text.
        room: ids for content and landmarks.
        longest: ids of content and landmark that one window holds, at least 1 + ``marks``.
        marks: ids put at every span.
    """
    kept: list[LandmarkSpan] = []
    for span in spans:
        fits = min(span.last - span.first, room - marks, longest - marks)
        if fits <= 0 and kept:
            break
        kept.append(span._replace(last=span.first + max(fits, 0)))
        room -= fits + marks
        if fits < span.last - span.first:
            break
    return kept
