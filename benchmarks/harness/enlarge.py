"""A large index made of a small one: its rows mixed, written by the product's own tables.

A made-up document takes two real ones: each of its landmarks begins as a landmark of the first
and ends as one of the second, in its text as in its vector, with some noise. So the vectors
keep the shape that the model gives them, and words go with the vectors they belong to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indexer.analysis import search_text
from indexer.store import schema
from indexer.store.manifest import read_manifest, write_manifest
from indexer.store.session import WriteSession
from indexer.store.tables import Tables

DOCUMENT_LANDMARKS = 50
BATCH_DOCUMENTS = 1_000
NOISE = 0.5  # length of the noise beside a vector of length 1


@dataclass(frozen=True, slots=True)
class _Base:
    """Halves of the landmarks of the real index, and where each document's begin."""

    left: pa.Table  # text, terms
    right: pa.Table
    vectors: np.ndarray
    offsets: np.ndarray


def enlarge(source: Path, target: Path, num_landmarks: int, *, seed: int = 0) -> None:
    """Make an index of ``num_landmarks`` in ``target`` from the rows of the one in ``source``."""
    manifest = read_manifest(source)
    base = _read(Tables(source / manifest.tables))
    target.mkdir(parents=True)
    manifest = replace(manifest, roots=())
    tables = Tables.create(target / manifest.tables, manifest.dimension)
    write_manifest(target, manifest)
    session = WriteSession(target, manifest, tables, announce=lambda: None)
    session.about_to_write()
    drawn = np.random.default_rng(seed)
    counts = _counts(num_landmarks)
    for begin in range(0, len(counts), BATCH_DOCUMENTS):
        rows = _rows(base, counts[begin : begin + BATCH_DOCUMENTS], begin, drawn)
        tables.publish(*rows)
        session.published()
    session.end(())


def _counts(total: int) -> list[int]:
    """Landmarks of each document: around DOCUMENT_LANDMARKS, ``total`` together."""
    number = max(1, round(total / DOCUMENT_LANDMARKS))
    counts = np.full(number, total // number)
    counts[: total % number] += 1
    spread = np.arange(number // 2) % max(1, counts[-1] - 1)  # what one gives, another takes
    counts[: number // 2] -= spread
    counts[number - number // 2 :] += spread
    return [int(count) for count in counts]


def _read(tables: Tables) -> _Base:
    rows = tables.read(tables.landmarks, ["doc_id", "ordinal", "text", "vector"])
    rows = rows.sort_by([("doc_id", "ascending"), ("ordinal", "ascending")])
    owners = np.array(rows["doc_id"].to_pylist())
    starts = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
    vectors = rows["vector"].combine_chunks()
    matrix = np.asarray(vectors.flatten(), dtype=np.float32).reshape(len(rows), -1)
    halves = [_halves(text) for text in rows["text"].to_pylist()]
    left, right = (_with_terms(texts) for texts in zip(*halves, strict=True))
    return _Base(left, right, matrix, np.r_[starts, len(rows)])


def _with_terms(texts: Sequence[str]) -> pa.Table:
    terms = [search_text(text) for text in texts]
    return pa.table([texts, terms], pa.schema([(n, pa.large_string()) for n in ("text", "terms")]))


def _halves(text: str) -> tuple[str, str]:
    """A text cut at a space near its middle."""
    middle = text.rfind(" ", 0, len(text) // 2 + 1) + 1
    return text[:middle], text[middle:]


def _rows(
    base: _Base, counts: list[int], first: int, drawn: np.random.Generator
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Rows of ``files``, ``documents`` and ``landmarks``; columns at once, for there are many."""
    dimension = base.vectors.shape[1]
    pairs = [(_pick(base, count, drawn), _pick(base, count, drawn)) for count in counts]
    one, other = (np.concatenate(side) for side in zip(*pairs, strict=True))
    made = base.vectors[one] + base.vectors[other]
    made += drawn.standard_normal(made.shape, np.float32) * np.float32(NOISE / np.sqrt(dimension))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    left, right = base.left.take(one), base.right.take(other)
    text = pc.binary_join_element_wise(
        left["text"], right["text"], pa.scalar("", pa.large_string())
    ).combine_chunks()
    terms = pc.binary_join_element_wise(
        left["terms"], right["terms"], pa.scalar(" ", pa.large_string())
    ).combine_chunks()
    terms = pc.utf8_trim_whitespace(terms)

    starts = np.r_[0, np.cumsum(counts)]
    chars = np.r_[0, np.cumsum(pc.utf8_length(text).to_numpy())]
    base_chars = np.repeat(chars[starts[:-1]], counts)
    names = [f"{number:032x}" for number in range(first, first + len(counts))]
    units = np.ones(len(one), np.int32)
    columns = {
        "doc_id": pa.array(names).take(np.repeat(np.arange(len(counts)), counts)),
        "ordinal": np.arange(len(one)) - np.repeat(starts[:-1], counts),
        "start": chars[:-1] - base_chars,
        "end": chars[1:] - base_chars,
        "unit_first": units,
        "unit_last": units,
        "text": text,
        "search_text": terms,
        "vector": pa.FixedSizeListArray.from_arrays(made.astype(np.float16).reshape(-1), dimension),
    }
    landmarks = pa.table(columns).cast(schema.landmarks(dimension))
    lists = pa.ListArray.from_arrays(starts.astype(np.int32), terms)
    whole = pc.binary_join(lists, pa.scalar(" ", pa.large_string())).to_pylist()
    means = np.add.reduceat(made, starts[:-1])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    documents = [
        _document(name, int(chars[stop] - chars[begin]), int(stop - begin), said, mean)
        for name, begin, stop, said, mean in zip(
            names, starts[:-1], starts[1:], whole, means, strict=True
        )
    ]
    return (
        pa.Table.from_pylist([_file(name) for name in names], schema.FILES),
        pa.Table.from_pylist(documents, schema.documents(dimension)),
        landmarks,
    )


def _pick(base: _Base, count: int, drawn: np.random.Generator) -> np.ndarray:
    """``count`` neighbouring landmarks of a real document; it begins anew where it ends."""
    document = int(drawn.integers(len(base.offsets) - 1))
    low, high = base.offsets[document : document + 2]
    return np.asarray(low + (int(drawn.integers(high - low)) + np.arange(count)) % (high - low))


def _document(
    doc_id: str, num_chars: int, count: int, terms: str, vector: np.ndarray
) -> dict[str, object]:
    return {
        "doc_id": doc_id,
        "kind": "text",
        "title": "",
        "language": "en",
        "text_hash": doc_id,
        "modified": None,
        "n_chars": num_chars,
        "n_tokens": count * 64,
        "n_landmarks": count,
        "unit": "line",
        "n_units": 1,
        "unit_starts": [0],
        "unit_labels": [],
        "sections": [],
        "metadata": "{}",
        "coverage": '{"units": 1, "with_text": 1, "blank": 0, "failed": []}',
        "search_text": terms,
        "windows": [],
        "furniture": [],
        "vector": vector.astype(np.float32),
    }


def _file(doc_id: str) -> dict[str, object]:
    path = f"/made/up/{doc_id}.txt"
    return {
        "path": path,
        "raw_path": path.encode(),
        "doc_id": doc_id,
        "size": 1,
        "mtime_ns": 0,
        "content_hash": doc_id,
        "state": "indexed",
        "reason": None,
        "source_root": "/made/up",
        "seen_at": 0,
    }
