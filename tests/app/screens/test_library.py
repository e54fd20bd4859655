"""The library screen, headless: every file, its state and the reason."""

from app.screens.library import choose
from indexer.documents import FileRecord
from tests.app.conftest import html_of


def record(path, state):
    return FileRecord(path, path.encode(), None, 1, 0, None, state, None, "/", 0)


def test_what_failed_comes_first():
    files = [record("b", "indexed"), record("a", "indexed"), record("z", "failed")]

    assert [file.path for file in choose(files, "", None)] == ["z", "a", "b"]
    assert [file.path for file in choose(files, "A", "indexed")] == ["a"]


def test_files_with_states_and_reasons(show, doc_id):
    html = html_of(show(library=True))

    assert "7 files" in html
    assert html.index("broken.pdf") < html.index("empty.txt") < html.index("bakery.html")
    assert "is no PDF that can be read" in html
    assert f'href="./document?doc={doc_id("tide.py")}"' in html
    assert "<b>3</b><span>pages</span>" in html
    assert "&lt;img src=x onerror=window.pwned=1&gt;" in html
    assert "<img" not in html


def test_filters_are_part_of_the_address(show):
    test = show(library=True, state="failed")
    assert "1 file<" in html_of(test)

    test.text_input(key="filter").input("nowhere").run()

    assert test.query_params == {"file": "nowhere", "state": "failed"}
    assert "No file matches." in html_of(test)
