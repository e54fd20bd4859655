"""Texts -> windows of ids: all that comes before the model (no torch)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lmk_encoder.checkpoint import Checkpoint
from lmk_encoder.errors import ConfigError
from lmk_encoder.landmarks import (
    Interval,
    LandmarkPolicy,
    Sentences,
    Slices,
    landmark_spans,
    max_span_tokens,
)
from lmk_encoder.layout import WindowInput
from lmk_encoder.tokenization import LandmarkTokenizer
from lmk_encoder.types import IntMatrix, TextInput, with_prompt


class Prepared(NamedTuple):
    """One text, ready for the model: ``places`` (L, 2) are the character ranges of its spans."""

    places: IntMatrix
    windows: list[WindowInput]
    num_tokens: int


class Preparation:
    """The tokenizer of a checkpoint, and how it cuts and arranges texts.

    Raises:
        ModelError: the tokenizer cannot be read.
        ConfigError: it lacks a token of the layout.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.config = checkpoint.config
        self._tokenizer = LandmarkTokenizer.load(checkpoint.transformer, self.config)
        self._layout = self._tokenizer.layout(self.config)

    def count_tokens(self, text: str) -> int:
        """Content tokens of ``text``: no landmarks, no start token."""
        return len(self._tokenizer.tokenize(text).ids)

    def policy(self) -> LandmarkPolicy:
        """How a text is cut where nobody asks for anything else."""
        match self.config.chunks:
            case "balanced":
                return Interval(self.config.granularity)
            case "fixed":
                return Slices(self.config.granularity)
            case "sentences":
                return Sentences(self.config.granularity)

    def query(self, query: str, prompt: str, max_tokens: int | None = None) -> Prepared:
        """A query: one span if it has up to ``config.query_tokens``, else as a document."""
        whole = TextInput(query, Interval(self.config.query_tokens))
        prepared = self.text(whole, prompt, max_tokens)
        if prepared.num_tokens <= self.config.query_tokens:
            return prepared
        return self.text(TextInput(query, self.policy()), prompt, max_tokens)

    def text(
        self, text: TextInput, prompt: str, max_tokens: int | None = None, *, local: bool = False
    ) -> Prepared:
        """The windows of a text.

        Args:
            text: any, also an empty one. A context longer than a quarter of a window is left out.
            prompt: put before it; no place lies in it.
            max_tokens: cut the text to one window of so many ids.
            local: whether local vectors are wanted.

        Raises:
            ConfigError: its policy allows spans that are too long for the model's window.
        """
        asked, allowed = max_span_tokens(text.policy), self.config.max_span_tokens
        if asked > allowed and max_tokens is None:
            what = (
                f"Spans of {asked} tokens are too long for windows of {self.config.window_tokens}."
            )
            raise ConfigError(what, f"Use an interval of {allowed} tokens or less.")
        given, lead = text, len(prompt + text.context)
        text = with_prompt(given, prompt)
        ids, offsets = self._tokenizer.tokenize(text.text)
        led_by = int(np.searchsorted(offsets[:, 0], lead)) if lead else 0
        if given.context and led_by > self.config.window_tokens // 4:  # it crowds out the text
            return self.text(replace(given, context=""), prompt, max_tokens, local=local)
        spans = landmark_spans(text.text, offsets, text.policy, text.breaks)
        windows = self._layout.windows(
            ids,
            spans,
            max_length=self.config.window_tokens if max_tokens is None else 2 * len(ids) + 8,
            left_context=self.config.left_context_tokens,
            prompt=led_by,
            read_prompt=self.config.include_prompt and not given.context,
            local=local,
        )
        if max_tokens is not None:
            windows = [self._layout.cut(window, max_tokens) for window in windows]
        # Spans that hold nothing but prompt speak for no character of the text.
        hidden = sum(span.end <= lead for span in spans[:-1]) if lead else 0
        places = np.array([(span.start, span.end) for span in spans[hidden:]], dtype=np.int64)
        places = np.maximum(places - lead, 0)
        places[0, 0] = 0
        return Prepared(places, _without_local(windows, hidden), len(ids))


def listed_texts(texts: Iterable[str]) -> list[str]:
    """The texts as a list. TypeError for a string, of which every letter would be a text, and for
    anything in it that is no string."""
    if isinstance(texts, str | bytes):
        raise TypeError("a list of strings is wanted, not one string: put it in [...]")
    found = list(texts)
    for text in found:
        if not isinstance(text, str):
            raise TypeError(f"a list of strings is wanted, but {text!r:.80} is in it")
    return found


def listed_queries(queries: Iterable[str]) -> list[str]:
    """``listed_texts``; ValueError if one is blank."""
    found = listed_texts(queries)
    if not all(query.strip() for query in found):
        raise ValueError("a blank query has no meaning to encode")
    return found


def _without_local(windows: Sequence[WindowInput], number: int) -> list[WindowInput]:
    """The same windows without the first ``number`` local vectors."""
    result = []
    for window in windows:
        result.append(window._replace(landmarks=window.landmarks[number:]))
        number = max(number - len(window.landmarks), 0)
    return result
