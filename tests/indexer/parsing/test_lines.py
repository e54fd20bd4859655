"""A text line for line, without a list of its lines."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.parsing.lines import Lines, line_coverage
from indexer.parsing.restructuredtext import find_headings


@given(st.text(alphabet="a \t\n\f\x85\u2028", max_size=40))
def test_lines_are_those_of_splitting_at_line_ends(text):
    """A final line end opens no further line; the empty text is one line."""
    whole = text.split("\n")
    expected = whole[:-1] if whole[-1] == "" and len(whole) > 1 else whole

    lines = Lines(text)

    assert list(lines) == lines[:] == expected
    assert [text[start:].partition("\n")[0] for start in lines.starts] == expected
    assert line_coverage(lines).with_text == sum(1 for line in expected if line.strip())


def test_lines_are_counted_from_either_end():
    lines = Lines("a\nb\nc")

    assert (lines[0], lines[-1], lines[1:]) == ("a", "c", ["b", "c"])
    with pytest.raises(IndexError):
        lines[3]


def test_going_through_a_log_takes_the_places_of_its_lines_and_no_list_of_them():
    """A list of its lines would take another 60 bytes a line."""
    text = "10:00 host ok\n" * 200_000
    tracemalloc.start()

    lines = Lines(text)
    headings = list(find_headings(lines, lines.starts, exact=True))
    coverage = line_coverage(lines)

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (headings, coverage.with_text) == ([], 200_000)
    assert peak < 200_000 * (2 * 8 + 36)  # a list, the tuple of it, and the integers
