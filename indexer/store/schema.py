"""The tables of an index as data. Opens nothing.

``files``: a row a path. ``documents``: a row a document. ``landmarks``: a row a landmark;
``"".join(text)`` in ordinal order is the document's text.
A document is visible if, and only if, a row of ``files`` points to it (``tables.Tables.publish``).
A change here is a new ``manifest.SCHEMA_VERSION``.
"""

import pyarrow as pa

FILES = pa.schema(
    [
        pa.field("path", pa.string(), nullable=False),
        pa.field("raw_path", pa.binary(), nullable=False),
        pa.field("doc_id", pa.string()),  # null: not indexed
        pa.field("size", pa.int64(), nullable=False),
        pa.field("mtime_ns", pa.int64(), nullable=False),
        pa.field("content_hash", pa.string()),
        pa.field("state", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("source_root", pa.string(), nullable=False),
        pa.field("seen_at", pa.int64(), nullable=False),  # ns since the epoch
    ]
)

_WINDOW = pa.struct([("digest", pa.binary(16)), ("landmarks", pa.int32())])
_SECTION = pa.struct(
    [("title", pa.string()), ("start", pa.int64()), ("end", pa.int64()), ("level", pa.int32())]
)


def documents(dimension: int) -> pa.Schema:
    """Schema of ``documents`` for vectors of ``dimension``."""
    return pa.schema(
        [
            pa.field("doc_id", pa.string(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("title", pa.string(), nullable=False),  # "": none but the file's name
            pa.field("language", pa.string(), nullable=False),
            # Of the words: equal for near-duplicates, whose bytes or layout differ.
            pa.field("text_hash", pa.string(), nullable=False),
            # The date that the document bears, ns since the epoch; null: its files' times count.
            pa.field("modified", pa.int64()),
            pa.field("n_chars", pa.int64(), nullable=False),
            pa.field("n_tokens", pa.int64(), nullable=False),
            pa.field("n_landmarks", pa.int64(), nullable=False),
            pa.field("unit", pa.string(), nullable=False),
            pa.field("n_units", pa.int64(), nullable=False),
            pa.field("unit_starts", pa.list_(pa.int64()), nullable=False),
            pa.field("unit_labels", pa.list_(pa.string()), nullable=False),
            pa.field("sections", pa.list_(_SECTION), nullable=False),
            pa.field("metadata", pa.string(), nullable=False),  # JSON
            pa.field("coverage", pa.string(), nullable=False),  # JSON
            # What went through the model at once, in order: an edit of a long document encodes
            # only windows that the version before does not hold.
            pa.field("windows", pa.list_(_WINDOW), nullable=False),
            pa.field("furniture", pa.list_(pa.int64()), nullable=False),  # start, end, start ...
            # All terms of the document: BM25 over whole documents ranks them better than over
            # passages alone (docs/experiments.md).
            pa.field("search_text", pa.large_string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),
        ]
    )


def landmarks(dimension: int) -> pa.Schema:
    """Schema of ``landmarks`` for vectors of ``dimension``."""
    return pa.schema(
        [
            pa.field("doc_id", pa.string(), nullable=False),
            pa.field("ordinal", pa.int32(), nullable=False),
            pa.field("start", pa.int64(), nullable=False),
            pa.field("end", pa.int64(), nullable=False),
            pa.field("unit_first", pa.int32(), nullable=False),
            pa.field("unit_last", pa.int32(), nullable=False),
            # large: 32-bit string offsets overflow when a batch holds over 2 GB of text.
            pa.field("text", pa.large_string(), nullable=False),
            pa.field("search_text", pa.large_string(), nullable=False),
            pa.field("vector", pa.list_(pa.float16(), dimension), nullable=False),
        ]
    )
