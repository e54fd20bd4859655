"""One generation of an index in memory: what every query needs, read once.

Documents that ``files`` does not show, or whose rows are not complete at the versions read,
are left out: a reader sees whole documents only.
"""

import hashlib
import logging
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from indexer.documents import Kind
from indexer.engines.lance import RowPlaces
from indexer.engines.vectors import VectorRows
from indexer.store.tables import Tables

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """What is known of a document without reading its text. ``paths`` are sorted."""

    doc_id: str
    kind: Kind
    title: str
    language: str
    text_hash: str  # equal for near-duplicates
    modified: int  # ns since the epoch: the document's own date, else its newest file's
    paths: tuple[str, ...]

    @property
    def name(self) -> str:
        """The title, or the file's name where the document has none."""
        return self.title or self.paths[0].rpartition("/")[2]


@dataclass(frozen=True)
class Snapshot:
    """N documents with M landmarks.

    ``document_vectors`` (N, D) and ``landmark_vectors`` (M, D) are of unit length. The
    landmarks of document ``i`` are rows ``offsets[i]:offsets[i + 1]``, in text order.
    ``document_ids`` (N,) and ``landmark_ids`` (M,) are the tables' numbers of the same rows.
    """

    generation: int
    documents: tuple[CatalogueEntry, ...]
    position: dict[str, int]  # doc_id -> i
    document_vectors: VectorRows
    landmark_vectors: VectorRows
    offsets: np.ndarray  # (N + 1,) int64
    document_ids: np.ndarray
    landmark_ids: np.ndarray

    @property
    def content_key(self) -> str:
        """Names the documents and their order: equal keys, equal rows."""
        digest = hashlib.sha256(np.ascontiguousarray(self.offsets).tobytes())
        digest.update("\n".join(entry.doc_id for entry in self.documents).encode())
        return digest.hexdigest()[:32]

    @cached_property
    def document_places(self) -> RowPlaces:
        """Documents by the table's numbers of them."""
        return RowPlaces(self.document_ids)

    @cached_property
    def landmark_places(self) -> RowPlaces:
        """Landmarks by the table's numbers of them."""
        return RowPlaces(self.landmark_ids)

    def owners(self, landmarks: np.ndarray) -> np.ndarray:
        """The documents that some landmarks belong to."""
        return np.searchsorted(self.offsets, landmarks, side="right") - 1


def load_snapshot(tables: Tables, generation: int) -> Snapshot:
    """Read the visible documents and their vectors."""
    paths_of: dict[str, list[str]] = defaultdict(list)
    newest: dict[str, int] = defaultdict(int)  # doc_id -> mtime_ns of its files
    for row in tables.read(tables.files, ["path", "doc_id", "mtime_ns"]).to_pylist():
        if row["doc_id"] is not None:
            paths_of[row["doc_id"]].append(row["path"])
            newest[row["doc_id"]] = max(newest[row["doc_id"]], row["mtime_ns"])
    described = ["doc_id", "kind", "title", "language", "text_hash", "modified"]
    rows = _read(tables, tables.documents, [*described, "n_landmarks"]).sort_by("doc_id")
    stored = _read(tables, tables.landmarks, ["doc_id", "ordinal"])
    doc_ids = rows["doc_id"].to_pylist()
    owner = _owners(stored["doc_id"], doc_ids)
    counts = np.bincount(owner[owner >= 0], minlength=len(doc_ids))
    expected = rows["n_landmarks"].to_numpy()
    whole = np.array([d in paths_of for d in doc_ids], dtype=bool) & (counts == expected)
    keep = np.flatnonzero(whole)
    if len(keep) < len(paths_of):
        # At rest this cannot be; beside a writer a document may just be leaving.
        logger.warning("%d documents are not whole and left out", len(paths_of) - len(keep))

    ordinal = stored["ordinal"].to_numpy()
    landmark_rows = np.flatnonzero((owner >= 0) & whole[owner] if len(doc_ids) else owner >= 0)
    order = landmark_rows[np.lexsort((ordinal[landmark_rows], owner[landmark_rows]))]
    landmark_ids = stored["_rowid"].to_numpy()[order]
    document_ids = rows["_rowid"].to_numpy()[keep]

    meta = rows.select(described).to_pylist()
    for row in meta:
        if row["modified"] is None:
            row["modified"] = newest[row["doc_id"]]
    documents = tuple(
        CatalogueEntry(**meta[i], paths=tuple(sorted(paths_of[doc_ids[i]]))) for i in keep
    )
    offsets = np.zeros(len(keep) + 1, dtype=np.int64)
    np.cumsum(counts[keep], out=offsets[1:])
    return Snapshot(
        generation=generation,
        documents=documents,
        position={entry.doc_id: i for i, entry in enumerate(documents)},
        document_vectors=_vectors(tables, tables.documents, document_ids),
        landmark_vectors=_vectors(tables, tables.landmarks, landmark_ids),
        offsets=offsets,
        document_ids=document_ids,
        landmark_ids=landmark_ids,
    )


def _read(tables: Tables, table: Any, columns: list[str]) -> pa.Table:
    """All rows with their numbers."""
    wanted = [table.schema.field(name) for name in columns]
    target = pa.schema([*wanted, pa.field("_rowid", pa.uint64())])
    return pa.Table.from_batches(tables.stream(table, columns), target)


def _vectors(tables: Tables, table: Any, row_ids: np.ndarray) -> VectorRows:
    """The vectors of some rows, in that order; a batch at a time, so that no second copy of
    all of them is ever held."""
    places = RowPlaces(row_ids)
    vectors = VectorRows(len(row_ids), table.schema.field("vector").type.list_size)
    for batch in tables.stream(table, ["vector"]):
        at = places.of(batch["_rowid"].to_numpy())
        block = batch["vector"].flatten().to_numpy(zero_copy_only=False)
        vectors.put(at[at >= 0], block.reshape(len(batch), -1)[at >= 0])
    return vectors


def _owners(column: pa.ChunkedArray, doc_ids: list[str]) -> np.ndarray:
    """Position in ``doc_ids`` of every row's document, -1 where it is not among them."""
    encoded = column.combine_chunks().dictionary_encode()
    place = {doc_id: i for i, doc_id in enumerate(doc_ids)}
    lookup = np.array([place.get(d, -1) for d in encoded.dictionary.to_pylist()], dtype=np.int64)
    indices = encoded.indices.to_numpy()
    return lookup[indices] if len(lookup) else np.empty(0, dtype=np.int64)
