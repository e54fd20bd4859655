"""Damage done to the rows of a real index: seen by the doctor, mended, and read again."""

import pytest

from indexer.errors import IndexBusy, IndexDamaged
from indexer.store.lock import write_lock
from tests.indexer.conftest import TEXTS
from tests.indexer.invariants import check_whole, tables_of


def lose_a_landmark(tables):
    tables.landmarks.delete("ordinal = 1")


def double_a_document(tables):
    rows = tables.documents.search().limit(1).to_arrow()
    tables.documents.add(rows.select(tables.documents.schema.names))


def lose_documents(tables):
    tables.documents.delete("true")


def leave_rows_over(tables):
    tables.files.delete("path LIKE '%pump.md'")


def spoil_a_vector(tables):
    width = tables.documents.schema.field("vector").type.list_size
    tables.documents.update(where="kind = 'markdown'", values={"vector": [2.0] * width})


def change_a_text(tables):
    tables.landmarks.update(where="ordinal = 0", values={"text": "other"})


def contradict_a_state(tables):
    tables.files.update(where="path LIKE '%pump.md'", values={"state": "failed"})


def repeat_a_path(tables):
    tables.files.add(tables.files.search().limit(1).to_arrow())


def drop_full_text(tables):
    tables.landmarks.drop_index("search_text_idx")


DAMAGE = {
    lose_a_landmark: "a document is whole",
    double_a_document: "a shown document is stored once",
    lose_documents: "a shown document is stored once",
    leave_rows_over: "no leftovers",
    spoil_a_vector: "a document is whole",
    change_a_text: "a document is whole",
    contradict_a_state: "a state tells of a document",
    repeat_a_path: "a path has one row",
    drop_full_text: "full text is there",
}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_damage_is_seen_and_mended(index, collection, damage):
    index.add([collection])
    assert index.doctor() == []
    damage(tables_of(index))
    assert DAMAGE[damage] in {finding.check for finding in index.doctor()}
    repaired = index.doctor(repair=True)
    assert repaired
    assert all(finding.repaired for finding in repaired)
    assert index.doctor() == []
    index.add([collection])
    assert check_whole(index) == len(TEXTS)
    assert index.doctor() == []


def test_mapped_vectors_that_are_not_those_of_the_tables(index, collection, monkeypatch):
    monkeypatch.setattr("indexer.store.tables.VECTOR_INDEX_ROWS", 1)
    monkeypatch.setattr("indexer.store.tables.train_index", lambda *_, **__: None)
    index.add([collection])
    assert index.doctor() == []
    (file,) = (index.path / "tables-1/vectors").iterdir()
    whole = file.read_bytes()
    file.write_bytes(bytes(len(whole)))
    assert [f.check for f in index.doctor()] == ["mapped vectors are those of the tables"]
    index.doctor(repair=True)
    assert index.doctor() == []
    (file,) = (index.path / "tables-1/vectors").iterdir()
    assert len(file.read_bytes()) == len(whole)


@pytest.mark.parametrize(
    ("table", "file"),
    [
        ("documents", "part_*tokens.lance"),
        ("landmarks", "part_*invert.lance"),
        ("landmarks", "metadata.lance"),
    ],
)
def test_a_damaged_full_text_index_is_made_anew(index, collection, table, file):
    index.add([collection])
    found = index.search("pump valve")
    index.close()
    for path in index.path.glob(f"tables-1/{table}.lance/_indices/*/{file}"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(IndexDamaged):
        index.search("pump valve")
    (finding,) = index.doctor()
    assert (finding.check, finding.fix) == ("indexes can be read", "lmk doctor --repair")
    assert f"search_text_idx of the table {table}" in finding.what
    index.doctor(repair=True)
    assert index.doctor() == []
    assert index.search("pump valve") == found


def test_a_damaged_index_of_vectors_is_made_anew(index, collection, monkeypatch):
    monkeypatch.setattr("indexer.store.tables.VECTOR_INDEX_ROWS", 1)
    index.add([collection])
    index.close()
    for path in index.path.glob("tables-1/landmarks.lance/_indices/*/auxiliary.idx"):
        path.write_bytes(path.read_bytes()[:40])
    (finding,) = index.doctor()
    assert "vector_1 of the table landmarks cannot be read" in finding.what
    index.doctor(repair=True)
    assert index.doctor() == []
    assert tables_of(index).has_vector_index(tables_of(index).landmarks)


def test_what_a_dead_writer_left_is_seen(index, collection):
    index.add([collection])
    (index.path / "tables-1/unfinished").touch()
    (index.path / "tables-7").mkdir()
    checks = [finding.check for finding in index.doctor()]
    assert checks == ["no run is unfinished", "one folder of tables"]
    index.doctor(repair=True)
    assert index.doctor() == []


@pytest.mark.parametrize("how", ["missing", "truncated"])
def test_a_table_that_cannot_be_read(index, collection, how):
    index.add([collection])
    index.close()
    for file in (index.path / "tables-1/landmarks.lance/data").iterdir():
        if how == "missing":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(IndexDamaged, match="lmk doctor") as caught:
        index.search("pump")
    assert not any(word in str(caught.value) for word in ("Lance", "rust", "error:"))
    if how == "missing":
        assert f"tables-1/landmarks.lance/data/{file.name} is missing" in str(caught.value)
    (finding,) = index.doctor(repair=True)
    assert finding.check == "tables can be read"
    assert "lmk index --rebuild" in finding.fix
    assert not finding.repaired
    index.rebuild()
    assert index.doctor() == []
    assert check_whole(index) == len(TEXTS)


def test_a_table_that_lost_its_columns_is_damaged(index, collection):
    index.add([collection])
    index.close()
    for file in (index.path / "tables-1/documents.lance/_versions").iterdir():
        file.write_bytes(bytes(file.stat().st_size))
    with pytest.raises(IndexDamaged, match=r"documents.*lmk doctor"):
        index.search("pump")


def test_nothing_is_said_of_an_index_that_is_being_written(index, collection):
    index.add([collection])
    with write_lock(index.path), pytest.raises(IndexBusy):
        index.doctor()
