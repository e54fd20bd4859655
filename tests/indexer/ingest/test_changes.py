"""What a run has to do, from a ledger and a walk made by hand."""

from dataclasses import replace

from indexer.documents import FileRecord
from indexer.ingest.changes import RACY_NS, make_plan
from indexer.sources.files import SourceFile
from indexer.sources.walk import Found

NOW = 10 * RACY_NS
OLD = FileRecord("/r/a", b"/r/a", "d", 5, 7, "h", "indexed", None, "/r", NOW)
SAME = SourceFile("/r/a", b"/r/a", 5, 7, "/r")


def plan(known, *found, roots=("/r",)):
    return make_plan({record.path: record for record in known}, found, roots, now_ns=NOW)


def test_equal_size_and_time_need_no_reading():
    assert plan([OLD], Found("/r/a", SAME)).unchanged == (OLD,)


def test_another_size_or_time_is_suspect():
    for file in (replace(SAME, size=6), replace(SAME, mtime_ns=8)):
        assert plan([OLD], Found("/r/a", file)).suspects == (file,)


def test_a_file_written_while_it_was_read_is_suspect():
    racy = replace(OLD, seen_at=OLD.mtime_ns + RACY_NS)
    assert plan([racy], Found("/r/a", SAME)).suspects == (SAME,)


def test_failures_are_tried_again_and_skipped_files_are_not():
    failed, skipped = replace(OLD, state="failed"), replace(OLD, state="skipped")
    assert plan([failed], Found("/r/a", SAME)).suspects == (SAME,)
    assert plan([skipped], Found("/r/a", SAME)).unchanged == (skipped,)


def test_what_lies_elsewhere_is_not_gone():
    elsewhere = replace(OLD, path="/rr/b")
    assert plan([OLD, elsewhere]).gone == (OLD,)


def test_what_lies_below_an_unreadable_folder_is_kept():
    below = replace(OLD, path="/r/locked/b")
    result = plan([OLD, below], Found("/r/locked", error="permission denied"))
    assert result.gone == (OLD,)
    assert [record.state for record in result.marked] == ["failed"]


def test_a_named_path_that_is_missing_is_reported_and_keeps_its_documents():
    result = plan([OLD], Found("/r", error="does not exist"))
    assert (result.gone, result.marked) == ((), ())
    assert [record.reason for record in result.missing] == ["does not exist"]


def test_an_excluded_path_is_marked_once():
    found = Found("/r/a", excluded="hidden")
    (marked,) = plan([OLD], found).marked
    assert (marked.state, marked.reason) == ("skipped", "excluded: hidden")
    assert plan([marked], found).unchanged == (marked,)
