"""The doctor: every invariant of an index, checked on its rows; what can be mended is mended.

Nothing is parsed or encoded. What is broken beyond its rows is taken out, and the next
``lmk index`` reads those files again; an index whose tables cannot be read is made anew.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from indexer.documents import FileRecord
from indexer.errors import IndexDamaged
from indexer.store import schema
from indexer.store.ledger import read_rows
from indexer.store.manifest import Manifest
from indexer.store.session import UNFINISHED_MARK, WriteSession, other_tables
from indexer.store.tables import Tables
from indexer.upkeep.findings import Finding
from indexer.upkeep.invariants import DOCUMENT_COLUMNS, LANDMARK_COLUMNS, broken_rules

_CHUNK_LANDMARKS = 20_000  # read at once, with their vectors: some 50 MB
_HOLDING = ("indexed", "partly read")
REPAIR = "lmk doctor --repair"
INDEXES_READABLE = "indexes can be read"
VECTORS_AGREE = "mapped vectors are those of the tables"


def examine(index_path: Path, manifest: Manifest) -> Iterator[Finding]:
    """Say all that is wrong with the index; nothing if all is well. Changes nothing."""
    try:
        tables = Tables(index_path / manifest.tables)
        wrong = list(_wrong_schemas(tables, manifest.dimension))
        yield from wrong
        if wrong:
            return  # the rows cannot be looked at in columns that are not there
        records = read_rows(tables)
        yield from _wrong_files(records)
        shown = {record.doc_id: record.path for record in records if record.doc_id}
        yield from _wrong_documents(tables, shown)
        yield from _wrong_indexes(tables)
        if spoiled := tables.spoiled_vectors():
            what = f"{len(spoiled):,} files beside the tables hold other vectors."
            yield Finding(VECTORS_AGREE, what, REPAIR)
    except IndexDamaged as error:
        rebuild = f"lmk index --rebuild --index {index_path}"
        yield Finding("tables can be read", error.what, f"Make it anew with: {rebuild}")
    if (index_path / manifest.tables / UNFINISHED_MARK).exists():
        yield Finding("no run is unfinished", "the last writer was interrupted.", REPAIR)
    for name in other_tables(index_path, manifest.tables):
        yield Finding("one folder of tables", f"{name} is a leftover.", REPAIR)


def repair(session: WriteSession, findings: Sequence[Finding]) -> list[Finding]:
    """Mend what ``can_repair``; return the findings, ``repaired``.

    Files whose rows were wrong are forgotten, so that the next run reads them again.
    """
    tables = session.tables
    session.about_to_write()
    ill = {finding.doc_id for finding in findings if finding.doc_id}
    forgotten = {finding.path for finding in findings if finding.path}
    forgotten |= {record.path for record in read_rows(tables) if record.doc_id in ill}
    if any(finding.check == INDEXES_READABLE for finding in findings):
        tables.drop_broken_indexes()
    tables.delete_files(forgotten)
    tables.sweep()
    if any(finding.check == VECTORS_AGREE for finding in findings):
        tables.forget_vectors(tables.spoiled_vectors())
    tables.ensure_indexes()
    session.end(())
    return [replace(finding, repaired=True) for finding in findings]


def can_repair(findings: Sequence[Finding]) -> bool:
    """Whether there is something to mend, and nothing that makes mending row by row vain."""
    return bool(findings) and all(finding.fix == REPAIR for finding in findings)


def _wrong_schemas(tables: Tables, dimension: int) -> Iterator[Finding]:
    expected = {
        "files": (tables.files, schema.FILES),
        "documents": (tables.documents, schema.documents(dimension)),
        "landmarks": (tables.landmarks, schema.landmarks(dimension)),
    }
    for name, (table, wanted) in expected.items():
        if table.schema != wanted:
            lacking = sorted(set(wanted.names) - set(table.schema.names))
            what = f"the table {name} has not the columns it should have ({', '.join(lacking)})."
            yield Finding("tables have their columns", what, "Make it anew: lmk index --rebuild")


def _wrong_files(records: Sequence[FileRecord]) -> Iterator[Finding]:
    counts = Counter(record.path for record in records)
    for record in records:
        if counts.pop(record.path, 1) > 1:
            what = f"{record.path} has several rows."
            yield Finding("a path has one row", what, REPAIR, path=record.path)
        if (record.state in _HOLDING) != (record.doc_id is not None):
            what = f"{record.path} is {record.state!r}, and its document is {record.doc_id}."
            yield Finding("a state tells of a document", what, REPAIR, path=record.path)


def _wrong_documents(tables: Tables, shown: dict[str, str]) -> Iterator[Finding]:
    """``shown`` is a path of every document that must be there."""
    sizes = tables.read(tables.documents, ["doc_id", "n_landmarks"])
    stored = Counter(sizes["doc_id"].to_pylist())
    for doc_id, path in shown.items():
        if stored[doc_id] != 1:
            what = f"the document of {path} is stored {stored[doc_id]} times."
            yield Finding("a shown document is stored once", what, REPAIR, doc_id=doc_id)
    ids = sizes["doc_id"].to_pylist()
    counts = dict(zip(ids, sizes["n_landmarks"].to_pylist(), strict=True))
    chunk: list[str] = []
    for doc_id in sorted(d for d in shown if stored[d] == 1):
        if chunk and sum(counts[d] for d in (*chunk, doc_id)) > _CHUNK_LANDMARKS:
            yield from _broken(tables, chunk, shown)
            chunk = []
        chunk.append(doc_id)
    yield from _broken(tables, chunk, shown)
    in_landmarks = tables.read(tables.landmarks, ["doc_id"])["doc_id"].unique().to_pylist()
    if leftovers := {*stored, *in_landmarks} - shown.keys():
        what = f"{len(leftovers):,} documents that no file holds are left over."
        yield Finding("no leftovers", what, REPAIR)


def _broken(tables: Tables, doc_ids: Sequence[str], shown: dict[str, str]) -> Iterator[Finding]:
    rows = tables.read_in(tables.documents, DOCUMENT_COLUMNS, "doc_id", doc_ids).to_pylist()
    columns = ["doc_id", *LANDMARK_COLUMNS]
    landmarks = tables.read_in(tables.landmarks, columns, "doc_id", doc_ids).sort_by("doc_id")
    ids = landmarks["doc_id"].to_pylist()
    begins = {doc_id: i for i, doc_id in reversed(list(enumerate(ids)))}
    counts = Counter(ids)
    for row in sorted(rows, key=lambda row: str(row["doc_id"])):
        doc_id = row["doc_id"]
        own = landmarks.slice(begins.get(doc_id, 0), counts[doc_id])
        for what in broken_rules(row, own):
            told = f"{shown[doc_id]}: {what}."
            yield Finding("a document is whole", told, REPAIR, doc_id=doc_id)


def _wrong_indexes(tables: Tables) -> Iterator[Finding]:
    if not tables.has_full_text():
        yield Finding("full text is there", "a full-text index is missing.", REPAIR)
    elif rows := tables.unindexed_rows():
        what = f"{rows:,} rows are not folded into full text yet."
        yield Finding("full text is complete", what, REPAIR)
    for table, name in tables.broken_indexes():
        what = f"the index {name} of the table {table.name} cannot be read."
        yield Finding(INDEXES_READABLE, what, REPAIR)
