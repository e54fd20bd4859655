"""Rows of ``files`` as values: the ledger of what became of every path."""

from indexer.documents import FileRecord
from indexer.store import schema
from indexer.store.tables import Tables


def read_ledger(tables: Tables) -> dict[str, FileRecord]:
    """Every path of the index with its state, by path."""
    return {record.path: record for record in read_rows(tables)}


def read_rows(tables: Tables) -> list[FileRecord]:
    """Every row of ``files``, by path."""
    rows = tables.read(tables.files, schema.FILES.names).to_pylist()
    return [FileRecord(**row) for row in sorted(rows, key=lambda row: str(row["path"]))]
