"""What a system makes of a set: a run, its cost, and the places it points to (pure)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lmk_encoder.evaluation.datasets import Evidence, RetrievalSet
from lmk_encoder.evaluation.metrics import RUN_DEPTH, Run
from lmk_encoder.pooling import unit_rows
from lmk_encoder.types import FloatMatrix, FloatVector, IntMatrix

STORED_BYTES = 2  # of a number in an index, which keeps vectors in float16
PLACES = 3  # spans of the right document that localisation looks at
_BLOCK_BYTES = 2**28


class Effort(NamedTuple):
    """What turning all documents of a set into an index took."""

    tokens: int
    seconds: float
    cpu_seconds: float  # of all threads: holds on a shared machine, wall time does not


class Places(NamedTuple):
    """Spans of the right document for one query, best first, and all that were to choose from."""

    best: IntMatrix  # (up to PLACES, 2) character ranges
    every: IntMatrix  # (L, 2)


@dataclass(frozen=True, slots=True)
class Ranked:
    """One system on one set. ``settings`` are facts to keep with its figures."""

    run: Run
    effort: Effort
    num_vectors: int
    num_bytes: int  # of the index: vectors as they are stored, or the table of terms
    places: dict[str, Places] = field(default_factory=dict)
    settings: dict[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors of all documents in one matrix (V, D), document after document, none without.

    ``counts`` are the vectors of each document, ``spans`` (V, 2) their character ranges.
    """

    doc_ids: Sequence[str]
    counts: Sequence[int]
    matrix: FloatMatrix
    spans: IntMatrix

    @classmethod
    def stack(
        cls, doc_ids: Sequence[str], parts: Sequence[tuple[FloatMatrix, IntMatrix]]
    ) -> "Vectors":
        """From the vectors and spans of each document, in the order of ``doc_ids``."""
        return cls(
            doc_ids,
            [len(vectors) for vectors, _ in parts],
            np.concatenate([vectors for vectors, _ in parts]),
            np.concatenate([spans for _, spans in parts]),
        )

    @property
    def starts(self) -> IntMatrix:
        """(N,) the row of each document's first vector."""
        return np.append(0, np.cumsum(self.counts)[:-1]).astype(np.int64)

    def means(self) -> "Vectors":
        """One vector a document: the mean of its own, scaled to unit length."""
        ends = self.starts + np.array(self.counts) - 1
        spans = np.stack([self.spans[self.starts, 0], self.spans[ends, 1]], axis=1)
        sums: FloatMatrix = np.add.reduceat(self.matrix, self.starts, axis=0)
        return Vectors(self.doc_ids, [1] * len(self.counts), unit_rows(sums), spans)

    def best_scores(self, queries: FloatMatrix) -> FloatMatrix:
        """(Q, N) scores: the largest dot product with a vector of each document."""
        rows = max(1, _BLOCK_BYTES // (4 * len(self.matrix)))
        blocks = [
            np.maximum.reduceat(queries[i : i + rows] @ self.matrix.T, self.starts, axis=1)
            for i in range(0, len(queries), rows)
        ]
        return np.concatenate(blocks)

    def places(
        self, queries: Mapping[str, FloatVector], evidence: Mapping[str, Evidence]
    ) -> dict[str, Places]:
        """Where each query that has evidence is led in the document that holds it."""
        firsts = zip(self.doc_ids, self.starts.tolist(), self.counts, strict=True)
        own = {doc: slice(first, first + count) for doc, first, count in firsts}
        found = {}
        for query, right in evidence.items():
            rows = own[right.doc_id]
            order = np.argsort(-(self.matrix[rows] @ queries[query]), kind="stable")
            found[query] = Places(self.spans[rows][order[:PLACES]], self.spans[rows])
        return found


def rank(
    data: RetrievalSet,
    queries: FloatMatrix,
    vectors: Vectors,
    effort: Effort,
    *,
    localise: bool = False,
    settings: Mapping[str, str | int],
) -> Ranked:
    """Exact search: every document by its best vector, for all queries of a set.

    Args:
        queries: (Q, D) in the order of ``data.queries``.
        vectors: of all documents of ``data``.
        effort: what making them took.
        localise: whether the vectors stand for places, to be compared with the evidence.
        settings: kept with the figures.
    """
    named = dict(zip(data.queries, queries, strict=True))
    return Ranked(
        run=as_run(list(data.queries), vectors.doc_ids, vectors.best_scores(queries)),
        effort=effort,
        num_vectors=len(vectors.matrix),
        num_bytes=vectors.matrix.size * STORED_BYTES,
        places=vectors.places(named, data.evidence) if localise else {},
        settings=dict(settings),
    )


def as_run(query_ids: Sequence[str], doc_ids: Sequence[str], scores: FloatMatrix) -> Run:
    """Scores (Q, N) -> the best ``RUN_DEPTH`` documents of every query."""
    depth = min(RUN_DEPTH, len(doc_ids))
    run: Run = {}
    for query, row in zip(query_ids, scores, strict=True):
        best = np.argpartition(-row, depth - 1)[:depth].tolist()
        run[query] = {doc_ids[i]: float(row[i]) for i in best}
    return run
