"""A large index made of a small one: its rows mixed, written by the product's own tables.

A made-up document takes two real ones: each of its landmarks begins as a landmark of the first
and ends as one of the second, in its text as in its vector, with some noise. So the vectors
keep the shape that the model gives them, and words go with the vectors they belong to.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

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

    left: list[tuple[str, str]]  # text, its terms
    right: list[tuple[str, str]]
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
    left = [(text, search_text(text)) for text, _ in halves]
    right = [(text, search_text(text)) for _, text in halves]
    return _Base(left, right, matrix, np.r_[starts, len(rows)])


def _halves(text: str) -> tuple[str, str]:
    """A text cut at a space near its middle."""
    middle = text.rfind(" ", 0, len(text) // 2 + 1) + 1
    return text[:middle], text[middle:]


def _rows(
    base: _Base, counts: list[int], first: int, drawn: np.random.Generator
) -> tuple[pa.Table, pa.Table, pa.Table]:
    dimension = base.vectors.shape[1]
    files, documents, landmarks, vectors = [], [], [], []
    for number, count in enumerate(counts, start=first):
        doc_id = f"{number:032x}"
        one, other = (_pick(base, count, drawn) for _ in range(2))
        made = base.vectors[one] + base.vectors[other]
        made += drawn.normal(0, NOISE / np.sqrt(dimension), made.shape).astype(np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        vectors.append(made)
        at, terms = 0, []
        for ordinal, (i, j) in enumerate(zip(one, other, strict=True)):
            text = base.left[i][0] + base.right[j][0]
            terms.append(f"{base.left[i][1]} {base.right[j][1]}".strip())
            place = {"doc_id": doc_id, "ordinal": ordinal, "start": at, "end": at + len(text)}
            at += len(text)
            landmarks.append({**place, "unit_first": 1, "unit_last": 1, "text": text})
            landmarks[-1]["search_text"] = terms[-1]
        mean = made.mean(axis=0)
        documents.append(_document(doc_id, at, count, terms, mean / np.linalg.norm(mean)))
        files.append(_file(doc_id))
    # Vectors as one array: a list of numbers for each row would take minutes.
    flat = np.concatenate(vectors).astype(np.float16).reshape(-1)
    target = schema.landmarks(dimension)
    columns = pa.Table.from_pylist(landmarks, target.remove(target.get_field_index("vector")))
    with_vectors = columns.append_column(
        target.field("vector"), pa.FixedSizeListArray.from_arrays(flat, dimension)
    )
    return (
        pa.Table.from_pylist(files, schema.FILES),
        pa.Table.from_pylist(documents, schema.documents(dimension)),
        with_vectors.select(target.names).cast(target),
    )


def _pick(base: _Base, count: int, drawn: np.random.Generator) -> np.ndarray:
    """``count`` neighbouring landmarks of a real document; it begins anew where it ends."""
    document = int(drawn.integers(len(base.offsets) - 1))
    low, high = base.offsets[document : document + 2]
    return np.asarray(low + (int(drawn.integers(high - low)) + np.arange(count)) % (high - low))


def _document(
    doc_id: str, num_chars: int, count: int, terms: list[str], vector: np.ndarray
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
        "search_text": " ".join(terms),
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
