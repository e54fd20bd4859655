"""A stored document put together again from its rows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from indexer.documents import Coverage, Kind, Section, UnitType
from indexer.offsets import Offsets
from indexer.store.tables import Tables


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the index holds it: text, structure, and every path of it."""

    doc_id: str
    title: str
    kind: Kind
    language: str
    path: str
    paths: tuple[str, ...]
    text: str
    unit: UnitType
    unit_starts: Sequence[int]
    unit_labels: tuple[str, ...]
    sections: tuple[Section, ...]
    metadata: Mapping[str, str]
    coverage: Coverage
    num_tokens: int


def read_document(tables: Tables, doc_id: str, paths: tuple[str, ...]) -> StoredDocument:
    """Read a document. KeyError if its rows are not there."""
    hidden = {"vector", "search_text", "furniture"}
    columns = [name for name in tables.documents.schema.names if name not in hidden]
    rows = tables.read_in(tables.documents, columns, "doc_id", [doc_id]).to_pylist()
    if not rows:
        raise KeyError(doc_id)
    row = rows[0]
    landmarks = tables.read_in(tables.landmarks, ["ordinal", "text"], "doc_id", [doc_id])
    landmarks = landmarks.sort_by("ordinal")
    stored = json.loads(row["coverage"])
    coverage: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in stored.items()
    }
    return StoredDocument(
        doc_id=doc_id,
        title=row["title"] or paths[0].rpartition("/")[2],
        kind=row["kind"],
        language=row["language"],
        path=paths[0],
        paths=paths,
        text="".join(landmarks["text"].to_pylist()),
        unit=row["unit"],
        unit_starts=Offsets(row["unit_starts"]),
        unit_labels=tuple(row["unit_labels"]),
        sections=tuple(Section(**section) for section in row["sections"]),
        metadata=json.loads(row["metadata"]),
        coverage=Coverage(**coverage),
        num_tokens=row["n_tokens"],
    )
