"""Text -> token ids with character offsets, and the ids of a checkpoint's special tokens.

The only file that knows the ``tokenizers`` library. Nothing of a text is ever cut off, no special
tokens are added, and a special token spelled out in the text stays text.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from tokenizers import Tokenizer, normalizers

from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import ConfigError, ModelError
from lmk_encoder.files import read_json
from lmk_encoder.layout import Layout, TokenIds

# Characters tokenised in one go: the tokenizer's own objects take about 500 bytes a character.
BLOCK_CHARACTERS = 100_000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s")


class Tokens(NamedTuple):
    """``ids`` (N,) and the character range of each token, ``offsets`` (N, 2)."""

    ids: TokenIds
    offsets: TokenIds


class LandmarkTokenizer:
    """A tokenizer that knows the tokens a layout puts between those of a text.

    Args:
        tokenizer: as read from ``tokenizer.json``; its settings are changed.
        start_token: opens every window; empty if there is none.
        end_token: closes every window; empty if there is none.
        landmark_token: stands at every span.
        lowercase: fold case before anything else.
        strip: leave out the space around a text.

    Raises:
        ConfigError: the vocabulary lacks one of them.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        start_token: str,
        landmark_token: str,
        end_token: str = "",
        lowercase: bool = False,
        strip: bool = False,
    ) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # "[SEP]" in a text is five characters
        if lowercase:
            fold, own = normalizers.Lowercase(), tokenizer.normalizer
            tokenizer.normalizer = fold if own is None else normalizers.Sequence([fold, own])
        self._tokenizer = tokenizer
        self._strip = strip
        self.landmark_id = self._id_of("landmark_token", landmark_token)
        self.start_id = self._id_of("start_token", start_token) if start_token else None
        self.end_id = self._id_of("end_token", end_token) if end_token else None
        unknown = getattr(tokenizer.model, "unk_token", None) or "<unk>"
        self._unknown_id: int | None = tokenizer.token_to_id(unknown)

    @classmethod
    def load(cls, folder: Path, config: EncoderConfig) -> Self:
        """Read the tokenizer of a checkpoint folder."""
        tokenizer = _read_tokenizer(folder)
        return cls(
            tokenizer,
            start_token=config.start_token,
            end_token=config.end_token,
            landmark_token=config.landmark_token,
            lowercase=config.lowercase,
            strip=config.strip,
        )

    def layout(self, config: EncoderConfig) -> Layout:
        """How windows of this checkpoint are put together."""
        mark = self.landmark_id
        if config.pooling == "multicls" and self.start_id is not None:
            mark = self.start_id
        return Layout(
            pooling=config.pooling,
            start=self.start_id,
            end=self.end_id,
            mark=mark,
            every=config.granularity,
            variant=config.variant,
        )

    def tokenize(self, text: str) -> Tokens:
        """Ids and offsets of a whole text of any length, without special tokens."""
        text = _LONE_SURROGATE.sub("\ufffd", text)  # same length; the library refuses them
        lead = 0
        if self._strip:
            lead = len(text) - len(text.lstrip())
            text = text.strip()
        ids: list[TokenIds] = []
        offsets: list[TokenIds] = []
        for start, stop in _blocks(text):
            encoding = self._tokenizer.encode(text[start:stop], add_special_tokens=False)
            ids.append(np.array(encoding.ids, dtype=np.int64))
            offsets.append(np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2) + start)
        if not ids:
            return Tokens(np.empty(0, np.int64), np.empty((0, 2), np.int64))
        return Tokens(self._disarm(np.concatenate(ids)), np.concatenate(offsets) + lead)

    def _id_of(self, key: str, token: str) -> int:
        token_id = self._tokenizer.token_to_id(token)
        if token_id is None:
            what = f"{key}={token!r} is not in the tokenizer's vocabulary."
            fix = "Name a token of this tokenizer in lmk.json: its separator, or its end of text."
            raise ConfigError(what, fix)
        return int(token_id)

    def _disarm(self, ids: TokenIds) -> TokenIds:
        """Text never yields the tokens of the layout: unknown stands in for them.

        Vocabularies that hold "</s>" as a plain piece would, despite encode_special_tokens.
        """
        if self._unknown_id is not None:
            for special in {self.start_id, self.end_id, self.landmark_id} - {None}:
                ids[ids == special] = self._unknown_id
        return ids


class SpecialTokens(NamedTuple):
    """Names of a tokenizer's special tokens; empty where it has none.

    ``leading`` and ``trailing`` are what it puts around a text by itself. ``by_id`` names an id.
    """

    start: str
    separator: str
    leading: str
    trailing: str
    by_id: Callable[[int], str | None]


def read_special_tokens(folder: Path) -> SpecialTokens:
    """What plays which part in the tokenizer of a folder.

    The start token is CLS, else BOS; the separator is SEP, else EOS. Where no file names them,
    those that the tokenizer puts around a text by itself are meant, else the usual names.

    Raises:
        ModelError: the tokenizer cannot be read, or puts several tokens on one side of a text.
    """
    tokenizer = _read_tokenizer(folder)
    tokenizer.no_padding()
    encoding = tokenizer.encode("a")
    content = [i for i, special in enumerate(encoding.special_tokens_mask) if not special]
    first, last = (content[0], content[-1] + 1) if content else (0, 0)
    leading, trailing = encoding.tokens[:first], encoding.tokens[last:]
    if len(leading) > 1 or len(trailing) > 1:
        what = f"The tokenizer of {folder} puts {leading} and {trailing} around every text."
        raise ModelError(what, "One token on each side is understood: use another model.")
    named = _named_tokens(folder)
    usual = [t for t in ("[CLS]", "<s>", "[SEP]", "</s>") if tokenizer.token_to_id(t) is not None]
    starts = [named.get("cls_token"), named.get("bos_token"), *leading, *usual[:1]]
    separators = [named.get("sep_token"), named.get("eos_token"), *trailing, *usual[1:]]
    return SpecialTokens(
        start=next((token for token in starts if token), ""),
        separator=next((token for token in separators if token), ""),
        leading="".join(leading),
        trailing="".join(trailing),
        by_id=tokenizer.id_to_token,
    )


def _named_tokens(folder: Path) -> dict[str, str]:
    """``cls_token`` and so on, as the files beside a tokenizer name them."""
    named: dict[str, str] = {}
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        path = folder / file
        if not path.is_file():
            continue
        for key, value in read_json(path).items():
            text = value.get("content") if isinstance(value, dict) else value
            if key.endswith("_token") and isinstance(text, str):
                named[key] = text
    return named


def _read_tokenizer(folder: Path) -> Tokenizer:
    """``tokenizer.json``, else what transformers makes of the older files."""
    path = folder / "tokenizer.json"
    try:
        if not path.is_file() and (folder / "tokenizer_config.json").is_file():
            from transformers import AutoTokenizer

            loaded: Tokenizer = AutoTokenizer.from_pretrained(
                folder, local_files_only=True
            ).backend_tokenizer
            return loaded
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception for every kind of fault
        fix = "Save the tokenizer in the fast format: tokenizer.save_pretrained(folder)."
        raise ModelError(f"{path} cannot be read: {error}.", fix) from error


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
