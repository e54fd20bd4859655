"""Take paths out of an index by name."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from indexer.sources.files import is_under, path_key
from indexer.store.ledger import read_ledger
from indexer.store.session import WriteSession


def remove_paths(session: WriteSession, paths: Sequence[Path]) -> int:
    """Remove every ledger row at or below ``paths``; return how many.

    The rows of ``files`` go first: from then on the documents are found by nobody. A document
    that another path holds stays.
    """
    session.begin()
    keys = [path_key(path) for path in paths]
    ledger = read_ledger(session.tables)
    gone = {path for path in ledger if any(is_under(path, key) for key in keys)}
    kept = {record.doc_id for path, record in ledger.items() if path not in gone}
    roots = tuple(
        root
        for root in session.manifest.roots
        if not any(is_under(path_key(Path(root)), key) for key in keys)
    )
    if gone or roots != session.manifest.roots:
        session.about_to_write()
        session.tables.delete_files(gone)
        session.manifest = replace(session.manifest, roots=roots)
        session.published()
    session.end({doc_id for path in gone if (doc_id := ledger[path].doc_id)} - kept)
    return len(gone)
