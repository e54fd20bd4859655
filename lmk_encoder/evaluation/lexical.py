"""BM25 over whole documents: the baseline that needs no model. The only file that knows bm25s.

bm25s with its defaults. English text is stripped of stop words and stemmed (Snowball), other
text is not; Chinese and Japanese characters, which no space divides, go in as pairs.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lmk_encoder.evaluation.datasets import RetrievalSet
from lmk_encoder.evaluation.extras import need
from lmk_encoder.evaluation.ranked import Effort, Ranked, as_run
from lmk_encoder.evaluation.stopwatch import Stopwatch
from lmk_encoder.types import FloatMatrix

# Words that are frequent in any English text, and rare or absent in other languages.
_ENGLISH = frozenset("the of and is that with for this was are be not from by which".split())
ENGLISH_SHARE = 0.05  # of all words: English prose has 0.2, English code 0.06, German 0.02
_SAMPLE_CHARS = 400_000
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


class Bm25:
    """An index over texts; ``num_tokens`` words are in it."""

    def __init__(self, texts: Sequence[str]) -> None:
        bm25s: Any = need("bm25s")
        self.is_english = is_english(texts)
        corpus = self._words(texts)
        self.num_tokens = sum(map(len, corpus))
        if not any(corpus):
            corpus = [[""] for _ in corpus]  # bm25s needs a vocabulary
        self._num_texts = len(corpus)
        self._index = bm25s.BM25()
        self._index.index(corpus, show_progress=False)

    @property
    def num_bytes(self) -> int:
        """Memory of the index."""
        return sum(self._index.scores[key].nbytes for key in ("data", "indices", "indptr"))

    def scores(self, queries: Sequence[str]) -> FloatMatrix:
        """(Q, N) scores of all texts."""
        none = np.zeros(self._num_texts)
        found = [self._index.get_scores(words) if words else none for words in self._words(queries)]
        return np.stack([np.asarray(row, np.float32) for row in found])

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        bm25s: Any = need("bm25s")
        words: list[list[str]] = bm25s.tokenize(
            [spaced_pairs(text) for text in texts],
            stopwords="en" if self.is_english else None,
            stemmer=_stem if self.is_english else None,
            return_ids=False,
            show_progress=False,
        )
        return words


def bm25_system(data: RetrievalSet) -> Ranked:
    """BM25 of one set. Its tokens are words, and an index has no vectors."""
    with Stopwatch() as watch:
        index = Bm25(list(data.documents.values()))
    scores = index.scores(list(data.queries.values()))
    return Ranked(
        run=as_run(list(data.queries), list(data.documents), scores),
        effort=Effort(index.num_tokens, watch.seconds, watch.cpu_seconds),
        num_vectors=0,
        num_bytes=index.num_bytes,
        settings={"model": "bm25s, English" if index.is_english else "bm25s, plain words"},
    )


def is_english(texts: Iterable[str]) -> bool:
    """Whether English function words are as frequent as they are in English."""
    words: list[str] = []
    size = 0
    for text in texts:
        words += _WORD.findall(text.casefold())
        size += len(text)
        if size > _SAMPLE_CHARS:
            break
    return sum(word in _ENGLISH for word in words) >= ENGLISH_SHARE * max(len(words), 1)


def spaced_pairs(text: str) -> str:
    """Runs of unspaced script become pairs of neighbours: ``日本語`` -> ``日本 本語``."""
    return _UNSPACED.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", text)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]


def _stem(words: list[str]) -> list[str]:
    stemmer: Any = need("snowballstemmer").stemmer("english")
    stems: list[str] = stemmer.stemWords(words)
    return stems
