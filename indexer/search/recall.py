"""How much of what an exact comparison finds the engine of an index finds: measured on itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from indexer.engines.base import ExactEngine, VectorEngine
from indexer.search.snapshot import Snapshot
from indexer.store.tables import Tables
from lmk_encoder.types import DocumentEncoder

QUERIES = 50
QUERY_WORDS = 12  # of a passage: about as long as a question
SEED = 0


@dataclass(frozen=True, slots=True)
class Recall:
    """``found``: the mean share of the ``k`` nearest landmarks that ``engine`` finds."""

    engine: str
    k: int
    queries: int
    found: float


def measure_recall(
    tables: Tables, snapshot: Snapshot, engine: VectorEngine, encoder: DocumentEncoder, *, k: int
) -> Recall:
    """Ask the engine, and compare every landmark, for the first words of passages drawn once."""
    texts = _drawn_texts(tables, snapshot)
    if not texts:
        return Recall(engine.name, k, 0, 1.0)
    exact = ExactEngine(snapshot.landmark_vectors)
    shares = []
    for vector in encoder.encode_query(texts):
        nearest = set(exact.search(vector, k).rows.tolist())
        shares.append(len(nearest.intersection(engine.search(vector, k).rows)) / len(nearest))
    return Recall(engine.name, k, len(texts), float(np.mean(shares)))


def _drawn_texts(tables: Tables, snapshot: Snapshot) -> list[str]:
    number = len(snapshot.documents)
    drawn = np.random.default_rng(SEED).permutation(number)[:QUERIES]
    wanted = [snapshot.documents[i].doc_id for i in drawn]
    rows: list[dict[str, Any]] = tables.read_in(
        tables.landmarks, ["doc_id", "ordinal", "text"], "doc_id", wanted
    ).to_pylist()
    by_document: dict[str, list[tuple[int, str]]] = {}
    for row in rows:
        by_document.setdefault(row["doc_id"], []).append((row["ordinal"], row["text"]))
    middles = (sorted(own)[len(own) // 2][1] for _, own in sorted(by_document.items()))
    texts = (" ".join(text.split()[:QUERY_WORDS]) for text in middles)
    return [text for text in texts if text]
