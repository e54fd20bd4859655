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

# Words that are frequent in any English text, and rare or absent in other languages.
_ENGLISH = frozenset("the of and is that with for this was are be not from by which".split())
ENGLISH_SHARE = 0.05  # of all words: English prose has 0.2, English code 0.06, German 0.02
_SAMPLE_CHARS = 400_000
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


def bm25_system(data: RetrievalSet) -> Ranked:
    """BM25 of one set. Its tokens are words, and an index has no vectors."""
    bm25s: Any = need("bm25s")
    stemmer = _stem if is_english(data.documents.values()) else None

    def words(texts: Sequence[str]) -> Any:
        return bm25s.tokenize(
            [spaced_pairs(text) for text in texts],
            stopwords="en" if stemmer else None,
            stemmer=stemmer,
            return_ids=False,
            show_progress=False,
        )

    index = bm25s.BM25()
    with Stopwatch() as watch:
        corpus = words(list(data.documents.values()))
        if not any(corpus):
            corpus = [[""] for _ in corpus]  # bm25s needs a vocabulary
        index.index(corpus, show_progress=False)
    scores = np.stack(
        [
            np.asarray(index.get_scores(query) if query else np.zeros(len(corpus)), np.float32)
            for query in words(list(data.queries.values()))
        ]
    )
    return Ranked(
        run=as_run(list(data.queries), list(data.documents), scores),
        effort=Effort(sum(map(len, corpus)), watch.seconds, watch.cpu_seconds),
        num_vectors=0,
        num_bytes=sum(index.scores[key].nbytes for key in ("data", "indices", "indptr")),
        settings={"model": "bm25s, English" if stemmer else "bm25s, plain words"},
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
