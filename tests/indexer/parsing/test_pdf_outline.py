"""Headings of an outline in the text, against a regular expression that says the same."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.parsing.pdf_outline import find_heading, fold, place_outline
from indexer.parsing.pdf_structure import OutlineEntry

NUMBER = r"(?:[^\S\n]*[\w.]{1,12}[^\S\n]+(?:[\w.]{1,4}[^\S\n]*\n)?)?[^\S\n]*"


def expected(text: str, title: str, start: int, end: int) -> tuple[int, int] | None:
    words = r"\s*".join(re.escape(word) for word in title.split()).replace(r"\-", r"\-\s*")
    words = words.removesuffix(r"\s*")
    flags = re.IGNORECASE | re.MULTILINE
    filling = re.compile(rf"^{NUMBER}{words}[^\S\n]*$", flags)
    second_line = text.find("\n", start, end) + 1 or end
    found = (
        filling.search(text, second_line, end)
        or filling.search(text, start, end)
        or re.compile(words, flags).search(text, start, end)
    )
    return found and (max(start, text.rfind("\n", start, found.start()) + 1), found.end())


@pytest.mark.parametrize(
    ("text", "title", "shown"),
    [
        ("Pumps\n\nPumps\n", "pumps", 7),  # the first line may be a running head
        ("Pumps\n\nAbout pumps.\n", "Pumps", 0),
        ("All\nabout pumps.\n", "Pumps", 4),
        ("x\nChapter 4\nPumps\n", "Pumps", 2),
        ("x\n4.2 Well-\nknown   pumps\n", "Well-known pumps", 2),
        ("x\nAnn\u2019s pumps\n", "Ann's pumps", 2),
        ("x\n\u0130stanbul\n", "istanbul", 2),
        ("x\nso\u00ad", "so\u200bso", None),
    ],
)
def test_a_title_is_found_as_it_is_typeset(text, title, shown):
    found = find_heading(fold(text), title, 0, len(text))
    assert (found and found[0]) == shown


@given(
    text=st.text("ab1. -\n", max_size=40),
    title=st.text("ab1. -", max_size=6).filter(str.strip),
    start=st.integers(0, 10),
)
def test_it_is_what_the_expression_finds(text, title, start):
    start = text.rfind("\n", 0, start) + 1
    found = find_heading(fold(text), title, start, len(text))
    wanted = expected(text, title, start, len(text))
    assert (found is None) == (wanted is None)
    assert found is None or found == wanted or text[found[0] : found[1]].count("-")


@given(st.text())
def test_folding_keeps_the_length(text):
    assert len(fold(text)) == len(text)


def test_entries_without_a_page_stand_between_their_neighbours_or_nowhere():
    text = "One\nTwo\n\nThree\nText on two\n\n"
    outline = [
        OutlineEntry("One", 1, 1),
        OutlineEntry("Three", 0, 2),
        OutlineEntry("Text", 0, 2),
        OutlineEntry("Beyond", 9, 1),
    ]
    assert [(h.start, h.title) for h in place_outline(outline, text, (0, 9))] == [
        (0, "One"),
        (9, "Three"),
    ]
