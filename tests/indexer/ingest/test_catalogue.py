"""Paths and documents while a run changes them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.documents import FileRecord
from indexer.ingest.catalogue import Catalogue


def record(path, doc_id, state="indexed", reason=None):
    return FileRecord(path, path.encode(), doc_id, 3, 1, "hash", state, reason, "/", 1)


@pytest.fixture
def catalogue():
    records = [record("/a", "one"), record("/b", "one"), record("/c", "two"), record("/d", None)]
    return Catalogue({r.path: r for r in records}, ())


def test_documents_are_those_that_a_path_holds(catalogue):
    assert catalogue.documents() == {"one", "two"}
    assert "one" in catalogue.documents()
    assert "three" not in catalogue.documents()
    assert catalogue.state_of("two") == ("indexed", None)
    assert catalogue.state_of("three") is None


def test_a_document_is_an_orphan_when_its_last_path_is_gone(catalogue):
    catalogue.take_out([record("/a", "one")])
    assert catalogue.orphans() == set()
    assert catalogue.put(record("/b", "three")) == record("/b", "one")
    assert catalogue.orphans() == {"one"}
    assert catalogue.put(record("/e", "one")) is None  # it comes back under another name
    assert catalogue.orphans() == set()


def test_a_record_that_stays_the_same_document_lets_nothing_go(catalogue):
    catalogue.put(replace(record("/c", "two"), mtime_ns=9))
    assert catalogue.orphans() == set()
    assert catalogue.records["/c"].mtime_ns == 9


def test_what_is_replaced_is_told_by_the_new_documents(catalogue):
    batch = [record("/c", "new"), record("/a", "other"), record("/d", "new"), record("/x", "new")]
    assert catalogue.replaced_by(batch, {"new"}) == {"two"}
    assert catalogue.replaced_by(batch, {"new", "other"}) == {"one", "two"}
    assert catalogue.replaced_by(batch, set()) == set()


def test_each_new_name_is_that_of_one_old_file(catalogue):
    gone = [record("/a", "one"), record("/b", "one"), record("/d", None)]
    for path in ("/z", "/y"):
        catalogue.put(record(path, "one"))
    assert catalogue.moves(gone, ["/y", "/z", "/new"]) == {"/a": "/y", "/b": "/z"}
    assert catalogue.moves(gone, ["/z"]) == {"/a": "/z"}
    assert catalogue.moves(gone, []) == {}


def test_what_can_be_read_better_now_is_outdated():
    scan = record("/s", "scan", "partly read", "page 2 has no text layer: install lmk[ocr]")
    assert Catalogue({"/s": scan}, ()).outdated == set()
    assert Catalogue({"/s": scan}, ("lmk[ocr]",)).outdated == {"scan"}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "2", None])), max_size=12))
def test_orphans_are_the_documents_that_were_held_and_are_not(steps):
    catalogue = Catalogue({"a": record("a", "1"), "b": record("b", "2")}, ())
    held = {"1", "2"}
    for path, doc_id in steps:
        if doc_id is None and path in catalogue.records:
            catalogue.take_out([catalogue.records[path]])
        elif doc_id is not None:
            catalogue.put(record(path, doc_id))
            held.add(doc_id)
    assert catalogue.orphans() == held - {r.doc_id for r in catalogue.records.values()}
