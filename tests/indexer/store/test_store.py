"""Manifest, lock and tables on real folders."""

import json
import multiprocessing
import os
from dataclasses import replace

import pyarrow as pa
import pytest

from indexer.errors import IndexBusy, IndexMismatch, IndexNotFound
from indexer.store import schema
from indexer.store.lock import write_lock
from indexer.store.manifest import (
    Manifest,
    check_same,
    read_foreign_manifest,
    read_manifest,
    write_manifest,
)
from indexer.store.tables import Tables, one_of, quoted

MANIFEST = Manifest(model="m", fingerprint="f" * 64, dimension=2, policy="p", parser="1")


def test_manifest_round_trip_and_generation(tmp_path):
    write_manifest(tmp_path, MANIFEST)
    write_manifest(tmp_path, read_manifest(tmp_path).next())
    assert read_manifest(tmp_path) == replace(MANIFEST, generation=1)
    assert [file.name for file in tmp_path.iterdir()] == ["index.json"]


def test_no_index_is_an_error_that_creates_nothing(tmp_path):
    with pytest.raises(IndexNotFound, match="lmk index"):
        read_manifest(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("content", ["{", '{"schema_version": 99}', '{"schema_version": 2}', "[]"])
def test_a_foreign_manifest_is_refused_with_the_remedy(tmp_path, content):
    (tmp_path / "index.json").write_text(content)
    with pytest.raises(IndexMismatch, match="--rebuild"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tables", 5),
        ("tables", "../x"),
        ("dimension", "384"),
        ("dimension", 0),
        ("roots", [1]),
        ("roots", "x"),
        ("generation", "x"),
        ("generation", True),
        ("model", None),
        ("model_path", 7),
    ],
)
def test_a_manifest_with_a_wrong_value_is_refused_with_the_remedy(tmp_path, key, value):
    write_manifest(tmp_path, MANIFEST)
    raw = json.loads((tmp_path / "index.json").read_text())
    (tmp_path / "index.json").write_text(json.dumps(raw | {key: value}))
    with pytest.raises(IndexMismatch, match=f"wrong value: {key} is .*--rebuild"):
        read_manifest(tmp_path)
    if key == "tables":
        assert read_foreign_manifest(tmp_path) == ((), None)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"fingerprint": "e" * 64}, "Put that model back"),
        ({"policy": "q"}, "landmark policy 'p', now it is 'q'"),
        ({"parser": "2"}, "parser version"),
    ],
)
def test_rows_of_another_make_may_not_join(tmp_path, change, says):
    with pytest.raises(IndexMismatch, match=says):
        check_same(tmp_path, MANIFEST, replace(MANIFEST, **change))


def hold_lock(path, held, release):
    with write_lock(path) as announce:
        announce()
        held.set()
        release.wait(120)


def test_a_second_writer_is_told_who_holds_the_index(tmp_path):
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    process = context.Process(target=hold_lock, args=(tmp_path, held, release))
    process.start()
    assert held.wait(120)
    with pytest.raises(IndexBusy, match=f"process {process.pid}"), write_lock(tmp_path):
        pass
    process.kill()  # SIGKILL: the kernel lets go of the lock
    process.join()
    with write_lock(tmp_path) as announce:
        assert (tmp_path / "write.lock").read_text() == ""  # the dead owner's name is gone
        announce()
        assert json.loads((tmp_path / "write.lock").read_text())["pid"] == os.getpid()
    assert (tmp_path / "write.lock").read_text() == ""


HOSTILE = [
    "O'Brien",
    'say "x"',
    "100%",
    "a_b",
    "back\\slash",
    "new\nline",
    "x' OR 1=1 --",
    "日本",
    "",
]


def file_rows(*paths, doc_id=None):
    rows = [
        {
            "path": path,
            "raw_path": path.encode(),
            "doc_id": doc_id,
            "size": 1,
            "mtime_ns": 1,
            "content_hash": None,
            "state": "indexed",
            "reason": None,
            "source_root": "/",
            "seen_at": 1,
        }
        for path in paths
    ]
    return pa.Table.from_pylist(rows, schema=schema.FILES)


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_name_is_deleted_alone(tmp_path, value):
    tables = Tables.create(tmp_path, 2)
    tables.upsert_files(file_rows(*HOSTILE, "other"))
    tables.delete_files([value])
    left = set(tables.read(tables.files, ["path"])["path"].to_pylist())
    assert left == {*HOSTILE, "other"} - {value}


def test_quoting():
    assert quoted("O'Brien") == "'O''Brien'"
    assert one_of("path", {"b", "a"}) == "path IN ('a', 'b')"


def test_upsert_replaces_by_path(tmp_path):
    tables = Tables.create(tmp_path, 2)
    tables.upsert_files(file_rows("a", "b", doc_id="1"))
    tables.upsert_files(file_rows("b", "c", doc_id="2"))
    rows = tables.read(tables.files, ["path", "doc_id"]).to_pylist()
    assert {row["path"]: row["doc_id"] for row in rows} == {"a": "1", "b": "2", "c": "2"}


def landmark_rows(doc_id, *texts):
    rows = [
        {
            "doc_id": doc_id,
            "ordinal": i,
            "start": i,
            "end": i + 1,
            "unit_first": 1,
            "unit_last": 1,
            "text": text,
            "search_text": text,
            "vector": [1.0, 0.0],
        }
        for i, text in enumerate(texts)
    ]
    return pa.Table.from_pylist(rows, schema=schema.landmarks(2))


def publish_landmarks(tables, doc_id, *texts):
    empty = schema.documents(2).empty_table()
    tables.publish(file_rows(f"/{doc_id}", doc_id=doc_id), empty, landmark_rows(doc_id, *texts))


def found_by(tables, term, column):
    """A column of the landmarks that hold a term."""
    row_ids = tables.text_landmarks([term], 10).row_ids
    return tables.take(tables.landmarks, [column], row_ids)[column].to_pylist()


@pytest.mark.parametrize("term", ["c++", "a:b", "AND", "(", "*", '"', "x" * 500, "日本"])
def test_any_term_is_found_as_it_stands(tmp_path, term):
    """Before and after folding into the index: no grammar, no length limit, no stop words."""
    tables = Tables.create(tmp_path, 2)
    publish_landmarks(tables, "d", "plain words", f"the {term} here")
    assert found_by(tables, term, "ordinal") == [1]
    tables.optimize()
    assert tables.unindexed_rows() == 0
    assert found_by(tables, term, "ordinal") == [1]


def test_new_rows_are_found_before_they_are_folded_in(tmp_path):
    tables = Tables.create(tmp_path, 2)
    publish_landmarks(tables, "d", "old")
    tables.optimize()
    publish_landmarks(tables, "e", "fresh")
    assert tables.unindexed_rows() == 1
    assert found_by(tables, "fresh", "doc_id") == ["e"]


def test_sweep_removes_what_no_file_shows(tmp_path):
    tables = Tables.create(tmp_path, 2)
    publish_landmarks(tables, "kept", "a")
    tables.landmarks.add(landmark_rows("lost", "b"))
    assert tables.sweep() == 1
    assert tables.read(tables.landmarks, ["doc_id"])["doc_id"].to_pylist() == ["kept"]
