"""Running lines and lists of contents on pages made by hand."""

from pathlib import Path

import pytest

from indexer.documents import spoken_text
from indexer.parsing import parse
from indexer.parsing.furniture import find_furniture

ROOT = Path(__file__).parents[3]


def page(head, foot, number):
    """A page whose own lines differ in words from those of every other page."""
    own = "abc"[number % 3] * number
    lines = [f"{own} {word}" for word in ("first", "second", "third", "fourth", "fifth")]
    return "\n".join([head, *lines, foot]) + "\n\n"


def texts(pages, titles=()):
    found = find_furniture(pages, titles)
    return [[text[a:b] for a, b in ranges] for text, ranges in zip(pages, found, strict=True)]


def test_heads_feet_and_page_numbers_are_found_on_every_page():
    pages = [page("The Manual", f"- {n} -", n) for n in range(1, 6)]
    assert texts(pages) == [["The Manual", f"- {n} -"] for n in range(1, 6)]


def test_heads_that_carry_the_page_number_are_one_head():
    pages = [page(f"Chapter One {n}", "x", n) for n in range(1, 6)]
    assert all(f"Chapter One {n}" in found for n, found in enumerate(texts(pages), start=1))


def test_a_line_on_two_pages_is_text():
    pages = [
        page("Only here" if n < 2 else f"Line {'abc'[n % 3] * n}", "y" * n, n) for n in range(5)
    ]
    assert not any("Only here" in found for found in texts(pages))


@pytest.mark.parametrize("letter", ["\u0130", "\u0131"])
def test_turkish_letters_are_no_roman_numbers(letter):
    """With and without a dot they are the letter i where case is ignored."""
    pages = [page("Head", letter if n == 2 else "abc"[n % 3] * n, n) for n in range(1, 5)]
    assert texts(pages) == [["Head"]] * 4


def test_a_page_of_few_lines_keeps_them():
    pages = ["The Manual\n1\n\n"] * 5
    assert texts(pages) == [[]] * 5


@pytest.mark.parametrize("gap", [" . . . . . . ", "........", " "])
def test_lists_of_contents_are_found_by_leaders_or_by_the_outline(gap):
    titles = ["Pumps", "Valves", "Pipes and joints", "Tanks", "Gauges", "Tools"]
    contents = "Contents\n" + "".join(f"{i} {t}{gap}{i * 9}\n" for i, t in enumerate(titles, 1))
    (found, _) = texts([contents, "Pumps\nA pump of 1997\nlifts water\nup\n"], titles)
    assert len(found) == len(titles)


def test_a_table_of_numbers_is_no_list_of_contents():
    table = "Year Rain\n" + "".join(f"{year} {year - 1200}\n" for year in range(1990, 2000))
    assert texts([table], ["Rain", "Rivers"]) == [[]]


def test_furniture_is_blanked_and_offsets_stay():
    path = ROOT / "data/samples/corbel-f2-manual.pdf"
    document = parse(path)
    spoken = spoken_text(document)
    assert len(spoken) == len(document.text)
    assert document.text.count("Owner's manual") > 30 > spoken.count("Owner's manual")
    assert all(spoken[a:b].isspace() for a, b in document.furniture)
