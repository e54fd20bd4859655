"""Fakes for tests, yours included: an encoder without a model, and a tiny real one.

``KeywordEncoder`` finds texts that share words, so expected ranks can be read off the texts.
``tiny_encoder`` is the whole path, tokenizer and transformer included, with random weights.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from lmk_encoder.landmarks import landmark_spans
from lmk_encoder.pooling import document_vector, unit_rows
from lmk_encoder.types import (
    EncodedDocument,
    FloatMatrix,
    Progress,
    TextInput,
    WindowKey,
    no_progress,
)

if TYPE_CHECKING:
    from lmk_encoder.encoder import LandmarkEncoder

_TOKEN = re.compile(r"\w+|[^\w\s]")


class KeywordEncoder:
    """A ``DocumentEncoder`` without a model: words are counted in hashed dimensions.

    Its spans are real ones: words and marks are the tokens, cut by the policy of each text. The
    words of a text's context count in the vector of every span.
    ``calls`` counts the calls of the two encode methods, ``encoded_texts`` the texts given.
    """

    def __init__(self, dimension: int = 64, *, name: str = "keywords") -> None:
        self.dimension = dimension
        self.name = name
        self.calls = 0
        self.encoded_texts = 0

    @property
    def fingerprint(self) -> str:
        """Differs with the name and the dimension, so that tests can stage a change of model."""
        return f"{self.name}-{self.dimension}"

    def count_tokens(self, text: str) -> int:
        """Words and marks of ``text``."""
        return len(_TOKEN.findall(text))

    def encode_query(self, queries: Sequence[str]) -> FloatMatrix:
        """(Q, D) float32, unit length. Raises ValueError if a query is blank."""
        if not all(query.strip() for query in queries):
            raise ValueError("a blank query has no meaning to encode")
        self.calls += 1
        return self._vectors(queries)

    def encode_document(
        self,
        texts: Sequence[TextInput],
        *,
        known: Mapping[bytes, FloatMatrix] | None = None,
        progress: Progress | None = None,
    ) -> list[EncodedDocument]:
        """One result per text, in order; ``progress`` is called once for each."""
        self.calls += 1
        self.encoded_texts += len(texts)
        total = sum(self.count_tokens(text.text) for text in texts)
        documents: list[EncodedDocument] = []
        for text in texts:
            documents.append(self._document(text))
            done = sum(document.num_tokens for document in documents)
            (progress or no_progress)("encode", done, total)
        return documents

    def _document(self, text: TextInput) -> EncodedDocument:
        offsets = np.array([found.span() for found in _TOKEN.finditer(text.text)], dtype=np.int64)
        offsets = offsets.reshape(-1, 2)
        spans = landmark_spans(text.text, offsets, text.policy, text.breaks)
        lead = f"{text.context} " if text.context else ""
        vectors = self._vectors([lead + text.text[span.start : span.end] for span in spans])
        return EncodedDocument(
            vector=document_vector(vectors, normalize_landmarks=True),
            landmark_vectors=vectors,
            spans=np.array([(span.start, span.end) for span in spans], dtype=np.int64),
            num_tokens=len(offsets),
            windows=(WindowKey(_digest(text), len(spans)),),
        )

    def _vectors(self, texts: Sequence[str]) -> FloatMatrix:
        counts = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            # Dimension 0 is for texts without words, so that no vector is zero.
            for word in re.findall(r"\w+", text.casefold()):
                counts[row, 1 + crc32(word.encode("utf-8", "replace")) % (self.dimension - 1)] += 1
            counts[row, 0] = not counts[row].any()
        return unit_rows(counts)


def _digest(text: TextInput) -> bytes:
    return blake2b(repr(text).encode("utf-8", "backslashreplace"), digest_size=16).digest()


def tiny_encoder(folder: Path, *, window_tokens: int = 64, seed: int = 0) -> "LandmarkEncoder":
    """Write a checkpoint with random weights into ``folder`` and load it, in float32 on the CPU.

    Two layers of width 32 and a vocabulary of single characters, so that token counts can be
    worked out by hand: a word of n ASCII letters is n tokens.
    """
    from lmk_encoder.encoder import LandmarkEncoder

    write_tiny_checkpoint(folder, window_tokens=window_tokens, seed=seed)
    return LandmarkEncoder(folder, device="cpu", dtype="float32")


def write_tiny_checkpoint(folder: Path, *, window_tokens: int = 64, seed: int = 0) -> None:
    """Write what ``tiny_encoder`` loads: weights, tokenizer, ``config.json``, ``lmk.json``."""
    import json

    import torch
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import AutoModel, JinaEmbeddingsV3Config

    characters = [chr(code) for code in range(33, 127)]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    words = special + characters + [f"##{character}" for character in characters]
    tokenizer = Tokenizer(
        models.WordPiece({word: index for index, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(special)

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "window_tokens": window_tokens,
        "left_context_tokens": window_tokens // 8,
        "granularity": 8,
        "query_tokens": window_tokens // 4,
    }
    (folder / "lmk.json").write_text(json.dumps(settings), encoding="utf-8")
    config = JinaEmbeddingsV3Config(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=512,
        pad_token_id=0,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = AutoModel.from_config(config, add_pooling_layer=False)
    config.save_pretrained(folder)
    save_file(model.state_dict(), folder / "model.safetensors", metadata={"format": "pt"})
