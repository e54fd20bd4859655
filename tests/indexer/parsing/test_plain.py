"""Text without markup of its own."""

from indexer.documents import Coverage
from indexer.parsing.plain import parse_plain


def test_a_line_is_a_unit_and_the_text_stays():
    document = parse_plain("one\n\n\fthree\n", name="notes.txt")

    assert document.text == "one\n\n\fthree\n"
    assert document.unit_starts == (0, 4, 5)
    assert document.title == "notes.txt"
    assert document.coverage == Coverage(units=3, with_text=2, blank=1)


def test_a_line_underlined_in_its_whole_length_is_a_title():
    source = (
        "Version 2\n=========\n\nFixed\n-----\n- a leak\n\n"
        "Too long a rule\n--------------------\n\nNo\n--\n\nVersion 1\n=========\nnew\n"
    )

    document = parse_plain(source, name="NEWS")

    assert [(s.level, s.title) for s in document.sections] == [
        (1, "Version 2"),
        (2, "Fixed"),
        (1, "Version 1"),
    ]
    assert document.title == "NEWS"
    assert document.text == source
