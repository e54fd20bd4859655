"""One generation of an index in memory: what every query needs, read once.

Documents that ``files`` does not show, or whose rows are not complete at the versions read,
are left out: a reader sees whole documents only.
"""

import hashlib
import logging
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from indexer.documents import Kind
from indexer.engines.lance import RowPlaces
from indexer.engines.mapped import MappedRows
from indexer.engines.vectors import FLOAT32_ROWS, VectorRows, Vectors
from indexer.store.tables import Tables
from indexer.store.vector_files import fragment_sizes, map_vectors, split_ids, vectors_of

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
    document_vectors: Vectors
    landmark_vectors: Vectors
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
    files = tables.read(tables.files, ["path", "doc_id", "mtime_ns"])
    for path, doc_id, mtime_ns in _tuples(files):
        if doc_id is not None:
            paths_of[doc_id].append(path)
            newest[doc_id] = max(newest[doc_id], mtime_ns)
    described = ["doc_id", "kind", "title", "language", "text_hash", "modified"]
    rows = _read(tables, tables.documents, [*described, "n_landmarks"]).sort_by("doc_id")
    doc_ids = rows["doc_id"].to_pylist()
    owner, ordinal, stored_ids = _read_landmarks(tables, doc_ids)
    counts = np.bincount(owner[owner >= 0], minlength=len(doc_ids))
    expected = rows["n_landmarks"].to_numpy()
    whole = np.array([d in paths_of for d in doc_ids], dtype=bool) & (counts == expected)
    keep = np.flatnonzero(whole)
    if len(keep) < len(paths_of):
        # At rest this cannot be; beside a writer a document may just be leaving.
        logger.warning("%d documents are not whole and left out", len(paths_of) - len(keep))

    landmark_rows = np.flatnonzero((owner >= 0) & whole[owner] if len(doc_ids) else owner >= 0)
    # One key instead of two, and they mostly come in order: a sort that sees runs takes little.
    keys = (owner[landmark_rows].astype(np.int64) << 32) + ordinal[landmark_rows]
    order = landmark_rows[np.argsort(keys, kind="stable")]
    landmark_ids = stored_ids[order]
    document_ids = rows["_rowid"].to_numpy()[keep]

    documents = tuple(
        CatalogueEntry(
            doc_id=doc_id,
            kind=kind,
            title=title,
            language=language,
            text_hash=text_hash,
            modified=newest[doc_id] if modified is None else modified,
            paths=tuple(sorted(paths_of[doc_id])),
        )
        for doc_id, kind, title, language, text_hash, modified in _tuples(
            rows.select(described).take(keep)
        )
    )
    offsets = np.zeros(len(keep) + 1, dtype=np.int64)
    np.cumsum(counts[keep], out=offsets[1:])
    return Snapshot(
        generation=generation,
        documents=documents,
        position={entry.doc_id: i for i, entry in enumerate(documents)},
        document_vectors=_vectors(tables, tables.documents, document_ids),
        landmark_vectors=_landmark_vectors(tables, landmark_ids),
        offsets=offsets,
        document_ids=document_ids,
        landmark_ids=landmark_ids,
    )


def _tuples(rows: pa.Table) -> Iterator[tuple[Any, ...]]:
    """Rows as tuples: a dict for each takes several times as long."""
    return zip(*(column.to_pylist() for column in rows.columns), strict=True)


def _read(tables: Tables, table: Any, columns: list[str]) -> pa.Table:
    """All rows with their numbers."""
    wanted = [table.schema.field(name) for name in columns]
    target = pa.schema([*wanted, pa.field("_rowid", pa.uint64())])
    return pa.Table.from_batches(tables.stream(table, columns), target)


def _read_landmarks(
    tables: Tables, doc_ids: list[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of every landmark there is: the position in ``doc_ids`` of its document, -1 where it is
    not among them, its ordinal, and the table's number of it. A batch at a time: all names of
    documents at once would be most of the memory."""
    place = {doc_id: i for i, doc_id in enumerate(doc_ids)}
    parts = [(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint64))]
    for batch in tables.stream(tables.landmarks, ["doc_id", "ordinal"]):
        encoded = batch["doc_id"].dictionary_encode()
        known = [place.get(doc_id, -1) for doc_id in encoded.dictionary.to_pylist()]
        owner = np.array(known, dtype=np.int32)[encoded.indices.to_numpy()]
        # Copies: a batch holds on to more than its columns.
        parts.append((owner, batch["ordinal"].to_numpy().copy(), batch["_rowid"].to_numpy().copy()))
    owner, ordinal, row_ids = (np.concatenate(column) for column in zip(*parts, strict=True))
    return owner, ordinal, row_ids


def _landmark_vectors(tables: Tables, row_ids: np.ndarray) -> Vectors:
    """In memory while they are few; of many, maps of the files that a writer keeps beside the
    tables, and in memory only what these do not hold."""
    if len(row_ids) <= FLOAT32_ROWS:
        return _vectors(tables, tables.landmarks, row_ids)
    dimension = table_dimension(tables.landmarks)
    parts, begins, lacking = [], {}, {}
    begin = 0
    for fragment, num_rows in fragment_sizes(row_ids):
        part = map_vectors(tables.folder, fragment, num_rows, dimension)
        if part is None:
            part = lacking[fragment] = np.zeros((num_rows, dimension), np.float16)
        parts.append(part)
        begins[fragment] = begin
        begin += num_rows
    if lacking:
        logger.info("vectors of %d fragments have no file and are read", len(lacking))
        for batch in tables.stream(tables.landmarks, ["vector"]):
            of, places = split_ids(batch["_rowid"].to_numpy())
            for fragment in lacking.keys() & set(np.unique(of).tolist()):
                here = (of == fragment) & (places < len(lacking[fragment]))
                lacking[fragment][places[here]] = vectors_of(batch)[here]
    of, places = split_ids(row_ids)
    names = np.array(list(begins))
    return MappedRows(parts, np.array(list(begins.values()))[np.searchsorted(names, of)] + places)


def _vectors(tables: Tables, table: Any, row_ids: np.ndarray) -> VectorRows:
    """The vectors of some rows, in that order; a batch at a time, so that no second copy of
    all of them is ever held."""
    places = RowPlaces(row_ids)
    vectors = VectorRows(len(row_ids), table_dimension(table))
    for batch in tables.stream(table, ["vector"]):
        at = places.of(batch["_rowid"].to_numpy())
        vectors.put(at[at >= 0], vectors_of(batch)[at >= 0])
    return vectors


def table_dimension(table: Any) -> int:
    """The width of a table's vectors."""
    return int(table.schema.field("vector").type.list_size)
