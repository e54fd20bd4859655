"""The work of a search done by the libraries alone: encode, nearest vectors, full text."""

from collections.abc import Callable
from typing import Any

import numpy as np
from lancedb.query import MatchQuery

from indexer.analysis import query_terms
from indexer.engines import faiss as engines
from indexer.search.meaning import NEAREST
from indexer.search.signals import TEXT_DOCUMENTS, TEXT_LANDMARKS
from indexer.search.snapshot import Snapshot
from indexer.store.tables import Tables
from indexer.store.vector_index import LEAST_PROBED, PROBED_SHARE, find_index
from lmk_encoder.types import DocumentEncoder, FloatVector


def raw_search(
    engine: str, encoder: DocumentEncoder, tables: Tables, snapshot: Snapshot
) -> Callable[[str], object]:
    """A function that asks the libraries what a search with ``engine`` asks of them."""
    nearest = {"exact": _numpy, "lance": _lance}.get(engine, _faiss)(tables, snapshot)

    def search(question: str) -> object:
        (vector,) = encoder.encode_query([question])
        terms = MatchQuery(" ".join(query_terms(question)), "search_text")
        found: list[Any] = [nearest(vector)]
        for table, limit in (
            (tables.landmarks, TEXT_LANDMARKS),
            (tables.documents, TEXT_DOCUMENTS),
        ):
            query = table.search(terms, query_type="fts").select(["doc_id", "_score"])
            found.append(query.limit(limit).to_arrow())
        return found

    return search


def _numpy(tables: Tables, snapshot: Snapshot) -> Callable[[FloatVector], object]:
    vectors = snapshot.landmark_vectors[:]
    k = min(NEAREST, len(vectors) - 1)
    return lambda query: np.argpartition(-(vectors @ query), k)[:k]


def _lance(tables: Tables, snapshot: Snapshot) -> Callable[[FloatVector], object]:
    index = find_index(tables.landmarks)
    assert index is not None
    probes = max(LEAST_PROBED, round(index.lists * PROBED_SHARE))

    def search(query: FloatVector) -> object:
        asked = tables.landmarks.search(query, vector_column_name="vector")
        asked = asked.distance_type("cosine").nprobes(probes).limit(NEAREST)
        return asked.select(["doc_id", "_distance"]).to_arrow()

    return search


def _faiss(tables: Tables, snapshot: Snapshot) -> Callable[[FloatVector], object]:
    index = engines.build_faiss(engines.import_faiss(), snapshot.landmark_vectors)
    return lambda query: index.search(query[None], NEAREST)
