"""What a run has to do, from a ledger and a walk made by hand."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.config import Settings
from indexer.documents import FileRecord
from indexer.ingest.changes import RACY_NS, asks_for, make_plan
from indexer.ingest.feed import now_possible
from indexer.ingest.states import limit_told
from indexer.sources.files import SourceFile, is_under, path_key
from indexer.sources.walk import Found

NOW = 10 * RACY_NS
OLD = FileRecord("/r/a", b"/r/a", "d", 5, 7, "h", "indexed", None, "/r", NOW)
SAME = SourceFile("/r/a", b"/r/a", 5, 7, "/r")


def plan(known, *found, roots=("/r",)):
    return make_plan({record.path: record for record in known}, found, roots, now_ns=NOW)


def test_equal_size_and_time_need_no_reading():
    assert plan([OLD], Found("/r/a", "/r", SAME)).unchanged == (OLD,)


def test_another_size_or_time_is_suspect():
    for file in (replace(SAME, size=6), replace(SAME, mtime_ns=8)):
        assert plan([OLD], Found("/r/a", "/r", file)).suspects == (file,)


def test_a_file_written_while_it_was_read_is_suspect():
    racy = replace(OLD, seen_at=OLD.mtime_ns + RACY_NS)
    assert plan([racy], Found("/r/a", "/r", SAME)).suspects == (SAME,)


def test_failures_are_tried_again_and_skipped_files_are_not():
    failed, skipped = replace(OLD, state="failed"), replace(OLD, state="excluded")
    assert plan([failed], Found("/r/a", "/r", SAME)).suspects == (SAME,)
    assert plan([skipped], Found("/r/a", "/r", SAME)).unchanged == (skipped,)


def test_what_lies_elsewhere_is_not_gone():
    elsewhere = replace(OLD, path="/rr/b")
    assert plan([OLD, elsewhere]).gone == (OLD,)


def test_what_lies_below_an_unreadable_folder_is_kept():
    below = replace(OLD, path="/r/locked/b")
    result = plan([OLD, below], Found("/r/locked", "/r", error="permission denied"))
    assert result.gone == (OLD,)
    assert [record.state for record in result.marked] == ["failed"]


def test_a_named_path_that_is_missing_is_reported_and_keeps_its_documents():
    result = plan([OLD], Found("/r", "/r", error="does not exist"))
    assert (result.gone, result.marked) == ((), ())
    assert [record.reason for record in result.missing] == ["does not exist"]


def test_an_excluded_path_is_marked_once():
    found = Found("/r/a", "/r", excluded="hidden")
    (marked,) = plan([OLD], found).marked
    assert (marked.state, marked.reason) == ("excluded", "hidden")
    assert plan([marked], found).unchanged == (marked,)


def test_a_path_named_itself_is_read_though_a_rule_leaves_it_out():
    left_out, named = Found("/r/a", "/r", excluded="hidden"), Found("/r/a", "/r/a", SAME)
    for order in ([left_out, named], [named, left_out]):
        assert plan([], *order).suspects == (SAME,)
        assert plan([], *order).marked == ()


def test_two_spellings_of_one_name_are_two_files():
    composed = replace(SAME, path="/r/\u00f3", raw_path="/r/\u00f3".encode())
    apart = replace(SAME, path="/r/\u00f3", raw_path="/r/o\u0301".encode())
    found = [Found("/r/\u00f3", "/r", composed), Found("/r/\u00f3", "/r", apart)]
    for order in (found, found[::-1]):
        files = {file.path: file.raw_path for file in plan([], *order).suspects}
        assert files == {"/r/\u00f3": composed.raw_path, "/r/o\u0301": apart.raw_path}


@pytest.mark.parametrize(
    ("raw_paths", "paths"),
    [
        # Bytes that are no UTF-8, and a name that spells them out.
        ([b"/r/a\\xff", b"/r/a\xff"], ["/r/a\\xff", "/r/a\\udcff"]),
        (
            [b"/r/a\\xff", b"/r/a\xff", b"/r/a\\udcff"],
            ["/r/a\\xff", "/r/a\\\\udcff", "/r/a\\udcff"],
        ),
        # Folders, of which the root is spelt as it is known.
        (
            ["/r\u0301/o\u0301/a".encode(), "/r\u0301/\u00f3/a".encode()],
            ["/\u0155/o\u0301/a", "/\u0155/\u00f3/a"],
        ),
        # Neither is spelt like the key: two marks in another order, and one of both composed.
        (
            ["/r/o\u0323\u0302".encode(), "/r/\u1ecd\u0302".encode()],
            ["/r/\u1ed9", "/r/\u1ecd\u0302"],
        ),
    ],
)
def test_every_file_has_a_key_of_its_own_whatever_the_order(raw_paths, paths):
    root = path_key(Path(os.fsdecode(b"/" + raw_paths[0].split(b"/")[1])))
    found = []
    for raw_path in raw_paths:
        key = path_key(Path(os.fsdecode(raw_path)))
        found.append(Found(key, root, SourceFile(key, raw_path, 5, 7, root)))
    for order in (found, found[::-1]):
        suspects = plan([], *order, roots=(root,)).suspects
        assert {file.raw_path: file.path for file in suspects} == dict(
            zip(raw_paths, paths, strict=True)
        )
        assert all(is_under(file.path, root) for file in suspects)


def test_a_file_over_a_limit_is_looked_at_again_when_the_limit_is_another_one():
    reason = f"larger than {limit_told('max_file_mb', 5)}. Raise LMK_MAX_FILE_MB to read it."
    large = replace(OLD, doc_id=None, state="excluded", reason=reason)
    scan = replace(OLD, state="partly read", reason="OCR is tried on no more than ocr_pages = 100.")
    for settings, again in (
        (Settings(max_file_mb=5), False),
        (Settings(max_file_mb=5, max_document_chars=9), False),
        (Settings(max_file_mb=5.5), True),
        (Settings(max_file_mb=512), True),
    ):
        assert asks_for(large, now_possible(settings)) is again
    assert not asks_for(scan, now_possible(Settings(ocr_pages=100)))
    assert asks_for(scan, now_possible(Settings(ocr_pages=1000)))
    assert not asks_for(OLD, now_possible(Settings()))
