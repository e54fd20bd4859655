"""The document screen, headless: pages, lines, and what cannot be shown."""

import re

from indexer import DocumentIndex
from indexer.config import Settings
from lmk_encoder.testing import KeywordEncoder
from tests.app.conftest import html_of
from tests.app.files import write_manual


def test_pdf_opens_at_the_passage_with_boxes(show, doc_id):
    test = show(document=True, q="cellar pump", doc=doc_id("manual.pdf"))
    html = html_of(test)

    assert "Page 2 of Manual of the water works" in html
    assert "data:image/png;base64," in html
    assert '<span class="box" data-place style="left:' in html
    assert '<span class="box word"' in html
    assert test.number_input(key="unit").value == 2
    assert "of 3, printed <bdi>1</bdi>" in html
    assert "← Results for “cellar pump”" in html


def test_pages_turn_and_stay_in_the_address(show, doc_id):
    test = show(document=True, q="cellar pump", doc=doc_id("manual.pdf"))

    test.button(key="move_Next").click().run()

    assert test.query_params["page"] == "3"
    assert "Page 3 of" in html_of(test)
    assert test.button(key="move_Next").disabled

    test.number_input(key="unit").set_value(1).run()

    assert test.query_params["page"] == "1"
    assert test.button(key="move_Previous").disabled
    assert '<span class="box"' not in html_of(test)  # the passage is on another page


def test_page_as_text(show, doc_id):
    html = html_of(show(document=True, q="brass valve", doc=doc_id("manual.pdf"), view="text"))

    assert "<img" not in html
    assert re.search(r"<mark[^>]*>brass</mark>", html)
    assert "cellar" not in html.split('class="lines')[1].split('class="side"')[0]


def test_best_places_and_sections(show, doc_id):
    html = html_of(show(document=True, q="brass valve", doc=doc_id("manual.pdf")))

    assert "Best places" in html
    assert 'aria-current="true"' in html
    assert "2 Valves</bdi><span>3</span>" in html


def test_code_has_line_numbers_and_colours(show, doc_id):
    test = show(document=True, q="low water", doc=doc_id("tide.py"))
    html = html_of(test)

    assert 'data-n="9"' in html
    assert '<span class="k">def</span>' in html
    assert re.search(r'class="row in" data-n="(9|10)"', html)
    assert "11 lines" in html

    test.toggle(key="whole").set_value(True).run()

    assert test.query_params["lines"] == "all"
    assert 'data-n="1"' in html_of(test)


def test_searching_in_the_document_moves_to_the_best_place(show, doc_id):
    test = show(document=True, q="cellar pump", doc=doc_id("manual.pdf"), page="1")

    test.text_input(key="query").input("brass valve").run()

    assert not test.exception
    assert test.query_params == {"q": "brass valve", "doc": doc_id("manual.pdf")}
    assert test.number_input(key="unit").value == 3


def test_web_page_shows_its_sections(show, doc_id):
    html = html_of(show(document=True, doc=doc_id("bakery.html")))

    assert 'data-n="§ 2"' in html
    assert "Plum cake in autumn." in html
    assert "← Library" in html


def test_hostile_document_stays_text(show, doc_id):
    html = html_of(show(document=True, q="basilisk", doc=doc_id(":smile:.md")))

    assert "# Title &lt;script&gt;window.pwned=1&lt;/script&gt; $x$ :smile: **bold**" in html
    assert "<script" not in html
    assert "<img" not in html
    assert "<style" not in html


def test_place_outside_the_document_is_forgiven(show, doc_id):
    html = html_of(show(document=True, doc=doc_id("manual.pdf"), at="5-999999", page="77"))

    assert "Page 3 of" in html


def test_unknown_document_is_explained(show):
    assert "does not hold this document" in html_of(show(document=True, doc="../../etc/passwd"))


def test_file_that_went_leaves_its_text(show, tmp_path, monkeypatch):
    """This test ensures that a page is shown as text once its file cannot be drawn."""
    from app import services

    source = tmp_path / "manual.pdf"
    write_manual(source)
    settings = Settings(parse_workers=1)
    with DocumentIndex(tmp_path / "i.lmk", settings=settings, encoder=KeywordEncoder()) as index:
        index.add([source])
        found = index.files()[0].doc_id
        monkeypatch.setattr(services, "_open", lambda path: index)
        source.unlink()

        html = html_of(show(document=True, folder=index.path, q="cellar pump", doc=found))

    assert "cannot be read" in html
    assert "The text below is the one that was indexed." in html
    assert re.search(r"<mark[^>]*>cellar</mark>", html)


def test_file_that_changed_is_shown_without_boxes(show, tmp_path, monkeypatch):
    from reportlab.pdfgen.canvas import Canvas

    from app import services

    source = tmp_path / "manual.pdf"
    write_manual(source)
    settings = Settings(parse_workers=1)
    with DocumentIndex(tmp_path / "i.lmk", settings=settings, encoder=KeywordEncoder()) as index:
        index.add([source])
        found = index.files()[0].doc_id
        monkeypatch.setattr(services, "_open", lambda path: index)
        canvas = Canvas(str(source))
        for number in range(3):
            canvas.drawString(50, 500, f"Another page {number}.")
            canvas.showPage()
        canvas.save()

        html = html_of(show(document=True, folder=index.path, q="cellar pump", doc=found))

    assert "has changed since it was indexed" in html
    assert '<span class="box"' not in html
