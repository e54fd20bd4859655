"""Texts made to be slow: double the text takes double the time, not four times or for ever."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from indexer.parsing import parse
from indexer.parsing.decode import clean, without_pictures
from indexer.parsing.html import parse_html
from indexer.parsing.html_menus import may_be_menu
from indexer.parsing.markdown import parse_markdown
from indexer.parsing.separators import soft_borders
from indexer.parsing.sniff import sniff


def read_markdown(text: str) -> object:
    return parse_markdown(text, name="a")


def read_html(text: str) -> object:
    return parse_html(text, name="a")


def named_menu(name: str) -> object:
    node = LexborHTMLParser(f'<div class="{name}">x</div>').css_first("div")
    assert node is not None
    return may_be_menu(node)


def borders(text: str) -> object:
    return soft_borders(text, "python")


def sniffed(head: bytes) -> object:
    return sniff("page", head)


# What is made of n, what reads it, and an n that takes the reader some milliseconds.
CASES: dict[str, tuple[Callable[[int], Any], Callable[[Any], object], int]] = {
    "letters": (lambda n: "ACGT" * n, without_pictures, 2_500),
    "hex": (lambda n: "0A1B" * n, without_pictures, 2_500),
    "base64": (lambda n: "/aB1a1" * n, without_pictures, 2_500),
    "colours": (lambda n: "\x1b[" + "1;" * n + "\n" + "\x1b]" * n, clean, 5_000),
    "short runs": (lambda n: ("a1" * 240 + " ") * n, without_pictures, 100),
    "data": (lambda n: "data:image/png;x=y" * n + "base64,", without_pictures, 1_000),
    "brackets": (lambda n: "# " + "[" * n, read_markdown, 5_000),
    "addresses": (lambda n: "# " + "[a](" * n, read_markdown, 3_000),
    "underscores": (lambda n: "# a" + "_" * n + "b", read_markdown, 5_000),
    "gap in a heading": (lambda n: "# a" + " " * n + "b", read_markdown, 10_000),
    "gap in a title": (lambda n: "---\ntitle: a" + " " * n + "b\n---\n", read_markdown, 10_000),
    "elements in a line": (lambda n: "<p>" + "<b>x</b> words " * n, read_html, 5_000),
    "lines in pre": (lambda n: "<pre>" + "<b>x</b>\n" * n, read_html, 5_000),
    "heads": (lambda n: "<div><header>w</header><p>x</p></div>" * n, read_html, 1_000),
    "buttons": (lambda n: "<h2>" + "<button>x</button>" * n, read_html, 2_000),
    "class": (lambda n: "_" * n, named_menu, 10_000),
    "blank lines": (lambda n: "x = 1" + "\n" * n, borders, 5_000),
    "blank lines and a feed": (lambda n: "x" + "\n" * n + "\f\ny", borders, 5_000),
    "comments before a page": (lambda n: b"<!-- a -->\n" * n + b"<!-- b", sniffed, 1_000),
    "white space before a page": (lambda n: b" " * n + b"x", sniffed, 10_000),
    "years of a mailbox": (
        lambda n: b"From a 10:00 2021 " + b"2021" * n + b"\n\nx",
        sniffed,
        2_500,
    ),
    "interpreter": (lambda n: b"#!" + b"a" * n + b"!", sniffed, 10_000),
}


def seconds(call: Callable[[object], object], text: object) -> float:
    """Processor time of the fastest of three calls."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        call(text)
        taken.append(time.process_time() - begin)
    return min(taken)


@pytest.mark.parametrize("case", CASES)
def test_four_times_the_text_takes_about_four_times_as_long(case):
    """Sixteen times would be what a text costs that is read again at each of its places."""
    make, call, n = CASES[case]

    short, long = seconds(call, make(n)), seconds(call, make(4 * n))
    assert long <= 8 * short + 0.02


def test_25_comments_before_a_text_are_read_at_once():
    """Each comment once doubled the time."""
    assert sniff("page", b"<!-- a -->\n" * 25 + b"words").kind == "text"
    assert sniff("page", b"<!-- a -->\n" * 25 + b"<html>").kind == "html"


@pytest.mark.parametrize("line", ["ACGT" * 30_000, "00FFA1C2" * 15_000, "abcdefgh" * 15_000])
def test_a_long_run_of_letters_is_read_whole(tmp_path, line):
    path = tmp_path / "a.fasta"
    path.write_text(f">seq\n{line}\n", encoding="ascii")

    assert parse(path).text == f">seq\n{line}\n"
