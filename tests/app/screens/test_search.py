"""The search screen, headless."""

import json

from indexer.store.manifest import FILE_NAME
from tests.app.conftest import html_of


def test_before_the_first_query_the_index_is_described(show):
    test = show()
    html = html_of(test)

    assert "<b>4 documents</b>" in html
    assert "2 files could not be read" in html
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
    assert "Results 1 to 4 of 4, " in html


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


def test_filters_are_chips_and_facets(show):
    html = html_of(show(q="pump type:pdf"))

    assert html.count('class="hit"') == 1
    assert 'href="./?q=pump" aria-label="Remove type:pdf"' in html
    assert 'href="./?q=pump" aria-current="true"><bdi>PDF</bdi><span>1</span>' in html
    assert 'href="./?q=pump+type%3Apdf+type%3Acode"' in html


def test_a_year_takes_the_place_of_another(show):
    from app.components.filters import toggled
    from indexer import FacetCount
    from indexer.query.parse import parse

    year = FacetCount("2024", 3, "after:2024 before:2025")
    chosen = toggled(parse("pump after:2023 before:2024"), "year", year)

    assert str(chosen) == "pump after:2024 before:2025"
    assert str(toggled(chosen, "year", year)) == "pump"


def test_conditions_that_nothing_meets_can_be_taken_away(show):
    html = html_of(show(q='"cellar valve" pump'))

    assert "No document meets all conditions" in html
    assert 'href="./?q=pump"' in html


def test_what_was_taken_as_words_is_told(show):
    assert "has no partner" in html_of(show(q='say "hi'))


def test_a_score_is_explained(show):
    html = html_of(show(q="cellar pump"))

    assert "Why this score" in html
    assert "Whole document by words" in html
    assert "<bdi>cellar</bdi> 1" in html


def test_what_resembles_a_document(show, doc_id):
    like = doc_id("manual.pdf")
    html = html_of(show(like=like))

    assert "Manual of the water works</bdi></a></h1>" in html
    assert html.count('class="hit"') == 3
    assert 'aria-label="Result 1: Manual' not in html
    assert f"like={like}" in html_of(show(like=f"{like}:0-30"))
    assert "does not hold this document" in html_of(show(like="abc"))
    assert "does not hold this document" in html_of(show(like=f"{like}:99999-999999"))


def test_pages_of_results(show, monkeypatch):
    from app.screens import search

    monkeypatch.setattr(search, "PORTION", 3)
    first, second = html_of(show(q="pump")), html_of(show(q="pump", **{"from": "3"}))

    assert "Results 1 to 3 of 4" in first
    assert 'rel="next" href="./?q=pump&amp;from=3"' in first
    assert "Results 4 to 4 of 4" in second
    assert 'rel="prev" href="./?q=pump"' in second
    assert 'rel="next"' not in second


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
    assert "its schema is 99" in html
    assert "lmk index --rebuild" in html


def test_an_unexpected_fault_is_told_and_logged(show, monkeypatch, caplog):
    """This test ensures that a fault of ours never leaves a blank screen."""
    from app import services

    def fail(query, num_hits, offset):
        raise RuntimeError("inner detail")

    monkeypatch.setattr(services, "search", fail)
    html = html_of(show(q="pump"))

    assert 'role="alert"' in html
    assert "unexpected RuntimeError" in html
    assert "inner detail" not in html
    assert "inner detail" in caplog.text
