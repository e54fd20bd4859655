"""The Python door, end to end on real files, with an encoder that needs no model."""

import hashlib
import io
import itertools
import json
import os
import shutil
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest
from pypdf import PdfWriter

from indexer import DocumentIndex
from indexer.access import reading
from indexer.config import Settings
from indexer.errors import (
    IndexBusy,
    IndexDamaged,
    IndexMismatch,
    IndexNotFound,
    SourceNotFound,
)
from indexer.ingest import feed
from indexer.query.filters import Filters
from indexer.store.lock import write_lock
from lmk_encoder.errors import ConfigError
from lmk_encoder.testing import KeywordEncoder, tiny_encoder, write_tiny_checkpoint
from tests.indexer.conftest import TEXTS, write
from tests.indexer.invariants import check_whole
from tests.indexer.parsing.pdfs import draw, draw_scan


def names(paths):
    return sorted(Path(path).name for path in paths)


def tree_hash(folder):
    """Hash of all files but the lock, which names its last owner."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != "write.lock":
            digest.update(f"{file.relative_to(folder)}".encode() + file.read_bytes())
    return digest.hexdigest()


def test_a_folder_is_indexed_and_searched(index, collection):
    report = index.add([collection])
    assert names(report.added) == ["page.html", "pump.md", "roof.txt", "tide.py"]
    assert (report.failed, report.excluded, report.interrupted) == ([], [], False)
    check_whole(index)

    hit = index.search("when was the pump replaced", k=1)[0]
    assert (hit.rank, hit.path, hit.kind) == (1, str(collection / "notes/pump.md"), "markdown")
    passage = hit.passages[0]
    text = index.document(hit.doc_id).text
    assert text[passage.start : passage.end] == passage.text
    assert (passage.unit, passage.first) == ("line", 1)
    assert "pump" in [text[a:b] for a, b in passage.highlights]


def test_code_is_found_at_its_lines(index, collection):
    index.add([collection])
    passage = index.search("low_water", k=1)[0].passages[0]
    assert passage.unit == "line"
    assert passage.first <= 9 <= passage.last


def test_a_second_run_writes_nothing(index, collection):
    index.add([collection])
    before = tree_hash(index.path)
    calls = index.encoder.calls
    report = index.add([collection])
    assert len(report.unchanged) == len(TEXTS)
    assert (report.added, report.changed, report.removed) == ([], [], [])
    assert index.encoder.calls == calls
    assert tree_hash(index.path) == before


def test_a_changed_file_is_replaced_whole(index, collection):
    index.add([collection])
    write(collection / "notes/roof.txt", "The chimney smokes.\n", age_s=50)
    report = index.add([collection])
    assert names(report.changed) == ["roof.txt"]
    assert len(report.unchanged) == len(TEXTS) - 1
    assert index.search("chimney", k=1)[0].path.endswith("roof.txt")
    assert not any("Lisbon" in p.text for h in index.search("Lisbon") for p in h.passages)
    check_whole(index)


def test_a_touched_file_is_read_and_not_encoded(index, collection):
    index.add([collection])
    encoded = index.encoder.encoded_texts
    os.utime(collection / "page.html", (1, 1))
    assert index.add([collection]).changed == []
    assert index.encoder.encoded_texts == encoded


def test_a_moved_file_keeps_its_vectors(index, collection):
    index.add([collection])
    encoded = index.encoder.encoded_texts
    (collection / "notes/roof.txt").rename(collection / "attic.txt")
    report = index.add([collection])
    assert names(report.moved) == ["attic.txt"]
    assert (report.added, report.removed) == ([], [])
    assert index.encoder.encoded_texts == encoded
    assert index.search("tiles from Lisbon", k=1)[0].path.endswith("attic.txt")
    check_whole(index)


def test_two_files_that_swap_their_names_keep_both_documents(index, collection):
    write(collection / "a.txt", "Alpha stands first.\n")
    write(collection / "b.txt", "Omega comes last.\n")
    index.add([collection])
    encoded = index.encoder.encoded_texts
    (collection / "a.txt").rename(collection / "c.txt")
    (collection / "b.txt").rename(collection / "a.txt")
    (collection / "c.txt").rename(collection / "b.txt")
    for name in ("a.txt", "b.txt"):
        os.utime(collection / name, (5, 5))
    report = index.add([collection])
    assert names(report.changed) == ["a.txt", "b.txt"]
    assert index.encoder.encoded_texts == encoded
    assert index.search("Alpha", k=1)[0].path.endswith("b.txt")
    check_whole(index)


def test_a_deleted_file_is_never_found_again(index, collection):
    index.add([collection])
    (collection / "notes/roof.txt").unlink()
    assert names(index.add([collection]).removed) == ["roof.txt"]
    found = [hit.path for hit in index.search("roof tiles Lisbon library")]
    assert not any(path.endswith("roof.txt") for path in found)
    check_whole(index)


def test_equal_bytes_are_encoded_once_and_shown_with_all_paths(index, collection):
    for name in ("copy1.txt", "copy2.txt"):
        shutil.copy2(collection / "notes/roof.txt", collection / name)
    index.add([collection])
    assert index.encoder.encoded_texts == len(TEXTS)
    hit = index.search("tiles from Lisbon", k=1)[0]
    assert names(hit.paths) == ["copy1.txt", "copy2.txt", "roof.txt"]
    index.remove([collection / "copy1.txt"])
    assert names(index.search("tiles from Lisbon", k=1)[0].paths) == ["copy2.txt", "roof.txt"]
    check_whole(index)


def test_removing_a_folder_takes_whole_path_parts(index, collection):
    write(collection / "notes-old/x.txt", "An older note.\n")
    index.add([collection])
    assert index.remove([collection / "notes"]) == 2
    assert index.remove([collection / "notes"]) == 0
    left = names(record.path for record in index.files())
    assert left == ["page.html", "tide.py", "x.txt"]
    check_whole(index)


def test_bad_files_are_listed_and_the_run_goes_on(index, collection):
    write(collection / "empty.txt", "")
    write(collection / "noise.bin", bytes(range(256)) * 20)
    write(collection / "broken.pdf", b"%PDF-1.4\nnot really a pdf")
    report = index.add([collection, collection / "missing"])
    assert len(report.added) == len(TEXTS)
    assert names(record.path for record in report.no_text) == ["empty.txt"]
    assert names(record.path for record in report.excluded) == ["noise.bin"]
    assert names(record.path for record in report.failed) == ["broken.pdf", "missing"]
    states = {Path(record.path).name: record.state for record in index.files()}
    assert states["broken.pdf"] == "failed"
    assert "missing" not in states
    assert index.status().files == {"indexed": 4, "no text": 1, "excluded": 1, "failed": 1}
    again = index.add([collection])
    assert names(record.path for record in again.failed) == ["broken.pdf"]


def test_hostile_names_are_indexed_found_and_removed(index, tmp_path):
    folder = tmp_path / "hostile"
    for i, name in enumerate(["O'Brien.txt", 'x" OR 1=1 --.txt', "100%_[x].txt", "new\nline.txt"]):
        write(folder / name, f"Document number{i} of a strange name.\n")
    index.add([folder])
    for path in sorted(folder.iterdir()):
        assert index.remove([path]) == 1
    assert index.files() == []


def test_reading_creates_nothing(index, tmp_path):
    for read in (lambda: index.search("x"), index.status, index.files, lambda: index.document("x")):
        with pytest.raises(IndexNotFound, match="lmk index"):
            read()
    with pytest.raises(SourceNotFound, match="no path was named"):
        index.add([])
    with pytest.raises(SourceNotFound, match="nowhere"):
        index.add([tmp_path / "nowhere"])
    assert not index.path.exists()


def test_searching_leaves_the_folder_as_it_was(index, collection):
    index.add([collection])
    before = tree_hash(index.path)
    index.search("pump")
    index.heat("pump", index.search("pump")[0].doc_id)
    assert tree_hash(index.path) == before


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_a_blank_query_finds_nothing(index, collection, query):
    index.add([collection])
    assert index.search(query) == []


@pytest.mark.parametrize(
    "query", ['36"', "R&D", "a AND (b", "{0}", "C++", "foo.bar()", "-", "*", "\x00", "x " * 5000]
)
def test_any_string_is_a_query(index, collection, query):
    index.add([collection])
    assert len(index.search(query)) <= len(TEXTS)


def test_more_results_than_documents_are_all_documents(index, collection):
    index.add([collection])
    assert len(index.search("the", k=100)) == len(TEXTS)
    with pytest.raises(ValueError, match="at least 1"):
        index.search("the", k=0)


def test_another_model_is_refused_and_nothing_is_touched(index, collection):
    index.add([collection])
    before = tree_hash(index.path)
    other = DocumentIndex(index.path, settings=Settings(), encoder=KeywordEncoder(name="other"))
    for use in (lambda: other.search("pump"), lambda: other.add([collection])):
        with pytest.raises(IndexMismatch, match=r"keywords.*other.*--rebuild"):
            use()
    assert tree_hash(index.path) == before


def test_rebuild_makes_it_anew_from_all_that_was_in_it(index, collection):
    index.add([collection])
    other = DocumentIndex(
        index.path, settings=Settings(parse_workers=1), encoder=KeywordEncoder(name="other")
    )
    report = other.rebuild()
    assert len(report.added) == len(TEXTS)
    assert other.search("pump replaced", k=1)[0].path.endswith("pump.md")
    check_whole(other)


def test_rebuild_keeps_to_the_rules_that_left_files_out(index, collection):
    write(collection / ".env", "SECRET=tulip\n")
    write(collection / ".gitignore", "private.txt\n")
    write(collection / "private.txt", "A private tulip.\n")
    write(collection / "node_modules/x/readme.md", "A vendored tulip.\n")
    index.add([collection])
    report = index.rebuild()
    assert names(report.added) == ["page.html", "pump.md", "roof.txt", "tide.py"]
    check_whole(index)


def test_a_rebuild_that_is_stopped_changes_nothing(index, collection):
    index.add([collection])
    before = tree_hash(index.path)
    assert index.rebuild(should_stop=lambda: True).interrupted
    assert {p.name for p in index.path.iterdir()} >= {"index.json", "tables-1"}
    assert index.search("pump replaced", k=1)[0].path.endswith("pump.md")
    index.add([collection])  # sweeps what the rebuild left
    assert tree_hash(index.path) == before


def test_a_rebuild_is_refused_while_documents_would_be_lost(index, collection, tmp_path):
    write(tmp_path / "disk/far.txt", "Far away.\n")
    index.add([collection, tmp_path / "disk"])
    (tmp_path / "disk").rename(tmp_path / "unplugged")
    with pytest.raises(SourceNotFound, match="lmk remove"):
        index.rebuild()
    assert index.search("far away", k=1)[0].path.endswith("far.txt")
    index.remove([tmp_path / "disk"])
    assert len(index.rebuild().added) == len(TEXTS)


def test_a_folder_with_other_things_is_never_made_an_index(tmp_path, collection):
    write(tmp_path / "notes/thesis.txt", "Years of work.\n")
    write(tmp_path / "notes/customers.lance/data", "x")
    for work in ("add", "rebuild"):
        other = DocumentIndex(tmp_path / "notes", settings=Settings(), encoder=KeywordEncoder())
        with pytest.raises(ConfigError, match="holds other things"):
            getattr(other, work)([collection])
    assert (tmp_path / "notes/thesis.txt").exists()
    assert (tmp_path / "notes/customers.lance/data").exists()


def test_an_index_path_that_is_a_file_is_a_clear_error(collection):
    other = DocumentIndex(collection / "page.html", settings=Settings(), encoder=KeywordEncoder())
    with pytest.raises(ConfigError, match="is a file"):
        other.add([collection])
    with pytest.raises(IndexNotFound, match="is a file"):
        other.search("x")


def test_a_path_named_beside_its_folder_has_one_row(index, collection):
    write(collection / ".env", "SETTING=tulip\n")
    for _ in range(2):
        index.add([collection, collection / ".env"])
        assert names(r.path for r in index.files()).count(".env") == 1
    assert index.search("tulip", k=1)[0].path.endswith(".env")
    check_whole(index)


def test_a_document_that_cannot_be_encoded_is_listed_and_keeps_no_other_out(tmp_path, collection):
    class Picky(KeywordEncoder):
        def encode_document(self, texts, **options):
            if any("Lisbon" in text.text for text in texts):
                raise RuntimeError("vectors are not finite")
            return super().encode_document(texts, **options)

    index = DocumentIndex(tmp_path / "i", settings=Settings(parse_workers=1), encoder=Picky())
    report = index.add([collection])
    assert names(report.added) == ["page.html", "pump.md", "tide.py"]
    (failed,) = report.failed
    assert failed.path.endswith("roof.txt")
    assert "not finite" in failed.reason
    check_whole(index)


def test_a_file_that_cannot_be_read_for_now_keeps_its_document(index, collection, monkeypatch):
    index.add([collection])
    write(collection / "notes/roof.txt", "New words about the roof.\n", age_s=50)

    def unreadable(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("indexer.ingest.feed.content_hash", unreadable)
    report = index.add([collection])
    assert names(r.path for r in report.failed) == ["roof.txt"]
    assert index.search("tiles from Lisbon", k=1)[0].path.endswith("roof.txt")
    monkeypatch.undo()
    assert names(index.add([collection]).changed) == ["roof.txt"]
    check_whole(index)


def test_a_copy_of_a_file_that_changes_while_it_is_read_is_read_itself(
    index, collection, monkeypatch
):
    index.add([write(collection / "a.txt", "Old.\n"), write(collection / "z.txt", "Before.\n")])
    for name in ("a.txt", "m.txt", "y.txt", "z.txt"):
        write(collection / name, "The same new words.\n", age_s=50)
    whole = feed._checked

    def touched(item, document, most_chars):
        if item.file.path.endswith("a.txt"):
            os.utime(item.file.path, (7, 7))
        return whole(item, document, most_chars)

    monkeypatch.setattr("indexer.ingest.feed._checked", touched)
    report = index.add([collection])
    assert names(r.path for r in report.failed) == ["a.txt"]
    assert {"m.txt", "y.txt", "z.txt"} <= {*names(report.added), *names(report.changed)}
    held = {Path(record.path).name: record.doc_id for record in index.files()}
    assert held["m.txt"] == held["y.txt"] == held["z.txt"] not in (None, held["a.txt"])
    assert held["a.txt"] is not None
    check_whole(index)


def test_a_time_stamp_that_64_bits_cannot_say_is_the_nearest_one(index, collection):
    path, year_2300 = collection / "notes/roof.txt", 330 * 31_556_952
    os.utime(path, (year_2300, year_2300))
    if path.stat().st_mtime != year_2300:
        pytest.skip("this file system keeps no such time")
    report = index.add([collection])
    assert len(report.added) == len(TEXTS)
    assert report.failed == []
    assert max(record.mtime_ns for record in index.files()) == 2**63 - 1
    assert index.search("roof", k=1, filters=Filters(after="2024"))[0].path == str(path)
    assert index.add([collection]).changed == []


def test_stopping_does_not_wait_for_a_slow_file(index, collection, monkeypatch):
    def never(pool, paths, *, ahead=8):
        next(iter(paths), None)  # stopped before the first one, on a busy machine
        time.sleep(5)
        yield from ()

    monkeypatch.setattr("indexer.ingest.feed.ParserPool.map", never)
    stop_at = time.monotonic() + 0.5
    report = index.add([collection], should_stop=lambda: time.monotonic() > stop_at)
    assert report.interrupted
    check_whole(index)


def test_many_documents_and_many_queries(index, tmp_path):
    """More documents than the searcher keeps at hand: none may be missing when it is needed."""
    folder = tmp_path / "many"
    for i in range(150):
        write(folder / f"{i:03d}.txt", f"Text number{i} tells of item{i % 7} and place{i % 13}.\n")
    index.add([folder])
    for i in range(0, 150, 3):
        hits = index.search(f"number{i} item{i % 7} place{i % 13}", k=10)
        assert hits[0].path.endswith(f"{i:03d}.txt")
        assert all(hit.passages for hit in hits)


def test_a_lone_landmark_without_a_word_of_the_query_is_cold(index, tmp_path):
    write(tmp_path / "d/a.txt", "Bread needs flour.\n")
    write(tmp_path / "d/b.txt", "A zeppelin passed.\n")
    index.add([tmp_path / "d"])
    first, second = index.search("zeppelin")
    assert first.passages[0].score > second.passages[0].score


def test_a_second_writer_is_refused(index, collection):
    index.add([collection])
    with write_lock(index.path), pytest.raises(IndexBusy):
        index.add([collection])


def test_a_reader_sees_new_documents_at_once(index, collection, monkeypatch):
    monkeypatch.setattr("indexer.access.reading.RELOAD_PATIENCE", 1e9)  # as if loading took long
    index.add([collection])
    reader = DocumentIndex(index.path, settings=Settings(), encoder=KeywordEncoder())
    assert not reader.search("zeppelin", k=1)[0].path.endswith("air.txt")
    write(collection / "air.txt", "A zeppelin passed.\n")
    index.add([collection])
    assert reader.search("zeppelin", k=1)[0].path.endswith("air.txt")


def test_while_somebody_writes_a_reader_does_not_load_every_generation(
    index, collection, monkeypatch
):
    monkeypatch.setattr("indexer.access.reading.RELOAD_PATIENCE", 1e9)
    index.add([collection])
    reader = DocumentIndex(index.path, settings=Settings(), encoder=KeywordEncoder())
    reader.search("zeppelin")
    write(collection / "air.txt", "A zeppelin passed.\n")
    index.add([collection])
    with write_lock(index.path) as announce:
        announce()
        assert not reader.search("zeppelin", k=1)[0].path.endswith("air.txt")
    assert reader.search("zeppelin", k=1)[0].path.endswith("air.txt")


def test_threads_ask_one_reader_at_once_and_get_what_one_gets(index, collection):
    index.add([collection])
    questions = ["pump valve", '"pump"', "heron type:txt", "parse frames", "pump -valve"] * 4
    expected = [index.search(question, explain=True) for question in questions]

    class Together(KeywordEncoder):
        """Encodes when two threads ask: one that waits for the other to end would hang."""

        both, calls_made = threading.Barrier(2), itertools.count()

        def encode_query(self, queries):
            if next(self.calls_made) < 2:
                self.both.wait(timeout=60)
            return super().encode_query(queries)

    reader = DocumentIndex(index.path, settings=Settings(), encoder=Together())
    with ThreadPoolExecutor(2) as clients:
        first = list(clients.map(reader.search, ["pump valve", "heron reeds"]))
    assert [hits[0].path for hits in first] == [
        index.search(question)[0].path for question in ("pump valve", "heron reeds")
    ]

    reader = DocumentIndex(index.path, settings=Settings(), encoder=KeywordEncoder())
    with ThreadPoolExecutor(8) as clients:
        found = list(clients.map(partial(reader.search, explain=True), questions))
    assert found == expected


def test_threads_go_over_to_new_documents_together(index, collection, monkeypatch):
    monkeypatch.setattr(reading, "RELOAD_PATIENCE", 0)  # loading is slow on a busy machine
    index.add([collection])
    reader = DocumentIndex(index.path, settings=Settings(), encoder=KeywordEncoder())
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            assert reader.search("pump", k=1)

    with ThreadPoolExecutor(4) as clients:
        asking = [clients.submit(ask) for _ in range(3)]
        try:
            for n in range(3):
                write(collection / f"air{n}.txt", f"A zeppelin{n} passed.\n")
                index.add([collection])
                assert reader.search(f"zeppelin{n}", k=1)[0].path.endswith(f"air{n}.txt")
        finally:
            stop.set()
        for future in asking:
            future.result()


def test_stopping_publishes_what_was_done_and_the_next_run_goes_on(index, tmp_path):
    folder = tmp_path / "many"
    for i in range(20):
        write(folder / f"{i:02d}.txt", f"Text number{i} tells of item{i}.\n")
    index.settings = Settings(parse_workers=1, batch_chars=100)
    stop_after = 9  # in the middle of a later batch

    def should_stop():
        return index.encoder.encoded_texts >= stop_after

    report = index.add([folder], should_stop=should_stop)
    assert report.interrupted
    assert 0 < len(report.added) < 20
    check_whole(index)
    rest = index.add([folder])
    assert len(rest.added) + len(rest.unchanged) == 20
    check_whole(index)


def test_context_fits_its_budget_and_cites(index, collection):
    index.add([collection])
    blocks = index.context("pump valve", token_budget=60)
    assert blocks
    assert sum(index.encoder.count_tokens(str(block)) for block in blocks) <= 60
    assert blocks[0].citation.startswith("pump.md, line")
    assert index.context("pump", token_budget=0) == []


def test_heat_covers_the_document(index, collection):
    index.add([collection])
    doc_id = index.search("pump", k=1)[0].doc_id
    heat = index.heat("brass valve", doc_id)
    assert heat[0].start == 0
    assert heat[-1].end == len(index.document(doc_id).text)
    assert all(0 <= cell.heat <= 1 for cell in heat)
    with pytest.raises(KeyError):
        index.heat("x", "unknown")


def test_progress_ends_at_everything(index, collection):
    seen = []
    index.add([collection], progress=seen.append)
    assert seen[-1].files_done == seen[-1].files_total == len(TEXTS)
    assert seen[-1].bytes_done == seen[-1].bytes_total
    assert seen[-1].documents == len(TEXTS)


def test_running_feet_are_neither_shown_nor_marked(index):
    samples = Path(__file__).parents[2] / "data/samples"
    index.add([samples / "kerrow-moss-field-report.pdf"])
    for query in ("Kerrow Moss thirty years fire", "putting out the bog fire at Kerrow Moss"):
        for passage in index.search(query, k=1, passages=3)[0].passages:
            assert not passage.text.rstrip("0123456789 \n").endswith("2011")
            assert "Thirty Years on Kerrow Moss 13" not in passage.text
            text = index.document(index.search(query, k=1)[0].doc_id).text
            assert text[passage.start : passage.end] == passage.text


def test_a_scan_has_no_text_and_a_half_read_document_says_so(index, tmp_path):
    write(tmp_path / "d/scan.pdf", draw_scan(2))
    mixed = PdfWriter()
    mixed.append(io.BytesIO(draw_scan(1)))
    mixed.append(io.BytesIO(draw([["words of a page"]])))
    buffer = io.BytesIO()
    mixed.write(buffer)
    write(tmp_path / "d/mixed.pdf", buffer.getvalue())
    report = index.add([tmp_path / "d"])
    (scan,), (partly,) = report.no_text, report.partly
    assert scan.path.endswith("scan.pdf")
    assert scan.reason.startswith("holds no text: 2 pages, no text layer")
    assert partly.path.endswith("mixed.pdf")
    assert partly.reason == "1 of 2 pages have no text layer: run OCR, or install lmk[ocr]"
    assert [record.path for record in index.add([tmp_path / "d"]).partly] == [partly.path]


def test_a_document_without_a_title_goes_under_the_name_of_its_file(index, tmp_path):
    write(tmp_path / "d/old.txt", "A zebra crossed.\n")
    index.add([tmp_path / "d"])
    (tmp_path / "d/old.txt").rename(tmp_path / "d/new.txt")
    index.add([tmp_path / "d"])
    assert index.search("zebra", k=1)[0].title == "new.txt"


def test_a_folder_that_cannot_be_written_is_a_clear_error(index, collection):
    index.add([collection])
    (index.path / "write.lock").unlink()
    (index.path / "write.lock").mkdir()
    with pytest.raises(ConfigError, match="cannot be written"):
        index.add([collection])


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_an_index_made_anew_in_the_same_place_answers_from_itself(index, collection, how):
    reader = DocumentIndex(index.path, settings=index.settings, encoder=index.encoder)
    index.add([collection / "notes"])
    assert reader.search("roof", k=1)[0].path.endswith("roof.txt")
    before = reader.version
    index.close()
    shutil.rmtree(index.path)
    if how == "removed":
        index.add([collection / "code"])
    else:  # an index that travelled in a file is another one, too
        other = DocumentIndex(
            index.path.parent / "o", settings=index.settings, encoder=index.encoder
        )
        other.add([collection / "code"])
        other.export(collection.parent / "o.lmkx")
        index.import_from(collection.parent / "o.lmkx")
        assert index.version.split()[0] != other.version.split()[0]
    assert reader.version != before
    assert [hit.path.rpartition("/")[2] for hit in reader.search("roof")] == ["tide.py"]


def test_an_index_made_when_there_were_no_identities_is_read(index, collection):
    index.add([collection])
    found, file = index.search("roof"), index.path / "index.json"
    raw = json.loads(file.read_text())
    assert len(raw.pop("identity")) == 16
    file.write_text(json.dumps(raw))
    assert index.search("roof") == found
    assert index.add([collection]).added == []


def test_tables_without_their_index_json_are_not_thrown_away(index, collection, tmp_path):
    index.add([collection])
    file = index.path / "index.json"
    saved = file.read_bytes()
    file.unlink()
    for use in (
        lambda: index.search("roof"),
        index.doctor,
        index.status,
        lambda: index.add([collection / "code"]),
        lambda: index.import_from(write(tmp_path / "o.lmkx", "")),
    ):
        with pytest.raises(IndexDamaged, match=r"index\.json is missing.*--rebuild PATH"):
            use()
    with pytest.raises(SourceNotFound, match="no path was named"):
        index.rebuild()
    file.write_bytes(saved)
    assert index.doctor() == []
    file.unlink()
    assert len(index.rebuild([collection]).added) == len(TEXTS)
    check_whole(index)


@pytest.mark.parametrize("wrong", [{"tables": 5}, {"roots": [1]}], ids=str)
def test_wrong_values_in_index_json_are_told_with_the_way_back(index, collection, tmp_path, wrong):
    index.add([collection])
    file = index.path / "index.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | wrong))
    for use in (lambda: index.search("roof"), index.status, index.doctor, index.files):
        with pytest.raises(IndexMismatch, match=r"wrong value.*--rebuild"):
            use()
    with pytest.raises(IndexMismatch, match=r"wrong value.*--rebuild"):
        index.add([collection])
    index.rebuild([collection])
    check_whole(index)
    index.export(tmp_path / "all.lmkx")
    with zipfile.ZipFile(tmp_path / "all.lmkx") as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    parts["index.json"] = json.dumps(json.loads(parts["index.json"]) | wrong).encode()
    with zipfile.ZipFile(tmp_path / "bad.lmkx", "w") as bad:
        for name, data in parts.items():
            bad.writestr(name, data)
    other = DocumentIndex(tmp_path / "o", settings=index.settings, encoder=index.encoder)
    with pytest.raises(ConfigError, match=r"bad\.lmkx cannot be read.*wrong value"):
        other.import_from(tmp_path / "bad.lmkx")
    assert not other.exists


def test_a_damaged_index_is_a_clear_error(index, collection):
    index.add([collection])
    for file in index.path.glob("tables-1/landmarks.lance/data/*"):
        file.unlink()
    reader = DocumentIndex(index.path, settings=Settings(), encoder=KeywordEncoder())
    doc_id = next(record.doc_id for record in reader.files() if record.doc_id)
    for read in (lambda: reader.search("pump"), lambda: reader.document(doc_id)):
        with pytest.raises(IndexMismatch, match=r"damaged.*lmk doctor"):
            read()
    assert len(reader.rebuild().added) == len(TEXTS)
    check_whole(reader)


@pytest.mark.parametrize(
    "damaged",
    [
        lambda manifest: manifest.replace(b"fixed_size_list:", b"fixed_sizw_list:"),
        lambda manifest: manifest[:15],
    ],
)
def test_where_the_engine_panics_the_index_is_damaged(index, collection, damaged):
    index.add([collection])
    newest = min(index.path.glob("tables-1/landmarks.lance/_versions/*.manifest"))
    content = newest.read_bytes()
    newest.write_bytes(damaged(content))
    assert newest.read_bytes() != content
    reader = DocumentIndex(index.path, settings=Settings(), encoder=KeywordEncoder())
    for read in (lambda: reader.search("pump"), reader.files, reader.status):
        with pytest.raises(IndexMismatch, match=r"damaged.*lmk doctor"):
            read()
    assert len(reader.rebuild().added) == len(TEXTS)


def test_settings_the_model_cannot_follow_leave_no_index_behind(tmp_path, collection):
    folder = tmp_path / "tiny"
    folder.mkdir()
    write_tiny_checkpoint(folder, window_tokens=16)
    with pytest.raises(ConfigError, match="window"):
        DocumentIndex.open(tmp_path / "i", model=str(folder)).add([collection])
    assert not (tmp_path / "i").exists()


def test_a_search_may_ask_some_signals_only(index, collection):
    index.add([collection])
    (hit, *_) = index.search("pump", weights={"text_document": 1.0})
    assert hit.path.endswith("pump.md")
    assert index.search("pump", weights={"text_document": 2.0})[0].score == 2 * hit.score
    with pytest.raises(ValueError, match="no signal 'text'"):
        index.search("pump", weights={"text": 1.0})


def test_an_edit_of_a_long_document_encodes_few_windows(tmp_path, tmp_path_factory):
    encoder = tiny_encoder(tmp_path_factory.mktemp("tiny"))
    lines = [f"Line {i} tells of {i * i % 97} things and {i % 13} others.\n" for i in range(150)]
    path = write(tmp_path / "d/long.txt", "".join(lines))
    settings = Settings(parse_workers=1, prose_tokens=16, code_tokens=16, other_tokens=16)
    index = DocumentIndex(tmp_path / "i", settings=settings, encoder=encoder)
    first = index.add([tmp_path / "d"])
    assert (first.windows > 30, first.windows_known) == (True, 0)
    lines[75] = "Quite another line.\n"
    write(path, "".join(lines), age_s=50)
    second = index.add([tmp_path / "d"])
    assert second.windows_known > 0.8 * second.windows
    check_whole(index)
    assert index.verify(None).findings == []
    index.close()


def test_status_tells_what_is_pending_and_how_much_was_read(index, collection):
    index.add([collection])
    assert asdict(index.pending()) == {"new": 0, "changed": 0, "gone": 0, "retry": 0}
    before = tree_hash(index.path)
    write(collection / "new.txt", "New.\n")
    write(collection / "notes/pump.md", "# Pumps\n\nChanged.\n", age_s=50)
    (collection / "page.html").unlink()
    assert asdict(index.pending()) == {"new": 1, "changed": 1, "gone": 1, "retry": 0}
    assert tree_hash(index.path) == before
    write(collection / "broken.pdf", b"%PDF-1.7\nbroken")
    index.add([collection])
    assert asdict(index.pending()) == {"new": 0, "changed": 0, "gone": 0, "retry": 1}
    status = index.status()
    assert status.coverage["units"] >= status.coverage["with_text"] > 0
    assert status.coverage["failed"] == 0
    assert status.bytes_per_token == pytest.approx(status.size_bytes / status.tokens, abs=0.01)
    assert status.unfinished == ()


def test_a_limit_that_is_raised_lets_the_file_in(tmp_path):
    write(tmp_path / "d/long.txt", "words and words " * 80_000)
    write(tmp_path / "d/short.txt", "a few words\n")

    def run(**limits):
        settings = Settings(parse_workers=1, ocr_pages=0, **limits)
        with DocumentIndex.open(
            tmp_path / "i", settings=settings, encoder=KeywordEncoder()
        ) as index:
            report = index.add([tmp_path / "d"])
            return len(report.added), [record.reason for record in report.excluded]

    added, excluded = run(max_file_mb=1)
    assert added == 1
    assert "larger than max_file_mb = 1." in excluded[0]
    added, excluded = run(max_document_chars=1000)
    assert added == 0
    assert "longer than max_document_chars = 1000." in excluded[0]
    assert run() == (1, [])
    assert run() == (0, [])
