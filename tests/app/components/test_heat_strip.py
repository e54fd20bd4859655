"""Cells tile the document; the hottest landmark of a cell speaks for it."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.components.heat_strip import cells, strip_html
from app.state import Place
from indexer.search.searcher import LandmarkHeat


def heats(values):
    """One landmark of ten characters per value, one to a page."""
    return [
        LandmarkHeat(10 * i, 10 * i + 10, first=i + 1, last=i + 1, score=value, heat=value)
        for i, value in enumerate(values)
    ]


def test_five_landmarks_in_two_cells():
    first, second = cells(heats([0.1, 0.9, 0.2, 0.0, 0.4]), limit=2)

    assert (first.start, first.end, first.first, first.last) == (0, 30, 1, 3)
    assert (first.heat, first.best) == (0.9, (10, 20))
    assert (second.start, second.end, second.best) == (30, 50, (40, 50))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300), st.integers(1, 50))
def test_cells_tile_the_landmarks(values, limit):
    found = cells(heats(values), limit)

    assert len(found) <= limit
    assert found[0].start == 0
    assert found[-1].end == 10 * len(values)
    assert all(a.end == b.start for a, b in pairwise(found))
    assert max(cell.heat for cell in found) == max(values)


def test_strip_marks_passages_and_leads_to_places():
    html = strip_html(
        heats([0.0, 1.0, 0.5]),
        Place(query="a&b", doc_id="d"),
        unit="page",
        passages=[(10, 20), (25, 30)],
    )

    assert 'data-base="./document?q=a%26b&amp;doc=d"' in html
    assert 'aria-label="Relevance along the document: hottest at page 2."' in html
    assert re.findall(r'<i( class="\w+")? style="--h:(\d+)" data-at="([\d-]+)"', html) == [
        ("", "0", "0-10"),
        (' class="best"', "100", "10-20"),
        (' class="also"', "38", "20-30"),  # 0.5 ** 1.4 = 0.379
    ]


def test_no_landmarks_no_strip():
    assert strip_html([], Place(), unit="page") == ""
