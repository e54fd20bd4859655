"""The best places of a document: passages of search first, then hot landmarks apart from them."""

from app.components.places import best_places, places_html
from app.state import Place
from indexer.documents import Passage
from tests.app.components.test_heat_strip import heats


def test_passages_come_first_and_nothing_touches():
    passage = Passage(20, 30, "x" * 10, "page", 3, 3, None, None, 1.0, ((22, 24),))

    found = best_places(heats([0.9, 0.8, 1.0, 0.7, 0.6, 0.1]), [passage])

    # 0-10 is next best and lies apart; 10-20 and 30-40 touch the passage, 50-60 is lukewarm.
    assert [(place.start, place.end) for place in found] == [(20, 30), (0, 10), (40, 50)]
    assert found[0].highlights == ((22, 24),)


def test_list_shows_where_and_what():
    found = best_places(heats([0.9]))

    html = places_html(
        found, Place(query="q", at=(0, 10)), text="a <b> here", unit="page", kind="pdf"
    )

    assert 'href="./document?q=q&amp;at=0-10" aria-current="true"' in html
    assert "page 1</span>" in html
    assert "a &lt;b&gt; here" in html


def test_outline_marks_the_section_and_links_to_units():
    from app.components.outline import outline_html
    from indexer.documents import Section

    sections = [
        Section("One <i>", 0, 100, 1),
        Section("Inner", 40, 60, 2),
        Section("Two", 100, 200, 1),
    ]

    html = outline_html(sections, Place(doc_id="d"), unit_starts=(0, 50, 100), offset=45)

    assert "One &lt;i&gt;" in html
    assert html.count("aria-current") == 1
    assert '<a href="./document?doc=d&amp;page=1" data-place aria-current=true><bdi>Inner' in html
    assert '<a href="./document?doc=d&amp;page=3"><bdi>Two</bdi><span>3</span>' in html
