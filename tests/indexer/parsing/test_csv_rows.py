"""Rows of CSV and TSV."""

import time
from itertools import pairwise

import pytest

from indexer.config import Settings
from indexer.parsing.csv_rows import find_delimiter, parse_csv
from indexer.policy import text_input
from lmk_encoder.landmarks import Syntax

SOURCE = 'id,remark\n1,"one line"\n2,"two\nlines, ""quoted"""\n\n3,"x"\n'


def rows_of(document):
    edges = [0, *document.borders, len(document.text)]
    return [document.text[start:end] for start, end in pairwise(edges)]


def test_rows_are_borders_and_cells_of_several_lines_are_whole():
    document = parse_csv(SOURCE, name="a.csv")

    assert rows_of(document) == [
        "id,remark\n",
        '1,"one line"\n',
        '2,"two\nlines, ""quoted"""\n',
        "\n",
        '3,"x"\n',
    ]
    assert document.unit == "line"
    assert len(document.unit_starts) == 6
    assert document.text == SOURCE
    assert document.title == "a.csv"
    assert document.metadata == {"columns": "id, remark"}
    assert text_input(document, Settings()).policy == Syntax(
        borders=document.borders, max_tokens=64
    )


@pytest.mark.parametrize(
    ("lines", "delimiter"),
    [
        (["a;b;c", "1,5;2,5;3", "2,5;3,5;4"], ";"),
        (["a\tb, c", "1\tx", "2\ty, z"], "\t"),
        (["a,b|c", '1,"2', '3"'], ","),
        (["a|b|c", "1|2|3"], "|"),
    ],
)
def test_the_delimiter_is_that_of_rows_of_equal_width(lines, delimiter):
    assert find_delimiter(lines) == delimiter


@pytest.mark.parametrize("first", ["1,2", "a,a", "a,", "words"])
def test_a_first_row_of_other_than_names_names_no_columns(first):
    assert parse_csv(f"{first}\n3,4\n", name="a.csv").metadata == {}


def test_a_quote_that_is_never_closed_makes_no_row_of_the_rest():
    source = 'a,b\n1,"open\n' + "2,x\n" * 5000

    document = parse_csv(source, name="a.csv")

    assert len(rows_of(document)) == 5002
    assert "".join(rows_of(document)) == source


def test_one_line_and_blank_ones_lose_nothing():
    for source in ("", "a,b", "\n\n", "a\u2028b,c\n\fd,e"):
        assert "".join(rows_of(parse_csv(source, name="a.csv"))) == source


def test_many_rows_take_no_long_time():
    source = "id,name,remark\n" + "".join(f'{i},n{i},"a, b"\n' for i in range(200_000))
    begin = time.process_time()

    document = parse_csv(source, name="a.csv")

    assert len(document.borders) == 200_000
    assert time.process_time() - begin < 5
