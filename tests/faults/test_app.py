"""Faults of such products' screens that users met, by their numbers in the list of faults."""

import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import app
from app import services
from indexer import DocumentIndex
from indexer.config import Settings
from lmk_encoder.testing import KeywordEncoder
from tests.app.conftest import html_of

MAIN = Path(app.__file__).with_name("main.py")
LITERAL = ("$5 to $10", "<b>x</b>", "# y", "[a](b)", ":smile:", "<img src=x onerror=alert(1)>")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[DocumentIndex]:
    """Two documents; one says what other renderers would take for markup."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "heron.txt").write_text("A heron stands in the reeds.\n")
    (files / "<b>x $a$.txt").write_text(f"A basilisk costs {' '.join(LITERAL)} today.\n")
    settings = Settings(parse_workers=1)
    opened = DocumentIndex(tmp_path / "i.lmk", settings=settings, encoder=KeywordEncoder())
    opened.add([files])
    yield opened
    opened.close()


@pytest.fixture
def visit(index: DocumentIndex, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Another person's visit to an address."""
    monkeypatch.setattr(services, "_open", lambda path: index)
    monkeypatch.setattr(sys, "argv", ["main.py", "--index", str(index.path)])

    def run(**params: str) -> AppTest:
        test = AppTest.from_file(str(MAIN), default_timeout=60)
        for name, value in params.items():
            test.query_params[name] = value
        test.run()
        assert not test.exception
        return test

    return run


def state_of(folder: Path) -> list[tuple[str, str]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(path.name, sha256(path.read_bytes()).hexdigest()) for path in files]


def test_50_what_is_pressed_on_a_screen_writes_nothing(visit, index):
    before = state_of(index.path)
    test = visit(q="heron")

    test.text_input(key="query").input("heron type:txt").run()
    test.run()
    test.text_input(key="query").input('"basilisk costs" -heron').run()

    assert not test.exception
    assert state_of(index.path) == before


def test_51_indexing_beside_the_screen_goes_on_and_is_seen(visit, index, tmp_path):
    test = visit(q="heron")
    assert html_of(test).count('class="hit"') == 2
    during: list[str] = []

    def look(progress: object) -> None:
        test.run()
        during.append(html_of(test))

    (tmp_path / "files" / "two.txt").write_text("Another heron fishes.\n")
    writer = DocumentIndex(index.path, settings=Settings(parse_workers=1), encoder=KeywordEncoder())
    writer.add([tmp_path / "files"], progress=look)
    test.run()

    assert during
    assert all("stands in the reeds" in html for html in during)
    assert html_of(test).count('class="hit"') == 3
    assert html_of(visit(q="heron")).count('class="hit"') == 3  # another tab sees the same
    writer.close()


def test_52_a_tab_holds_small_values_only_and_shares_the_rest(visit, index):
    visit(q="heron")
    searcher, calls = index._reader.ask(lambda searcher: searcher), index.encoder.calls
    for _ in range(5):
        test = visit(q="heron")
        assert "query" in test.session_state
        assert len(repr(test.session_state)) < 500  # no hits, texts or vectors

    assert index._reader.ask(lambda searcher: searcher) is searcher
    assert index.encoder.calls == calls  # answers are shared, too


def test_53_text_of_documents_is_shown_literally(visit):
    html = html_of(visit(q="basilisk"))

    for text in LITERAL:
        shown = text.replace("<", "&lt;").replace(">", "&gt;")
        assert shown in html.replace("<mark>", "").replace("</mark>", "")
    assert "&lt;b&gt;x $a$.txt" in html
    assert "<img" not in html
    assert "<mark>basilisk</mark>" in html
