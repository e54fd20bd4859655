"""Tables with vectors that are known, and every engine over them."""

import importlib.util
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from indexer.engines.base import ExactEngine, VectorEngine
from indexer.engines.vectors import VectorRows
from indexer.store import schema
from indexer.store.tables import Tables
from indexer.store.vector_index import train_index

DIMENSION = 128
ENGINES = ["exact", "lance", "lance-indexed", "faiss", "faiss-lists"]


def made_up(count: int, *, seed: int = 0) -> np.ndarray:
    """(count, D) unit vectors around a few dozen centres, as vectors of text are."""
    drawn = np.random.default_rng(seed)
    centres = drawn.normal(size=(40, DIMENSION))
    vectors = centres[drawn.integers(40, size=count)] + 0.9 * drawn.normal(size=(count, DIMENSION))
    vectors = vectors.astype(np.float16).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def landmark_table(vectors: np.ndarray, *, first: int = 0) -> pa.Table:
    """Rows of ``landmarks``: every vector is a document of its own."""
    count = len(vectors)
    numbers = [f"{first + i:06d}" for i in range(count)]
    zeros = np.zeros(count, dtype=np.int64)
    flat = pa.array(vectors.astype(np.float16).reshape(-1))
    columns = {
        "doc_id": numbers,
        "ordinal": zeros.astype(np.int32),
        "start": zeros,
        "end": zeros + 1,
        "unit_first": zeros.astype(np.int32) + 1,
        "unit_last": zeros.astype(np.int32) + 1,
        "text": ["x"] * count,
        "search_text": ["x"] * count,
        "vector": pa.FixedSizeListArray.from_arrays(flat, DIMENSION),
    }
    return pa.table(columns).cast(schema.landmarks(DIMENSION))


def read_rows(tables: Tables) -> tuple[VectorRows, np.ndarray, list[str]]:
    """Vectors, row numbers and documents of ``landmarks``, in the order of the table."""
    columns = tables.landmarks.schema
    wanted = pa.schema([columns.field("doc_id"), columns.field("vector"), ("_rowid", pa.uint64())])
    read = pa.Table.from_batches(tables.stream(tables.landmarks, ["doc_id", "vector"]), wanted)
    vectors = read["vector"].combine_chunks().flatten().to_numpy().reshape(-1, DIMENSION)
    return VectorRows.of(vectors), read["_rowid"].to_numpy(), read["doc_id"].to_pylist()


def engine_over(name: str, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> VectorEngine:
    """The engine ``name`` of ENGINES, over all landmarks; small tables are scanned by none."""
    from indexer.engines import base, faiss, lance

    monkeypatch.setattr(base, "SCAN_ROWS", 0)
    rows, row_ids, _ = read_rows(tables)
    if name == "exact":
        return ExactEngine(rows)
    if name.startswith("lance"):
        if name == "lance-indexed" and len(rows):
            train_index(tables.landmarks, at_least=1)
        return lance.lance_engine(tables, rows, lance.RowPlaces(row_ids))
    if importlib.util.find_spec("faiss") is None:
        pytest.skip("extra faiss")
    if name == "faiss-lists":
        monkeypatch.setattr(faiss, "FLAT_ROWS", 255)
    return faiss.faiss_engine(rows, tables.folder, "none kept")


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    """Empty tables."""
    return Tables.create(tmp_path / "tables-1", DIMENSION)
