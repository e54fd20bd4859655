"""Headings to nested sections."""

from hypothesis import given
from hypothesis import strategies as st

from indexer.documents import Section
from indexer.parsing.sections import Heading, distinct, nest


def test_a_section_ends_at_the_next_of_its_level_or_above():
    headings = [Heading(0, 1, "a"), Heading(10, 2, "b"), Heading(20, 3, "c"), Heading(30, 1, "d")]

    assert nest(headings, 50) == (
        Section("a", 0, 30, 1),
        Section("b", 10, 30, 2),
        Section("c", 20, 30, 3),
        Section("d", 30, 50, 1),
    )


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 4)), max_size=20))
def test_sections_nest_and_never_cross(places):
    sections = nest([Heading(start, level, "t") for start, level in places], 101)

    for first in sections:
        for second in sections:
            assert (
                first.end <= second.start
                or second.end <= first.start
                or first.start <= second.start <= second.end <= first.end
                or second.start <= first.start <= first.end <= second.end
            )


def test_distinct_keeps_what_lies_inside():
    assert distinct([5, 0, 3, 5, 10, 12, -1], 10) == (3, 5)
