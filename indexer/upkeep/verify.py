"""Verify: documents derived anew from their files, and compared with the rows that are stored.

It answers what the doctor cannot: whether the rows, well-formed as they are, are the right ones.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from indexer.config import Settings
from indexer.documents import Document, FileRecord
from indexer.ingest.feed import named_by_itself, parse_options
from indexer.ingest.pieces import Whole, piece_rows, pieces_of
from indexer.ingest.projects import Projects
from indexer.ingest.rows import document_rows
from indexer.parsing import ParserPool
from indexer.policy import text_input
from indexer.sources.files import content_hash
from indexer.sources.unpacking import Unpacker
from indexer.store.ledger import read_ledger
from indexer.store.tables import Tables
from indexer.upkeep.findings import Finding
from lmk_encoder.types import DocumentEncoder

# Cosine of a stored vector with the one encoded now: batches and float16 change the last digits.
LEAST_COSINE = 0.999
REREAD = "Take it out with lmk remove, then run lmk index again."


@dataclass(frozen=True, slots=True)
class Verification:
    """What verifying found. ``compared`` counts documents; ``changed`` those that could not be
    compared, since none of their files is as it was indexed: `lmk index` is due."""

    findings: list[Finding]
    compared: int
    changed: int


def verify(
    tables: Tables, encoder: DocumentEncoder, settings: Settings, *, sample: int | None
) -> Verification:
    """Derive ``sample`` documents chosen by chance, or all for None, anew and compare them."""
    holders: dict[str, list[FileRecord]] = {}
    ledger = read_ledger(tables)
    projects = Projects.of(ledger.values())
    for record in ledger.values():
        if record.doc_id is not None:
            holders.setdefault(record.doc_id, []).append(record)
    chosen = sorted(holders)
    if sample is not None and sample < len(chosen):
        chosen = sorted(random.sample(chosen, sample))
    findings: list[Finding] = []
    compared = 0
    waiting: dict[Path, FileRecord] = {}

    def as_indexed(unpacker: Unpacker) -> Iterator[Path]:
        # In the order of paths: the members of an archive one after the other.
        for doc_id in sorted(chosen, key=lambda doc_id: holders[doc_id][0].path):
            for record in holders[doc_id]:
                path = _as_indexed(record, unpacker) if projects.is_of_now(record) else None
                if path is not None:
                    waiting[path] = record
                    yield path
                    break

    pool = ParserPool(
        workers=max(1, min(settings.parse_workers, len(chosen))),
        timeout_s=settings.parse_timeout_s,
        memory_bytes=settings.parse_memory_mb << 20,
        options=parse_options(settings),
    )
    with Unpacker() as unpacker, pool:
        for path, result in pool.map(as_indexed(unpacker)):
            record = waiting.pop(path)
            unpacker.forget(path)
            compared += 1
            if isinstance(result, Document):
                document = replace(result, context=projects.context(record.path))
                document = named_by_itself(document, record.path)
                findings += _compare(tables, encoder, settings, record, document)
            else:
                findings.append(_finding(record, f"it cannot be read any more: {result}"))
    return Verification(findings, compared, len(chosen) - compared)


def _as_indexed(record: FileRecord, unpacker: Unpacker) -> Path | None:
    """Where the bytes that were indexed can be read; None if they have changed or gone."""
    try:
        path = unpacker.path_of(record.raw_path)
        if content_hash(path) == record.content_hash:
            return path
    except OSError:
        return None
    unpacker.forget(path)
    return None


def _compare(
    tables: Tables,
    encoder: DocumentEncoder,
    settings: Settings,
    record: FileRecord,
    document: Document,
) -> Iterator[Finding]:
    doc_id = str(record.doc_id)
    rows, landmarks = (
        tables.read_in(table, table.schema.names, "doc_id", [doc_id])
        for table in (tables.documents, tables.landmarks)
    )
    document = _under_its_old_name(document, rows)
    whole, parts = Whole(encoder.dimension), []
    for piece in pieces_of(document):
        (encoded,) = encoder.encode_document([text_input(piece.document, settings)])
        parts.append(piece_rows(doc_id, piece, encoded, whole.num_landmarks, encoder.dimension))
        whole.add(piece, encoded)
    if len(parts) == 1:
        fresh = document_rows([(doc_id, document, encoded)], encoder.dimension)
    else:
        fresh = document_rows([(doc_id, document, whole.encoded())], encoder.dimension)
    for what in _differences(rows, fresh):
        yield _finding(record, what)
    for what in _differences(landmarks.sort_by("ordinal"), pa.concat_tables(parts)):
        yield _finding(record, f"its landmarks: {what}")


def _differences(stored: pa.Table, fresh: pa.Table) -> Iterator[str]:
    if stored.num_rows != fresh.num_rows:
        yield f"{stored.num_rows} rows are stored, {fresh.num_rows} are right"
        return
    for name in fresh.schema.names:
        if name != "vector":
            if stored[name].to_pylist() != fresh[name].to_pylist():
                yield f"{name} is not what its file gives"
            continue
        old, new = (_unit_rows(table[name]) for table in (stored, fresh))
        least = float((old * new).sum(axis=1).min())
        if not least >= LEAST_COSINE:  # false for nan, too
            yield f"a vector is not what its file gives (cosine {least:.4f})"


def _unit_rows(column: pa.ChunkedArray) -> np.ndarray:
    array = column.combine_chunks()
    rows = array.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
    rows = rows.reshape(len(array), -1)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def _under_its_old_name(document: Document, stored: pa.Table) -> Document:
    """The document with the file's name it was indexed under: a moved file keeps its terms."""
    for text in stored["metadata"].to_pylist():
        old = json.loads(text).get("file_name")
        if old and "file_name" in document.metadata:
            return replace(document, metadata={**document.metadata, "file_name": old})
    return document


def _finding(record: FileRecord, what: str) -> Finding:
    path = Path(record.path).name
    return Finding(
        "rows are what files give", f"{path}: {what}.", REREAD, record.doc_id, record.path
    )
