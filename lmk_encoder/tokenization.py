"""Text -> token ids with character offsets, and ids with landmarks for one window.

The only file that knows the ``tokenizers`` library. Nothing is ever cut off, no special tokens
are added, and a special token spelled out in the text stays text. Where landmarks stand is known
from construction, never found by searching ids.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import ConfigError, ModelError
from lmk_encoder.landmarks import LandmarkSpan
from lmk_encoder.types import WindowKey
from lmk_encoder.windows import Window

TokenIds = NDArray[np.int64]

# Characters tokenised in one go: the tokenizer's own objects take about 500 bytes a character.
BLOCK_CHARACTERS = 100_000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s")


class Tokens(NamedTuple):
    """``ids`` (N,) and the character range of each token, ``offsets`` (N, 2)."""

    ids: TokenIds
    offsets: TokenIds


class WindowInput(NamedTuple):
    """``ids`` (T,) of one window, and the positions in it of the landmarks to keep."""

    ids: TokenIds
    landmarks: TokenIds


class LandmarkTokenizer:
    """A tokenizer that knows the start token and the landmark.

    Raises:
        ConfigError: the vocabulary lacks one of the two, or they are the same token.
    """

    def __init__(self, tokenizer: Tokenizer, *, start_token: str, landmark_token: str) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # "[SEP]" in a text is five characters
        self._tokenizer = tokenizer
        self.start_id = self._id_of("start_token", start_token)
        self.landmark_id = self._id_of("landmark_token", landmark_token)
        if self.start_id == self.landmark_id:
            what = f"start_token and landmark_token are both {landmark_token!r}."
            raise ConfigError(what, "Name two different tokens in lmk.json.")
        unknown = getattr(tokenizer.model, "unk_token", None) or "<unk>"
        self._unknown_id: int | None = tokenizer.token_to_id(unknown)

    @classmethod
    def load(cls, folder: Path, config: EncoderConfig) -> Self:
        """Read ``tokenizer.json`` of a checkpoint folder."""
        path = folder / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception for every kind of fault
            fix = "Save the tokenizer in the fast format: tokenizer.save_pretrained(folder)."
            raise ModelError(f"{path} cannot be read: {error}.", fix) from error
        return cls(tokenizer, start_token=config.start_token, landmark_token=config.landmark_token)

    def tokenize(self, text: str) -> Tokens:
        """Ids and offsets of a whole text of any length, without special tokens."""
        text = _LONE_SURROGATE.sub("\ufffd", text)  # same length; the library refuses them
        ids: list[TokenIds] = []
        offsets: list[TokenIds] = []
        for start, stop in _blocks(text):
            encoding = self._tokenizer.encode(text[start:stop], add_special_tokens=False)
            ids.append(np.array(encoding.ids, dtype=np.int64))
            offsets.append(np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2) + start)
        if not ids:
            return Tokens(np.empty(0, np.int64), np.empty((0, 2), np.int64))
        return Tokens(self._disarm(np.concatenate(ids)), np.concatenate(offsets))

    def window_input(
        self, ids: TokenIds, spans: Sequence[LandmarkSpan], window: Window
    ) -> WindowInput:
        """Ids of one window: ``[CLS] context LMK ... span LMK span LMK``.

        Args:
            ids: (N,) of the whole text, of which ``spans`` are ranges.
            spans: all spans of the text.
            window: which of them to take.
        """
        kept = [(span.first, span.last) for span in spans[window.first : window.last]]
        ranges = [*window.context, *kept]
        ends = np.cumsum([stop - start + 1 for start, stop in ranges])  # landmark positions
        result = np.full(int(ends[-1]) + 1, self.landmark_id, dtype=np.int64)
        result[0] = self.start_id
        for (start, stop), end in zip(ranges, ends.tolist(), strict=True):
            result[end - (stop - start) : end] = ids[start:stop]
        return WindowInput(result, ends[len(window.context) :])

    def _id_of(self, key: str, token: str) -> int:
        token_id = self._tokenizer.token_to_id(token)
        if token_id is None:
            what = f"{key}={token!r} is not in the tokenizer's vocabulary."
            raise ConfigError(what, "Name the tokenizer's own separator in lmk.json.")
        return int(token_id)

    def _disarm(self, ids: TokenIds) -> TokenIds:
        """Text never yields the start token or the landmark: unknown stands in for them.

        Vocabularies that hold "</s>" as a plain piece would, despite encode_special_tokens.
        """
        if self._unknown_id is not None:
            ids[(ids == self.start_id) | (ids == self.landmark_id)] = self._unknown_id
        return ids


def window_key(window: WindowInput) -> WindowKey:
    """What tells whether a window was encoded before: its ids, and which landmarks are kept."""
    digest = blake2b(window.ids.tobytes(), digest_size=16)
    digest.update(window.landmarks.tobytes())
    return WindowKey(digest.digest(), len(window.landmarks))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Ranges of at most BLOCK_CHARACTERS that end at a line end, else at a space, if there is one.

    Only the second half of a block is searched, so that blocks stay large.
    """
    start = 0
    while start < len(text):
        stop = start + BLOCK_CHARACTERS
        if stop < len(text):
            middle = start + BLOCK_CHARACTERS // 2
            line_end = text.rfind("\n", middle, stop)
            if line_end != -1:
                stop = line_end + 1
            elif spaces := list(_SPACE.finditer(text, middle, stop)):
                stop = spaces[-1].start()  # space goes with the word behind it
        yield start, min(stop, len(text))
        start = stop
