"""What waits for the encoder: few files, or little text."""

from dataclasses import replace

import pytest

from indexer.config import Settings
from indexer.documents import Document, line_starts
from indexer.ingest import feed
from indexer.ingest.feed import Feed, Parsed, document_id, named_by_itself
from indexer.parsing.decode import clean_line
from indexer.parsing.plain import parse_plain
from indexer.sources.files import SourceFile
from tests.indexer.parsing.test_pool import children

FILE = SourceFile(path="/a.txt", raw_path=b"/a.txt", root="/", size=1, mtime_ns=0)


def parsed(chars: int) -> Parsed:
    text = "x" * chars
    document = Document(text, "text", "", "line", line_starts(text))
    return Parsed(FILE, looked_at=0, document=document)


def test_a_long_document_fills_the_queue_by_itself(monkeypatch):
    monkeypatch.setattr(feed, "_CHARS_A_PLACE", 100)
    ready = feed._Ready(16)
    for item in (parsed(0), parsed(99), parsed(1300)):  # 1, 1 and 14 places
        assert not ready.full()
        ready.put(item)
    assert ready.full()
    assert [len(ready.get().document.text) for _ in range(3)] == [0, 99, 1300]
    assert ready.empty()


def test_what_is_larger_than_the_queue_is_let_in_alone(monkeypatch):
    monkeypatch.setattr(feed, "_CHARS_A_PLACE", 100)
    ready = feed._Ready(16)
    ready.put(parsed(5000), timeout=0)
    assert ready.full()
    assert len(ready.get(timeout=0).document.text) == 5000
    ready.put(Parsed(FILE, looked_at=0), timeout=0)
    assert not ready.full()


def test_parsers_end_when_nothing_is_left_to_parse(tmp_path):
    """One that had read 5,000 pages kept 460 MB while they were encoded."""
    path = tmp_path / "a.txt"
    path.write_text("Some words.\n")
    status = path.stat()
    file = SourceFile(str(path), bytes(path), status.st_size, status.st_mtime_ns, str(tmp_path))

    before = children()
    with Feed([file], (), Settings(), lambda: False) as found:
        items = [item for item in found if item is not None]
        running = children() - before

    assert [item.document.text for item in items] == ["Some words.\n"]
    assert not running


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a.txt", "b.TXT", True),
        ("notes.txt", "CMakeLists.txt", False),
        ("Dockerfile.dev", "Dockerfile.prod", False),
        ("x.dev", "Dockerfile.dev", False),
        ("a.txt", "a.rst.txt", False),
        ("a.v1.txt", "a.v2.txt", True),
        ("Makefile", "src/Makefile", True),
        ("Makefile", "README", False),
    ],
)
def test_names_that_are_read_alike_are_one_document(one, other, same):
    assert (document_id("hash", one) == document_id("hash", other)) is same


@pytest.mark.parametrize("name", ["my  report.txt", "tab\there.txt", "plain.txt"])
def test_a_title_that_is_only_the_name_leaves_with_it(name):
    document = parse_plain("Some words.\n", name=name)
    document = replace(document, title=clean_line(document.title))
    named = named_by_itself(document, f"/d/{name}")
    assert (named.title, named.metadata["file_name"]) == ("", name)
    assert named_by_itself(replace(document, title="Report"), f"/d/{name}").title == "Report"
