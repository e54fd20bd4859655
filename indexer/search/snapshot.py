"""One generation of an index in memory: what every query needs, read once.

Documents that ``files`` does not show, or whose rows are not complete at the versions read,
are left out: a reader sees whole documents only.
"""

import logging
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from indexer.documents import Kind
from indexer.store.tables import Tables
from lmk_encoder.types import FloatMatrix

logger = logging.getLogger(__name__)
_BLOCK_ROWS = 65_536


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


@dataclass(frozen=True, slots=True)
class Snapshot:
    """N documents with M landmarks.

    ``document_vectors`` (N, D) and ``landmark_vectors`` (M, D) are float32 rows of unit length.
    The landmarks of document ``i`` are rows ``offsets[i]:offsets[i + 1]``, in text order.
    """

    generation: int
    documents: tuple[CatalogueEntry, ...]
    position: dict[str, int]  # doc_id -> i
    document_vectors: FloatMatrix
    landmark_vectors: FloatMatrix
    offsets: np.ndarray  # (N + 1,) int64


def load_snapshot(tables: Tables, generation: int) -> Snapshot:
    """Read the visible documents and their vectors."""
    paths_of: dict[str, list[str]] = defaultdict(list)
    newest: dict[str, int] = defaultdict(int)  # doc_id -> mtime_ns of its files
    for row in tables.read(tables.files, ["path", "doc_id", "mtime_ns"]).to_pylist():
        if row["doc_id"] is not None:
            paths_of[row["doc_id"]].append(row["path"])
            newest[row["doc_id"]] = max(newest[row["doc_id"]], row["mtime_ns"])
    described = ["doc_id", "kind", "title", "language", "text_hash", "modified"]
    rows = tables.read(tables.documents, [*described, "n_landmarks", "vector"])
    rows = rows.sort_by("doc_id")
    stored = tables.read(tables.landmarks, ["doc_id", "ordinal", "vector"])
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
    order = np.lexsort((ordinal[landmark_rows], owner[landmark_rows]))
    landmark_vectors = _unit_float32(_matrix(stored["vector"]), landmark_rows[order])

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
        document_vectors=_matrix(rows["vector"])[keep],
        landmark_vectors=landmark_vectors,
        offsets=offsets,
    )


def _unit_float32(stored: np.ndarray, rows: np.ndarray) -> FloatMatrix:
    """The ``rows`` of a float16 matrix in float32, of unit length again; a block at a time, so
    that no second copy of all of them is ever held."""
    vectors = np.empty((len(rows), stored.shape[1]), dtype=np.float32)
    for begin in range(0, len(rows), _BLOCK_ROWS):
        block = stored[rows[begin : begin + _BLOCK_ROWS]].astype(np.float32)
        block /= np.maximum(np.linalg.norm(block, axis=1, keepdims=True), 1e-12)
        vectors[begin : begin + _BLOCK_ROWS] = block
    return vectors


def _owners(column: pa.ChunkedArray, doc_ids: list[str]) -> np.ndarray:
    """Position in ``doc_ids`` of every row's document, -1 where it is not among them."""
    encoded = column.combine_chunks().dictionary_encode()
    place = {doc_id: i for i, doc_id in enumerate(doc_ids)}
    lookup = np.array([place.get(d, -1) for d in encoded.dictionary.to_pylist()], dtype=np.int64)
    indices = encoded.indices.to_numpy()
    return lookup[indices] if len(lookup) else np.empty(0, dtype=np.int64)


def _matrix(column: pa.ChunkedArray) -> np.ndarray:
    """A fixed-size-list column as a (rows, D) array."""
    array = column.combine_chunks()
    width = array.type.list_size
    return np.asarray(array.flatten().to_numpy(zero_copy_only=False)).reshape(-1, width)
