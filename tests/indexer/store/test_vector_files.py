"""Files of vectors beside a table: what a reader maps is what the table holds."""

import numpy as np
import pyarrow as pa
import pytest

from indexer.engines.mapped import MappedRows
from indexer.engines.vectors import VectorRows
from indexer.search import snapshot as snapshots
from indexer.search.snapshot import load_snapshot
from indexer.store import schema
from indexer.store import tables as stored
from indexer.store.tables import Tables
from indexer.store.vector_files import FOLDER
from tests.indexer.store.test_store import file_rows, landmark_rows


@pytest.fixture(autouse=True)
def always_large(monkeypatch):
    monkeypatch.setattr(stored, "VECTOR_INDEX_ROWS", 1)
    monkeypatch.setattr(stored, "train_index", lambda *a, **k: None)
    monkeypatch.setattr(snapshots, "FLOAT32_ROWS", 0)


def publish(tables: Tables, *doc_ids: str) -> None:
    for doc_id in doc_ids:
        texts = [f"{doc_id} one", f"{doc_id} two", f"{doc_id} three"]
        landmarks = landmark_rows(doc_id, *texts)
        vectors = np.random.default_rng(ord(doc_id)).normal(size=(3, 2)).astype(np.float16)
        column = landmarks.schema.get_field_index("vector")
        field = landmarks.schema.field(column)
        made = pa.array(vectors.tolist(), field.type)
        landmarks = landmarks.set_column(column, field, made)
        tables.publish(file_rows(f"/{doc_id}", doc_id=doc_id), document_rows(doc_id, 3), landmarks)


def document_rows(doc_id: str, num_landmarks: int) -> pa.Table:
    texts = dict.fromkeys(("title", "language", "text_hash", "unit", "search_text"), doc_id)
    numbers = dict.fromkeys(("n_chars", "n_tokens", "n_units"), 1)
    lists = ("unit_starts", "unit_labels", "sections", "windows", "furniture")
    row = {**texts, **numbers, "doc_id": doc_id, "kind": "text", "modified": None}
    row |= {name: [] for name in lists}
    row |= {"n_landmarks": num_landmarks, "metadata": "{}", "coverage": "{}", "vector": [1.0, 0.0]}
    return pa.Table.from_pylist([row], schema=schema.documents(2))


def check_same(tables: Tables) -> MappedRows:
    """The mapped vectors are those of the table, in the order of the snapshot."""
    rows = load_snapshot(tables, 0).landmark_vectors
    assert isinstance(rows, MappedRows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshots, "FLOAT32_ROWS", 10**9)
        expected = load_snapshot(tables, 0).landmark_vectors
    assert isinstance(expected, VectorRows)
    assert rows[:] == pytest.approx(expected[:], abs=1e-3)
    assert len(rows) == len(expected)
    return rows


def files(tables: Tables) -> dict[str, int]:
    return {f.name: f.stat().st_mtime_ns for f in (tables.folder / FOLDER).glob("*")}


def test_files_follow_what_is_added_removed_and_folded(tmp_path):
    tables = Tables.create(tmp_path / "tables-1", 2)
    publish(tables, "a", "b", "c")
    check_same(tables)  # no file yet: read from the table
    tables.optimize()
    assert len(files(tables)) == 1  # the table is one fragment now
    check_same(tables)

    publish(tables, "d")
    check_same(tables)  # partly mapped, partly read
    tables.delete_documents(["b"])
    tables.delete_files(["/b"])
    check_same(tables)
    tables.optimize()
    check_same(tables)
    assert {name.partition(".")[0] for name in files(tables)} == {
        str(fragment) for fragment in fragments(tables)
    }


def test_a_run_that_changes_nothing_writes_no_file(tmp_path):
    tables = Tables.create(tmp_path / "tables-1", 2)
    publish(tables, "a", "b")
    tables.optimize()
    before = files(tables)
    tables.optimize()
    assert files(tables) == before


def test_a_file_that_was_cut_off_is_not_read_and_is_written_anew(tmp_path):
    tables = Tables.create(tmp_path / "tables-1", 2)
    publish(tables, "a", "b")
    tables.optimize()
    (file,) = (tables.folder / FOLDER).iterdir()
    file.write_bytes(file.read_bytes()[:-2])
    (tables.folder / FOLDER / "7.123.new").write_bytes(b"half")  # of a writer that died
    check_same(tables)
    tables.optimize()
    assert [f.name for f in (tables.folder / FOLDER).iterdir()] == [file.name]
    check_same(tables)


def test_a_reader_keeps_its_vectors_when_a_writer_replaces_the_files(tmp_path):
    tables = Tables.create(tmp_path / "tables-1", 2)
    publish(tables, "a", "b")
    tables.optimize()
    rows = check_same(tables)
    before = rows[:]
    for file in (tables.folder / FOLDER).iterdir():
        file.unlink()
    assert np.array_equal(rows[:], before)


def test_some_rows_are_taken_by_number_where_few_are_new(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "_FEW", 1)
    tables = Tables.create(tmp_path / "tables-1", 2)
    publish(tables, "a", "b")
    tables._keep_vectors()
    publish(tables, "c")
    monkeypatch.setattr(tables, "stream", only_numbers(tables.stream))
    tables._keep_vectors()
    monkeypatch.undo()
    monkeypatch.setattr(snapshots, "FLOAT32_ROWS", 0)
    check_same(tables)


def only_numbers(stream):
    """``stream``, which must not be asked for vectors."""

    def asked(table, columns):
        assert "vector" not in columns
        return stream(table, columns)

    return asked


def fragments(tables: Tables) -> set[int]:
    batches = tables.stream(tables.landmarks, ["ordinal"])
    return {int(n) >> 32 for batch in batches for n in batch["_rowid"].to_pylist()}
