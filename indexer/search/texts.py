"""Texts of many documents, a few at a time: no more of a collection is in memory than that."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from indexer.search.passages import blanked
from indexer.store.tables import Tables

AT_ONCE = 64  # documents


def read_texts(tables: Tables, doc_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(doc_id, text) of documents, in the order given."""
    for begin in range(0, len(doc_ids), AT_ONCE):
        some = doc_ids[begin : begin + AT_ONCE]
        columns = ["doc_id", "ordinal", "text"]
        found = tables.read_in(tables.landmarks, columns, "doc_id", some)
        pieces = _by_document(found.sort_by("ordinal"))
        for doc_id in some:
            yield doc_id, "".join(pieces.get(doc_id, ()))


def read_spoken(tables: Tables, doc_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(doc_id, text) with running heads and other furniture blanked, in the order given."""
    for begin in range(0, len(doc_ids), AT_ONCE):
        some = doc_ids[begin : begin + AT_ONCE]
        rows = tables.read_in(tables.documents, ["doc_id", "furniture"], "doc_id", some)
        furniture: dict[str, list[int]] = dict(zip(*rows.to_pydict().values(), strict=True))
        for doc_id, text in read_texts(tables, some):
            flat = furniture.get(doc_id, [])
            yield doc_id, blanked(text, 0, list(zip(flat[::2], flat[1::2], strict=True)))


def _by_document(landmarks: pa.Table) -> dict[str, list[str]]:
    pieces: dict[str, list[Any]] = {}
    columns = (landmarks[name].to_pylist() for name in ("doc_id", "text"))
    for doc_id, text in zip(*columns, strict=True):
        pieces.setdefault(doc_id, []).append(text)
    return pieces
