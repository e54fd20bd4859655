"""Words and HTML. Expected texts are written by hand."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import formatting
from indexer.documents import Passage

# Everything a document may hold; surrogates cannot be in a text, and NUL not in HTML.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=60)


class Reader(HTMLParser):
    """What a browser makes of HTML: its text, the marked text, and the tags it met."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.marked, self.tags = "", [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not attrs
        if tag == "mark":
            self.marked.append("")

    def handle_endtag(self, tag):
        self.tags.append(f"/{tag}")

    def handle_data(self, data):
        self.text += data
        if self.tags and self.tags[-1] == "mark":
            self.marked[-1] += data


def passage(text, *, start=0, highlights=(), unit="page"):
    return Passage(start, start + len(text), text, unit, 1, 1, None, None, 1.0, highlights)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("page", 12, 12, "xii"), "page 12 (printed xii)"),
        (("page", 12, 13), "pages 12-13"),
        (("line", 40, 58), "lines 40-58"),
        (("line", 7, 7), "line 7"),
    ],
)
def test_location(arguments, expected):
    assert formatting.location(*arguments) == expected


def test_numbers_as_words():
    assert formatting.count(1, "page") == "1 page"
    assert formatting.count(3412, "page") == "3,412 pages"
    assert formatting.copies(["a"]) == ""
    assert formatting.copies(["a", "b", "c"]) == "and 2 copies"
    assert formatting.size(812) == "812 B"
    assert formatting.size(4_100) == "4.1 kB"
    assert formatting.size(999_600) == "1.0 MB"
    assert formatting.size(2_000_000_000) == "2.0 GB"
    assert formatting.duration(0.2) == "1 ms"
    assert formatting.duration(1_234) == "1.2 s"
    assert formatting.score(0.834) == "0.83"
    assert formatting.score(0.03126) == "0.031"


def test_short_path_keeps_the_folders_that_tell():
    assert formatting.short_path("docs/pump.pdf") == ("docs/", "pump.pdf")
    assert formatting.short_path("/srv/docs/pump.pdf") == ("/srv/docs/", "pump.pdf")
    assert formatting.short_path("/a/b/c/d/pump.pdf") == ("…/c/d/", "pump.pdf")


def test_marks_that_overlap_become_one():
    assert formatting.marked("abcdef", [(1, 3), (2, 5)]) == "a<mark>bcde</mark>f"


def test_a_name_that_is_not_utf8_can_be_shown():
    assert formatting.escape("caf\udce9.pdf") == "caf?.pdf"


@given(TEXTS, st.lists(st.tuples(st.integers(-5, 70), st.integers(-5, 70)), max_size=5))
def test_marked_text_reads_as_the_text_itself(text, ranges):
    """This test ensures that no text turns into markup, wherever the marks fall."""
    read = Reader(formatting.marked(text, ranges))

    assert read.text == text
    assert read.tags == ["mark", "/mark"] * len(read.marked)
    assert read.marked == [text[s:e] for s, e in formatting.clip(ranges, 0, len(text))]


@given(
    TEXTS, st.text("ab \n", max_size=60), st.integers(0, 1000), st.sampled_from(["page", "line"])
)
def test_snippet_is_inert_for_any_text(text, more, start, unit):
    both = text + more
    marks = ((start + 1, start + 9),)

    html = formatting.snippet(passage(both, start=start, highlights=marks, unit=unit), limit=40)

    assert set(Reader(html).tags) <= {"mark", "/mark"}


def test_snippet_shows_where_most_highlights_are():
    text = "water " + "x " * 200 + "the water pump pumps water " + "y " * 200
    words = [(text.index(word, 10), len(word)) for word in ("water pump", "pumps")]
    highlights = ((0, 5), *((at, at + length) for at, length in words))

    html = formatting.snippet(passage(text, highlights=highlights), limit=100)

    assert "<mark>water pump</mark> <mark>pumps</mark>" in html
    assert html.startswith("… ")
    assert html.endswith(" …")


def test_short_passage_is_shown_whole():
    assert formatting.snippet(passage("a < b", start=7, highlights=((9, 10),))) == (
        "a <mark>&lt;</mark> b"
    )


def test_code_loses_the_indentation_that_all_lines_share():
    """The first line of a passage has lost its own, so a body keeps one step below it."""
    code = "def f(x):\n        if x:\n            return 1"

    shown = formatting.snippet(passage(code, unit="line"))

    assert shown == "def f(x):\n    if x:\n        return 1"


def test_a_very_long_name_is_clipped_with_the_whole_as_a_tooltip():
    usual, long = "a" * formatting.NAME_CHARS, '"Water" ' * 350
    assert formatting.name_html(usual) == f"<bdi>{usual}</bdi>"
    clipped = formatting.name_html(long)
    assert clipped.startswith('<bdi title="&quot;Water&quot; ')
    assert clipped.count("Water") == 350 + 20
    assert clipped.endswith("&quot;Water&quot; …</bdi>")
