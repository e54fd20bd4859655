"""Units, lines and section paths in the one coordinate system."""

from hypothesis import given
from hypothesis import strategies as st

from indexer.documents import (
    Document,
    Section,
    document_date,
    line_starts,
    section_path,
    text_hash,
    unit_at,
    units_of,
)


def test_lines_end_at_line_feeds_only():
    assert line_starts("a\n\u2028b\x0c\nc") == (0, 2, 6)
    assert line_starts("") == (0,)
    assert line_starts("a\n") == (0,)
    assert line_starts("\n\n") == (0, 1)


@given(st.text(alphabet="ab\n", max_size=50))
def test_line_numbers_count_line_feeds(text):
    starts = line_starts(text)
    for offset in range(len(text)):
        assert unit_at(starts, offset) == text.count("\n", 0, offset) + 1


def test_units_of_a_range_over_a_border():
    starts = (0, 10, 20)
    assert units_of(starts, 0, 10) == (1, 1)
    assert units_of(starts, 9, 11) == (1, 2)
    assert units_of(starts, 25, 25) == (3, 3)


def test_section_path_runs_from_the_outside_in():
    sections = [Section("Two", 10, 20, 1), Section("One", 0, 10, 1), Section("Deep", 4, 10, 2)]
    assert section_path(sections, 5, 9) == "One > Deep"
    assert section_path(sections, 8, 18) == "Two"
    assert section_path(sections, 30, 31) is None


def plain(text, furniture=()):
    return Document(text, "text", "", "line", (0,), furniture=furniture)


def test_near_duplicates_have_the_same_words():
    one = text_hash(plain("Rye bread\non Fridays."))
    assert one == text_hash(plain("Rye  bread on Fridays.\n"))
    assert one == text_hash(plain("Page 1 Rye bread on Fridays.", furniture=((0, 6),)))
    assert one != text_hash(plain("Rye bread on Sundays."))
    assert text_hash(plain("a", ((0, 1),))) != text_hash(plain("b", ((0, 1),)))


def test_the_date_of_a_document():
    day = 86_400 * 10**9
    assert document_date({"created": "1970-01-02"}) == day
    assert document_date({"created": "1970-01-02", "modified": "1970-01-03T01:00:00+01:00"}) == (
        2 * day
    )
    assert document_date({"modified": "yesterday", "created": "1970-01-02"}) == day
    assert document_date({"modified": "0001-01-01"}) is None
    assert document_date({}) is None
