"""Rows of ``files`` as values: the ledger of what became of every path."""

from indexer.documents import FileRecord
from indexer.store import schema
from indexer.store.tables import Tables


def read_ledger(tables: Tables) -> dict[str, FileRecord]:
    """Every path of the index with its state, by path."""
    rows = tables.read(tables.files, schema.FILES.names).to_pylist()
    return {row["path"]: FileRecord(**row) for row in sorted(rows, key=lambda row: row["path"])}
