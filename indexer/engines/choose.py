"""Which engine answers: the one that was asked for, or what fits the number of vectors."""

from indexer.config import EngineName
from indexer.engines.base import ExactEngine, VectorEngine
from indexer.engines.lance import RowPlaces, lance_engine
from indexer.engines.vectors import Vectors
from indexer.store.tables import VECTOR_INDEX_ROWS, Tables


def open_engine(
    name: EngineName,
    tables: Tables,
    rows: Vectors,
    places: RowPlaces,
    key: str,
) -> VectorEngine:
    """An engine over the landmarks of one snapshot.

    Args:
        name: the engine; "auto" is exact up to VECTOR_INDEX_ROWS rows, then LanceDB's index.
        tables: at the version that the rows were read from.
        rows: the vectors.
        places: finds the table's numbers of them.
        key: names what the rows hold.

    Raises:
        ConfigError: FAISS, or a GPU for it, is asked for and not there.
    """
    if name == "auto":
        has_index = len(rows) >= VECTOR_INDEX_ROWS and tables.has_vector_index(tables.landmarks)
        name = "lance" if has_index else "exact"
    if name == "lance":
        return lance_engine(tables, rows, places)
    if name == "exact":
        return ExactEngine(rows)
    from indexer.engines.faiss import faiss_engine

    return faiss_engine(rows, tables.folder, key, gpu=name == "faiss-gpu")
