"""Words as they are read, and marks that stay on them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search.display import reading_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("look for-\nwards", "look forwards"),
        ("for-  \n  wards and down-\nwards", "forwards and downwards"),
        ("the well-known well-\nknown", "the well-known well-known"),
        ("soft\u00adware soft\u00ad\nware", "software software"),
        ("a list -\n- of dashes", "a list -\n- of dashes"),
        ("Jean-\nPaul", "Jean-\nPaul"),
        ("1990-\n1995", "1990-\n1995"),
    ],
)
def test_words(text, shown):
    assert reading_text(text)[0] == shown


def test_marks_stay_on_their_words():
    text = "look for-\nwards, then down-\nwards"
    shown, ranges = reading_text(text, [(5, 15), (22, 33), (0, 4), (6, 8)])

    assert [shown[a:b] for a, b in ranges] == ["forwards", "downwards", "look", "or"]


@given(st.text("ab-\n \u00adÉé", max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_ranges_lie_in_what_is_shown(text, one, other):
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    shown, [(a, b)] = reading_text(text, [(start, end)])

    assert 0 <= a <= b <= len(shown)
    assert not set(shown[a:b]) - set(text[start:end])
