"""The index is opened once, searched once a query, and its changes are seen at once."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import services
from indexer import DocumentIndex
from indexer.config import Settings
from indexer.errors import IndexNotFound
from lmk_encoder.testing import KeywordEncoder
from tests.app.conftest import html_of


def test_index_is_named_after_the_dashes():
    assert services.index_path(["--index", "/srv/docs.lmk"]) == Path("/srv/docs.lmk")
    assert services.index_path(["-q", "--unknown"]) == Path(".lmk").resolve()


def test_a_rerun_does_not_search_again(show, index):
    test = show(q="cellar pump")
    calls = index.encoder.calls

    test.run()

    assert not test.exception
    assert index.encoder.calls == calls


def test_sessions_share_answers(show, index):
    show(q="brass valve")
    calls = index.encoder.calls

    show(q="brass valve")

    assert index.encoder.calls == calls


def test_a_new_generation_is_seen_without_a_restart(tmp_path, monkeypatch):
    """This test ensures that files indexed while the page is open turn up at the next click."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.txt").write_text("A heron stands in the reeds.")
    settings = Settings(parse_workers=1)
    index = DocumentIndex(tmp_path / "i.lmk", settings=settings, encoder=KeywordEncoder())
    index.add([files])
    monkeypatch.setattr(services, "_open", lambda path: index)
    monkeypatch.setattr("sys.argv", ["main.py", "--index", str(index.path)])
    test = AppTest.from_file(services.__file__.replace("services", "main"), default_timeout=30)
    test.query_params["q"] = "heron"
    test.run()
    assert html_of(test).count('class="hit"') == 1

    (files / "b.txt").write_text("Another heron fishes.")
    index.add([files])
    test.run()

    assert html_of(test).count('class="hit"') == 2
    index.close()


def test_no_index_is_told_as_such(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["main.py", "--index", str(tmp_path / "none")])

    with pytest.raises(IndexNotFound):
        services.status()
