"""Values -> rows: a parsed and encoded document as the Arrow tables that are written."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indexer.analysis import search_text
from indexer.documents import Document, FileRecord, document_date, parts_of, spoken_text, text_hash
from indexer.store import schema

if TYPE_CHECKING:
    from lmk_encoder.types import EncodedDocument

TITLE_WEIGHT = 3
HEADING_WEIGHT = 2  # once of it is the heading in the text


def file_rows(records: Sequence[FileRecord]) -> pa.Table:
    """Rows of ``files``."""
    columns = {name: [getattr(r, name) for r in records] for name in schema.FILES.names}
    return pa.table(columns, schema=schema.FILES)


def document_rows(
    documents: Sequence[tuple[str, Document, "EncodedDocument"]], dimension: int
) -> pa.Table:
    """Rows of ``documents``, one for each (doc_id, document, encoded)."""
    target = schema.documents(dimension)
    rows = [
        {
            "doc_id": doc_id,
            "kind": document.kind,
            "title": document.title,
            "language": document.language,
            "text_hash": text_hash(document),
            "modified": document_date(document.metadata),
            "n_chars": len(document.text),
            "n_tokens": encoded.num_tokens,
            "n_landmarks": len(encoded.spans),
            "unit": document.unit,
            "n_units": len(document.unit_starts),
            "unit_starts": np.asarray(document.unit_starts, dtype=np.int64),
            "unit_labels": document.unit_labels,
            "sections": [asdict(section) for section in document.sections],
            "metadata": json.dumps(dict(document.metadata), ensure_ascii=False),
            "coverage": json.dumps(asdict(document.coverage)),
            "search_text": "",
            "windows": [
                {"digest": window.digest, "landmarks": window.num_landmarks}
                for window in encoded.windows
            ],
            "furniture": [offset for place in document.furniture for offset in place],
            "vector": encoded.vector,
        }
        for doc_id, document, encoded in documents
    ]
    table = pa.Table.from_pylist(rows, schema=target)
    at = target.get_field_index("search_text")
    terms = _large_strings(_document_terms(document) for _, document, _ in documents)
    return table.set_column(at, target.field(at), terms)


def _large_strings(values: Iterable[Iterable[str]]) -> pa.LargeStringArray:
    """A string of each value, whose parts are joined by spaces. They go straight into Arrow's
    memory: the terms of a long document are as long as its text, and would be held three times."""
    data, offsets = pa.BufferOutputStream(), [0]
    for parts in values:
        for number, part in enumerate(filter(None, parts)):
            data.write((" " if number else "").encode() + part.encode())
        offsets.append(data.tell())
    places = pa.py_buffer(np.array(offsets, dtype=np.int64))
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, places, data.getvalue())


def _document_terms(document: Document) -> Iterator[str]:
    """Terms of a whole document, in parts. What its author chose to name it and its parts by
    weighs more than a word in passing: terms are repeated, since BM25 over several columns would
    lose the saturation across them (Robertson, Zaragoza, Taylor 2004)."""
    name = document.title or document.metadata.get("file_name", "")
    titles = [name] * TITLE_WEIGHT
    headings = [section.title for section in document.sections] * (HEADING_WEIGHT - 1)
    named = search_text("\n".join([*titles, *headings]))
    yield named
    yield from map(search_text, parts_of(spoken_text(document)))


def landmark_rows(
    documents: Sequence[tuple[str, Document, "EncodedDocument"]], dimension: int
) -> pa.Table:
    """Rows of ``landmarks`` of all documents, in text order within each."""
    target = schema.landmarks(dimension)
    parts = [_landmarks_of(*item, target) for item in documents]
    return pa.concat_tables(parts) if parts else target.empty_table()


def _landmarks_of(
    doc_id: str, document: Document, encoded: "EncodedDocument", target: pa.Schema
) -> pa.Table:
    starts, ends = encoded.spans[:, 0], encoded.spans[:, 1]
    unit_starts = np.asarray(document.unit_starts)
    last_chars = np.maximum(starts, ends - 1)
    spoken = spoken_text(document)
    ranges = list(zip(starts.tolist(), ends.tolist(), strict=True))
    texts = [document.text[start:end] for start, end in ranges]
    terms = [search_text(spoken[start:end]) for start, end in ranges]
    vectors = np.ascontiguousarray(encoded.landmark_vectors, dtype=np.float16)
    columns = {
        "doc_id": pa.array([doc_id] * len(texts), pa.string()),
        "ordinal": pa.array(np.arange(len(texts), dtype=np.int32)),
        "start": pa.array(starts.astype(np.int64)),
        "end": pa.array(ends.astype(np.int64)),
        "unit_first": pa.array(_unit_numbers(unit_starts, starts)),
        "unit_last": pa.array(_unit_numbers(unit_starts, last_chars)),
        "text": pa.array(texts, pa.large_string()),
        "search_text": pa.array(terms, pa.large_string()),
        "vector": pa.FixedSizeListArray.from_arrays(vectors.reshape(-1), vectors.shape[1]),
    }
    return pa.table(columns, schema=target)


def _unit_numbers(unit_starts: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """1-based numbers of the units that hold ``offsets`` (``documents.unit_at`` for arrays)."""
    numbers = np.searchsorted(unit_starts, offsets, side="right")
    return np.maximum(numbers, 1).astype(np.int32)
