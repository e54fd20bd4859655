"""EncoderConfig: the settings of a checkpoint that decide its vectors, kept in ``lmk.json``."""

import difflib
import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, get_args

from lmk_encoder.errors import ConfigError, ModelError

CONFIG_FILE = "lmk.json"

# How hidden states become one vector; docs/models.md tells what each needs of a checkpoint.
Pooling = Literal["landmark", "cls", "mean", "latent", "multicls", "every_k", "last"]
Chunks = Literal["balanced", "fixed", "sentences"]
Variant = Literal["", "A", "B", "C"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderConfig:
    """How a checkpoint turns text into vectors. Checked on creation.

    Attributes:
        name: readable name of the checkpoint; empty means the name of its folder.
        pooling: which states make the vector of a text: those of the landmarks ("landmark"), of
            the first id ("cls"), of all ids ("mean"), of all ids after latent attention
            ("latent"), of a start token before every ``granularity`` tokens ("multicls", for a
            model trained with "cls"), of every ``granularity``-th id ("every_k"), of the last
            id ("last").
        start_token: first token of every window; empty if the model has none.
        end_token: last token of every window; empty if there is none, as with landmarks.
        landmark_token: closes every span; its last hidden state is the span's vector.
        window_tokens: ids in one pass of the model, start token and landmarks included.
        left_context_tokens: content tokens repeated in front of every window but the first.
        granularity: content tokens per landmark where nobody asks for anything else.
        chunks: how a text is cut where nobody asks for anything else: spans of similar length
            at word borders ("balanced"), exactly every ``granularity`` tokens as in the paper
            ("fixed"), or after each sentence ("sentences").
        query_tokens: a query of up to so many tokens is one span.
        normalize_landmarks: scale landmark states to unit length before the mean.
        variant: which published layout of landmarks the checkpoint has, where they differ from
            ours: the drafts "A", "B" and "C" of sentence-transformers (docs/models.md).
        query_prompt: put before every query.
        document_prompt: put before every document.
        include_prompt: whether the states of the prompt's tokens count in a mean.
        lowercase: fold case before tokenising, beyond what the tokenizer does itself.
        strip: drop the white space around a text before tokenising.
        truncate_dim: keep so many leading dimensions of a Matryoshka model; 0 keeps all.
    """

    name: str = ""
    pooling: Pooling = "landmark"
    start_token: str = "[CLS]"
    end_token: str = ""
    landmark_token: str = "[SEP]"
    window_tokens: int = 1000
    left_context_tokens: int = 64
    granularity: int = 64
    chunks: Chunks = "balanced"
    query_tokens: int = 250
    normalize_landmarks: bool = True
    variant: Variant = ""
    query_prompt: str = ""
    document_prompt: str = ""
    include_prompt: bool = True
    lowercase: bool = False
    strip: bool = False
    truncate_dim: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value, kind = getattr(self, field.name), type(field.default)
            if type(value) is not kind:  # exact: a bool is no number of tokens
                what = f"{field.name}={value!r} should be of type {kind.__name__}."
                raise ConfigError(what, f"For example {field.name}={field.default!r}.")
        self._check_choice("pooling", get_args(Pooling))
        self._check_choice("chunks", get_args(Chunks))
        self._check_choice("variant", get_args(Variant))
        self._check_range("truncate_dim", 0, None)
        self._check_range("window_tokens", 8, None)
        self._check_range("left_context_tokens", 0, self.window_tokens // 4)
        self._check_range("granularity", 1, self.max_span_tokens)
        self._check_range("query_tokens", 1, self.max_span_tokens)

    @property
    def max_span_tokens(self) -> int:
        """The longest landmark span allowed: half a window, so that context always fits."""
        return self.window_tokens // 2

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read ``lmk.json`` of a checkpoint folder.

        Raises:
            ModelError: there is none: the folder is no landmark checkpoint.
            ConfigError: it is no JSON object, or a key or value is wrong.
        """
        values = read_settings(folder)
        if values is None:
            what = f"{folder} has no {CONFIG_FILE}: it is no landmark checkpoint."
            example = '{"landmark_token": "[SEP]", "window_tokens": 512}'
            raise ModelError(what, f"If it was trained with landmarks, write one: {example}.")
        return cls.from_dict(values)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Build from the keys of ``lmk.json``; an unknown one is an error naming the nearest."""
        known = [field.name for field in fields(cls)]
        for key in values:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                fix = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(known)}."
                raise ConfigError(f"{key}={values[key]!r} in {CONFIG_FILE} is unknown.", fix)
        return cls(**values)

    def _check_choice(self, name: str, known: tuple[str, ...]) -> None:
        value = getattr(self, name)
        if value not in known:
            fix = f"Use one of: {', '.join(word or repr(word) for word in known)}."
            raise ConfigError(f"{name}={value!r} is unknown.", fix)

    def _check_range(self, name: str, low: int, high: int | None) -> None:
        value = getattr(self, name)
        if value < low or (high is not None and value > high):
            allowed = f"at least {low}" if high is None else f"{low} to {high}"
            fix = f"Use {allowed} (with window_tokens={self.window_tokens})."
            raise ConfigError(f"{name}={value} is out of range.", fix)


def read_settings(folder: Path) -> dict[str, Any] | None:
    """The keys of ``lmk.json`` in a folder, unchecked; None if there is no such file.

    Raises:
        ConfigError: it is no JSON object.
    """
    path = folder / CONFIG_FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ConfigError(f"{path} is not valid JSON: {error}.", "Mend or restore it.") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path} holds no JSON object.", 'Write {"window_tokens": 512} or so.')
    return values
