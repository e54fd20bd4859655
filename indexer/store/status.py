"""What an index holds, counted from its rows."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from indexer.store.ledger import read_ledger
from indexer.store.manifest import Manifest
from indexer.store.session import UNFINISHED_MARK, other_tables
from indexer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of an index. ``files`` are paths by state, ``kinds`` documents by kind.

    ``size_bytes`` is all that lies in its folder, ``search_bytes`` what is kept for searching:
    the vectors of its documents and landmarks, and the full-text indexes. ``coverage`` counts
    units (pages, lines ...) over all documents: all, with text, really blank, failed.
    ``unfinished`` names what was interrupted: "run", "rebuild".
    """

    path: Path
    model: str
    fingerprint: str
    documents: int
    landmarks: int
    tokens: int
    units: dict[str, int]
    files: dict[str, int]
    kinds: dict[str, int]
    size_bytes: int
    search_bytes: int
    unindexed_rows: int
    generation: int
    coverage: dict[str, int]
    bytes_per_token: float
    unfinished: tuple[str, ...]


def read_status(index_path: Path, manifest: Manifest, tables: Tables) -> Status:
    """Count what is visible: documents that a row of ``files`` points to."""
    files = list(read_ledger(tables).values())
    shown = {record.doc_id for record in files if record.doc_id}
    columns = ["doc_id", "kind", "n_tokens", "n_landmarks", "unit", "n_units", "coverage"]
    rows = tables.read(tables.documents, columns).to_pylist()
    rows = [row for row in rows if row["doc_id"] in shown]
    units: Counter[str] = Counter()
    coverage = Counter({"units": 0, "with_text": 0, "blank": 0, "failed": 0})
    for row in rows:
        units[row["unit"]] += row["n_units"]
        read = json.loads(row["coverage"])
        coverage.update({name: read[name] for name in ("units", "with_text", "blank")})
        coverage["failed"] += len(read["failed"])
    tokens = sum(row["n_tokens"] for row in rows)
    size = sum(_size(file) for file in index_path.rglob("*"))
    landmarks = sum(row["n_landmarks"] for row in rows)
    vectors = manifest.dimension * (landmarks * 2 + len(rows) * 4)  # float16, float32
    text = (index_path / manifest.tables).glob("*.lance/_indices/**/*")
    return Status(
        path=index_path,
        model=manifest.model,
        fingerprint=manifest.fingerprint,
        documents=len(rows),
        landmarks=landmarks,
        tokens=tokens,
        units=dict(units),
        files=dict(Counter(record.state for record in files)),
        kinds=dict(Counter(row["kind"] for row in rows)),
        size_bytes=size,
        search_bytes=vectors + sum(map(_size, text)),
        unindexed_rows=tables.unindexed_rows(),
        generation=manifest.generation,
        coverage=dict(coverage),
        bytes_per_token=round(size / tokens, 2) if tokens else 0.0,
        unfinished=_unfinished(index_path, manifest),
    )


def _unfinished(index_path: Path, manifest: Manifest) -> tuple[str, ...]:
    """A run that goes on right now is unfinished, too."""
    run = (index_path / manifest.tables / UNFINISHED_MARK).exists()
    others = other_tables(index_path, manifest.tables, unfinished=True)
    return ("run",) * run + ("rebuild",) * bool(others)


def _size(file: Path) -> int:
    """Bytes of a file; 0 for a folder, and for what a writer has just removed."""
    try:
        return file.stat().st_size if file.is_file() else 0
    except FileNotFoundError:
        return 0
