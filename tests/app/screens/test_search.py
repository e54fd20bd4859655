"""The search screen, headless."""

import json

from indexer.store.manifest import FILE_NAME
from tests.app.conftest import html_of


def test_before_the_first_query_the_index_is_described(show):
    test = show()
    html = html_of(test)

    assert "<b>4 documents</b>" in html
    assert "1 file could not be read" in html
    assert "Ask in your own words" in html
    assert test.text_input(key="query").placeholder == "Search 4 documents"


def test_link_with_a_query_shows_its_results(show):
    """This test ensures that the box does not wipe the link's ?q= with its empty default."""
    test = show(q="cellar pump")
    html = html_of(test)

    assert test.text_input(key="query").value == "cellar pump"
    assert test.query_params["q"] == "cellar pump"
    assert "<mark>cellar</mark> <mark>pump</mark> was replaced" in html
    assert "Manual of the water works" in html
    assert "page 2 (printed 1)" in html
    assert "and 1 copy" in html
    assert 'class="strip"' in html
    assert "of 4 documents, " in html


def test_typing_changes_the_address(show):
    test = show(q="cellar pump", n="20")

    test.text_input(key="query").input("high water").run()

    assert not test.exception
    assert test.query_params == {"q": "high water"}
    assert "tide.py" in html_of(test)
    assert "lines 4-6" in html_of(test) or "lines 4-" in html_of(test)


def test_passages_link_to_their_place(show, doc_id):
    html = html_of(show(q="brass valve"))

    assert f'href="./document?q=brass+valve&amp;doc={doc_id("manual.pdf")}&amp;at=' in html


def test_hostile_text_stays_text(show):
    html = html_of(show(q="basilisk"))

    assert "$5 to $10, &lt;b&gt;x&lt;/b&gt;, `# y`" in html
    assert "&lt;script&gt;window.pwned=1&lt;/script&gt; $x$ :smile:" in html
    assert "evil &lt;img src=x onerror=window.pwned=1&gt; $a$ :smile:.md" in html
    assert "<script" not in html
    assert "<img" not in html
    assert "javascript:" not in html.replace("[a](javascript:", "")


def test_hostile_query_stays_text(show):
    html = html_of(show(q='"><script>window.pwned=1</script>'))

    assert "<script" not in html


def test_blank_query_is_none(show):
    assert "Ask in your own words" in html_of(show(q="   "))


def test_no_index_names_the_command(show, tmp_path):
    html = html_of(show(folder=tmp_path / "none"))

    assert "There is no index" in html
    assert "lmk index PATH" in html


def test_broken_index_tells_the_remedy(show, tmp_path):
    (tmp_path / FILE_NAME).write_text(json.dumps({"schema_version": 99}))

    html = html_of(show(folder=tmp_path))

    assert 'role="alert"' in html
    assert "schema version 99" in html
    assert "lmk index --rebuild" in html


def test_an_unexpected_fault_is_told_and_logged(show, monkeypatch, caplog):
    """This test ensures that a fault of ours never leaves a blank screen."""
    from app import services

    def fail(query, num_hits):
        raise RuntimeError("inner detail")

    monkeypatch.setattr(services, "search", fail)
    html = html_of(show(q="pump"))

    assert 'role="alert"' in html
    assert "unexpected RuntimeError" in html
    assert "inner detail" not in html
    assert "inner detail" in caplog.text
