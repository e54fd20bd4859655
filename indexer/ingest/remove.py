"""Take paths out of an index by name."""

from collections.abc import Sequence
from pathlib import Path

from indexer.sources.files import is_under, path_key
from indexer.store.ledger import read_ledger
from indexer.store.manifest import read_manifest, write_manifest
from indexer.store.tables import Tables


def remove_paths(tables: Tables, paths: Sequence[Path]) -> int:
    """Remove every ledger row at or below ``paths``; return how many. The lock is held.

    The rows of ``files`` go first: from then on the documents are found by nobody. A document
    that another path holds stays.
    """
    keys = [path_key(path) for path in paths]
    ledger = read_ledger(tables)
    gone = [path for path in ledger if any(is_under(path, key) for key in keys)]
    if not gone:
        return 0
    tables.delete_files(gone)
    manifest = read_manifest(tables.index_path)
    write_manifest(tables.index_path, manifest.next())
    kept = {record.doc_id for path, record in ledger.items() if path not in set(gone)}
    tables.delete_documents(
        {doc_id for path in gone if (doc_id := ledger[path].doc_id) and doc_id not in kept}
    )
    tables.optimize()
    write_manifest(tables.index_path, manifest.next().next())
    return len(gone)
