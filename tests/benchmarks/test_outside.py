"""Frameworks beside ours: what they lost, and what is said of one that cannot be run."""

import sys
from pathlib import Path

import pypdfium2
import pytest

from benchmarks.harness import frameworks, outside
from benchmarks.harness.corpus import CorpusFile
from benchmarks.harness.outside import Outcome, awkward_files, lost, run_all, run_one


def test_lost_is_what_left_no_row_and_was_not_told(tmp_path):
    paths = [tmp_path / name for name in ("kept.txt", "told.txt", "gone.txt")]

    assert lost(paths, [str(paths[0])], "told.txt cannot be decoded") == ("gone.txt",)


def test_awkward_files_are_what_they_are_called(tmp_path):
    pdf = tmp_path / "whole.pdf"
    document = pypdfium2.PdfDocument.new()
    document.new_page(200, 200)
    document.save(pdf)

    files = {path.name: path.read_bytes() for path in awkward_files(tmp_path / "a", pdf)}

    assert files["utf-16.txt"].decode("utf-16") == files["windows-1252.txt"].decode("cp1252")
    with pytest.raises(UnicodeDecodeError):
        files["windows-1252.txt"].decode()
    assert pdf.read_bytes().startswith(files["cut-off.pdf"])
    assert len(files["cut-off.pdf"]) == pdf.stat().st_size * 4 // 5


def test_without_a_python_every_framework_is_absent(tmp_path):
    outcomes = run_all(None, tmp_path, [], tmp_path / "scratch")

    assert set(outcomes) == {"haiku_rag", *frameworks.WAYS}
    assert outcomes["langchain"].absent == outside.NOT_RUN
    assert outcomes["langchain"].figures("langchain") == {
        "langchain_s": None,
        "langchain_cpu_s": None,
        "langchain_mb": None,
        "langchain_lost": None,
    }


def test_a_python_that_is_not_there_is_told(tmp_path):
    found = run_one(tmp_path / "python", "langchain", tmp_path, [], tmp_path / "table")

    assert "cannot be run" in found.absent


@pytest.mark.skipif(not frameworks.missing("llamaindex"), reason="LlamaIndex is installed here")
def test_what_is_not_installed_is_named(tmp_path):
    found = run_one(Path(sys.executable), "llamaindex", tmp_path, [], tmp_path / "table")

    assert "llama-index-core" in found.absent
    assert "not installed" in found.absent


def test_the_table_says_what_was_lost_or_why_there_is_nothing():
    outcomes = {
        "a": Outcome(2.0, 1.5, 3.0, ("x.txt",)),
        "b": Outcome(1.0, 0.5, 1.0),
        "c": Outcome(absent="not installed"),
    }

    _, rows = outside.as_table(outcomes)

    assert [row[-1] for row in rows] == ["x.txt", "nothing", "not installed"]
    assert outcomes["a"].figures("a")["a_lost"] == 1


def test_awkward_files_are_made_once(tmp_path):
    files = [CorpusFile(tmp_path / "a.txt", "a.txt", 1)]

    first = outside.with_awkward(files, tmp_path / "scratch")

    assert first == outside.with_awkward(files, tmp_path / "scratch")
    assert len(first) == 3


@pytest.mark.parametrize(
    ("text", "readable"), [("words", True), ("w\0o\0r\0d\0", False), ("  12 ", False), ("", False)]
)
def test_readable_is_what_has_letters_and_no_nul(text, readable):
    assert frameworks.is_readable(text) is readable
