"""Answers that must not depend on what else the tables hold, or on how much is asked for."""

import os
import random
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from indexer import DocumentIndex, Filters
from indexer.config import Settings
from indexer.search import grep, meaning, places, signals
from indexer.store.manifest import read_manifest
from indexer.store.tables import Tables
from lmk_encoder.errors import LmkError
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write

SETTINGS = Settings(parse_workers=1, ocr_pages=0)
WORDS = "pump valve roof bread water tide boat rope sail mast".split()


def opened(path, **options):
    return DocumentIndex.open(path, settings=SETTINGS, encoder=KeywordEncoder(), **options)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Sixty documents of several landmarks."""
    folder = tmp_path_factory.mktemp("filled")
    draw = random.Random(5)
    for number in range(60):
        parts = (" ".join(draw.choices(WORDS, k=30)) + f" no{number}." for _ in range(6))
        write(folder / f"docs/{number:02}.txt", "\n\n".join(parts))
    with opened(folder / "i.lmk") as index:
        index.add([folder / "docs"])
    return folder


@pytest.mark.parametrize("condition", ['"pump"', "the OR pump", "-zebra", '-"pump"', "NEAR/9"])
def test_rows_that_nobody_sees_change_no_condition(filled, tmp_path, condition):
    """As after a crash between two writes: documents are there that no file points to."""

    shutil.copytree(filled / "i.lmk", tmp_path / "i.lmk")
    query = "pump NEAR/9 valve" if condition == "NEAR/9" else condition
    with opened(tmp_path / "i.lmk") as index:
        whole = index.search(query, k=100)
    tables = Tables(tmp_path / "i.lmk" / read_manifest(tmp_path / "i.lmk").tables)
    visible = sorted((filled / "docs").iterdir())[:5]
    tables.delete_files([str(path) for path in sorted((filled / "docs").iterdir())[5:]])
    with opened(tmp_path / "i.lmk") as index:
        assert index.status().documents == 5
        left = index.search(query, k=100)
    wanted = {hit.path for hit in whole} & {str(path) for path in visible}
    assert {hit.path for hit in left} == wanted


def test_candidates_of_full_text_are_visible_documents(filled, tmp_path, monkeypatch):

    shutil.copytree(filled / "i.lmk", tmp_path / "i.lmk")
    tables = Tables(tmp_path / "i.lmk" / read_manifest(tmp_path / "i.lmk").tables)
    tables.delete_files([str(path) for path in sorted((filled / "docs").iterdir())[5:]])
    monkeypatch.setattr(signals, "TEXT_DOCUMENTS", 5)
    monkeypatch.setattr(signals, "TEXT_LANDMARKS", 5)
    with opened(tmp_path / "i.lmk") as index:
        hits = index.search("pump", k=5, explain=True)
    for hit in hits:
        values = {signal.name: signal.value for signal in hit.explanation.signals}
        assert values["text_document"] > 0
    assert len(hits) == 5


@pytest.mark.parametrize("engine", ["exact", "lance"])
def test_pages_are_parts_of_one_order_whatever_is_asked_for(filled, monkeypatch, engine):
    monkeypatch.setattr(meaning, "NAMED", 4)
    monkeypatch.setattr(meaning, "NEAREST", 20)
    with opened(filled / "i.lmk", engine=engine) as index:
        for query in ("pump valve", "roof bread boat", "no7 tide"):
            whole = index.search(query, k=60)
            pages = [index.search(query, k=7, offset=at) for at in range(0, 60, 7)]
            assert len({hit.doc_id for hit in whole}) == 60
            assert [(h.rank, h.doc_id, h.score) for page in pages for h in page] == [
                (h.rank, h.doc_id, h.score) for h in whole
            ]


@pytest.mark.parametrize("engine", ["exact", "lance"])
def test_an_index_without_documents_answers_every_engine(filled, tmp_path, engine):

    shutil.copytree(filled / "i.lmk", tmp_path / "i.lmk")
    with opened(tmp_path / "i.lmk", engine=engine) as index:
        index.remove([filled / "docs"])
        assert index.search("pump") == []
        assert index.search('"pump" type:txt') == []
        assert index.recall().found == 1.0


@pytest.fixture
def copies(tmp_path):
    """One text at three paths, another beside it."""
    for name in ("docs/pump.txt", "docs/sub/deep/copy.txt", "other/pump.md"):
        write(tmp_path / name, "The pump stands in the cellar.\n")
    write(tmp_path / "docs/sub/valve.txt", "A valve of the pump.\n")
    with opened(tmp_path / "i.lmk") as index:
        index.add([tmp_path / "docs", tmp_path / "other"])
        yield index


@pytest.mark.parametrize(
    ("path", "shown"), [("sub", "copy.txt"), ("docs", "pump.txt"), ("docs/sub", "copy.txt")]
)
def test_a_copy_is_cited_by_the_path_that_was_asked_for(copies, path, shown):
    filters = Filters(path=path)
    (hit,) = [h for h in copies.search("cellar", filters=filters) if len(h.paths) > 1]
    assert Path(hit.path).name == hit.title == shown
    assert len(hit.paths) == 2  # .md is read by another parser, and another document
    assert hit.path in [match.path for match in copies.grep("cellar", filters=filters).matches]
    assert copies.context("cellar", filters=filters)[0].path == hit.path
    listed = [h.path for h in copies.search(f"path:{path}")]
    assert hit.path in listed
    assert listed == sorted(listed)


def test_a_match_names_every_file_of_a_copy_that_meets_the_filters(copies, tmp_path):
    (match,) = copies.grep("cellar", filters=Filters(path="docs")).matches
    docs = [str(tmp_path / name) for name in ("docs/pump.txt", "docs/sub/deep/copy.txt")]
    assert (match.path, list(match.paths)) == (docs[0], docs)
    (match,) = copies.grep("cellar", filters=Filters(path="sub")).matches
    assert list(match.paths) == docs[1:]


def test_what_was_found_before_the_time_ran_out_is_kept(copies, monkeypatch):
    def slow(pattern, text, *, timeout_s):
        yield from ((0, 1), (1, 2))
        raise TimeoutError

    monkeypatch.setattr(grep, "pattern_ranges", slow)
    found = copies.grep(".", filters=Filters(title="valve.txt"))
    assert ([m.start for m in found.matches], found.documents) == ([0, 1], 0)
    assert found.stopped == "time"
    found = copies.grep(".", filters=Filters(title="valve.txt"), limit=1)  # no more is looked for
    assert (len(found.matches), found.documents, found.stopped) == (1, 1, "limit")


def test_folders_count_every_path_of_a_copy(copies):
    (sub,) = copies.search_page("pump path:docs", facets=True).facets["folder"]
    assert (sub.value, sub.count) == ("sub", 2)
    assert copies.search_page(f"pump {sub.condition}").total == 2


def test_marking_a_pattern_has_one_limit_for_all_results_and_says_so(filled, monkeypatch):
    with opened(filled / "i.lmk") as index:
        page = index.search_page(r"/no\d+/", k=5)
        assert page.notes == ()
        assert all(passage.highlights for hit in page.hits for passage in hit.passages[:1])
        monkeypatch.setattr(places, "EXACT_SECONDS", 0.0)
        page = index.search_page(r"/no\d+/", k=5)
        assert page.notes == (places.CUT_SHORT,)
        assert len(page.hits) == 5


def test_no_more_places_of_a_pattern_are_kept_than_its_limit(copies, monkeypatch):
    query = "path:valve.txt /./"
    assert copies.search_page(query).notes == ()
    monkeypatch.setattr(places, "MOST_RANGES", 3)
    page = copies.search_page(query)
    assert page.notes == (places.CUT_SHORT,)
    assert len(page.hits[0].passages[0].highlights) <= 3


def test_a_document_is_found_by_every_spelling_of_its_path(copies, tmp_path):
    doc_id = copies.doc_id_of(tmp_path / "docs/pump.txt")
    assert doc_id is not None
    assert copies.doc_id_of(f"{tmp_path}/docs/sub/../pump.txt") == doc_id
    assert copies.doc_id_of(tmp_path / "docs/none.txt") is None


def test_names_that_mean_the_same_key_keep_their_rows(tmp_path):
    names = [b"caf\xc3\xa9.txt", b"cafe\xcc\x81.txt", b"raw\xff.txt", b"raw\\xff.txt"]
    for name in names:
        write(Path(os.fsdecode(bytes(tmp_path / "docs") + b"/" + name)), f"{name!r}\n")
    with zipfile.ZipFile(write(tmp_path / "docs/a.zip", ""), "w") as archive:
        for name in ("\u00e9.txt", "e\u0301.txt"):
            archive.writestr(name, f"{name!a} in an archive\n")
    settings = Settings(parse_workers=1, ocr_pages=0, archives=True)
    path = tmp_path / "i.lmk"
    with DocumentIndex.open(path, settings=settings, encoder=KeywordEncoder()) as index:
        report = index.add([tmp_path / "docs"])
        assert (len(report.added), report.failed) == (6, [])
        rows = {record.raw_path: record for record in index.files()}
        assert len({record.doc_id for record in rows.values()}) == 6
        assert len(index.search("raw", k=10)) == 6
        again = index.add([tmp_path / "docs"])
        assert (again.added, again.changed, again.moved, again.removed) == ([], [], [], [])
        gone = bytes(tmp_path / "docs") + b"/raw\xff.txt"
        Path(os.fsdecode(gone)).unlink()
        assert index.add([tmp_path / "docs"]).removed == [rows[gone].path]


def test_a_name_in_any_normal_form_or_none_finds_its_document(tmp_path):
    for name in (b"caf\xc3\xa9.txt", b"cafe\xcc\x81s.txt", b"b\xe4cker.txt"):
        write(Path(os.fsdecode(bytes(tmp_path / "docs") + b"/" + name)), f"{name!r}\n")
    with opened(tmp_path / "i.lmk") as index:
        index.add([tmp_path / "docs"])
        found = {index.doc_id_of(path) for path in (tmp_path / "docs").iterdir()}
        assert None not in found
        assert len(found) == 3
        assert index.doc_id_of(tmp_path / "docs/cafés.txt") in found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:lancedb fork support")
@pytest.mark.parametrize("ask", ["opened before", "opened anew"])
def test_a_forked_process_is_told_what_to_do_instead_of_hanging(filled, ask):
    with opened(filled / "i.lmk") as index:
        index.search("pump")
        child = os.fork()
        if not child:
            signal.alarm(20)
            try:
                (index if ask == "opened before" else opened(filled / "i.lmk")).search("pump")
            except LmkError as error:
                os._exit(7 if "spawn" in error.fix else 1)
            finally:
                os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_forked_before_an_index_was_used_searches(filled):
    """As of gunicorn --preload, where the program only names its index at first."""
    code = f"""if True:
        import os, signal
        from tests.indexer.test_search_state import opened
        index = opened({str(filled / "i.lmk")!r})
        if os.fork():
            raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
        signal.alarm(30)
        os._exit(7 if len(index.search("pump")) == 10 else 1)
    """
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code]).returncode == 7
