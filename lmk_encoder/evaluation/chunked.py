"""The base model as it is usually used on long documents: cut, or in chunks, mean pooling.

``first512``: one vector of the first 512 ids. ``chunks``: every 254 tokens alone, the best chunk
counts. ``chunks_mean``: the mean of those vectors. ``late_chunking``: as many whole chunks as fit
the model go through together, then each is averaged by itself (arXiv:2409.04701).
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from lmk_encoder.evaluation.base_model import BaseModel, PooledWindow, whole
from lmk_encoder.evaluation.datasets import RetrievalSet
from lmk_encoder.evaluation.grouping import grouped
from lmk_encoder.evaluation.ranked import Effort, Ranked, Vectors, rank
from lmk_encoder.evaluation.stopwatch import Stopwatch
from lmk_encoder.layout import TokenIds
from lmk_encoder.types import FloatMatrix, IntMatrix, Progress

CHUNK_TOKENS = 254  # with start and end token 256, for which the base model was trained
Cut = Callable[[TokenIds], list[PooledWindow]]


def chunk_borders(num_tokens: int) -> list[tuple[int, int]]:
    """Token ranges of the chunks of a text; an empty text is one empty chunk."""
    starts = [*range(0, num_tokens, CHUNK_TOKENS), num_tokens]
    return list(pairwise(starts)) if num_tokens else [(0, 0)]


def late_windows(ids: TokenIds, max_content: int) -> list[PooledWindow]:
    """Windows of as many whole chunks as fit; each chunk is averaged over its content."""
    chunks = chunk_borders(len(ids))
    together = max(1, max_content // CHUNK_TOKENS)
    windows = []
    for first in range(0, len(chunks), together):
        part = chunks[first : first + together]
        start, stop = part[0][0], part[-1][1]
        ranges = [(a - start + 1, b - start + 1) for a, b in part if a < b]
        windows.append(PooledWindow(ids[start:stop], ranges or [(0, 2)]))
    return windows


def base_systems(model: BaseModel, data: RetrievalSet, progress: Progress) -> dict[str, Ranked]:
    """``first512``, ``chunks``, ``chunks_mean`` and ``late_chunking`` of one set."""
    queries = model.encode_query(list(data.queries.values()))
    settings: dict[str, str | int] = {"model": model.name, "dtype": model.dtype}

    def encoded(stage: str, cut: Cut) -> tuple[Vectors, Effort]:
        with Stopwatch() as watch:
            vectors, tokens = _encode(model, data, cut, progress, stage)
        return vectors, Effort(tokens, watch.seconds, watch.cpu_seconds)

    def ranked(vectors: Vectors, effort: Effort, *, localise: bool = False) -> Ranked:
        return rank(data, queries, vectors, effort, localise=localise, settings=settings)

    first = encoded("first512", lambda ids: [whole(ids[: model.max_content])])
    chunks = encoded("chunks", lambda ids: [whole(ids[a:b]) for a, b in chunk_borders(len(ids))])
    late = encoded("late_chunking", lambda ids: late_windows(ids, model.max_content))
    return {
        "first512": ranked(*first),
        "chunks": ranked(*chunks, localise=True),
        "chunks_mean": ranked(chunks[0].means(), chunks[1]),
        "late_chunking": ranked(*late, localise=True),
    }


def _encode(
    model: BaseModel,
    data: RetrievalSet,
    cut: Cut,
    progress: Progress,
    stage: str,
) -> tuple[Vectors, int]:
    """Vectors of every document, cut into windows by ``cut``; and the tokens that went in."""
    parts: list[tuple[FloatMatrix, IntMatrix]] = []
    tokens = 0
    for texts, report in grouped(list(data.documents.values()), progress, stage):
        tokenized = [model.tokenize(text) for text in texts]
        windows = [cut(ids) for ids, _ in tokenized]
        tokens += sum(len(window.ids) for plan in windows for window in plan)
        vectors = iter(model.means([window for plan in windows for window in plan], report))
        for plan, (_, offsets) in zip(windows, tokenized, strict=True):
            own = np.concatenate([next(vectors) for _ in plan])
            parts.append((own, _spans(offsets, len(own))))
    return Vectors.stack(list(data.documents), parts), tokens


def _spans(offsets: IntMatrix, count: int) -> IntMatrix:
    """Character ranges of the first ``count`` chunks of a text."""
    borders = chunk_borders(len(offsets))[:count]
    spans = [(offsets[a, 0], offsets[b - 1, 1]) if a < b else (0, 0) for a, b in borders]
    return np.array(spans, dtype=np.int64)
