"""Titles of reStructuredText. docutils 0.23 finds the same ones in SOURCE."""

import pytest

from indexer.documents import unit_at
from indexer.parsing.restructuredtext import parse_restructuredtext

SOURCE = """\
.. _tides:
======
 Tides
======

:Author: nobody
-------

The :term:`sea`
%%%%%%%%%%%%%%%

.. code-block:: python

   x = 1
   =====

- an item
---------

A paragraph of
two lines
---------

os
--

.. note::

   kept

潮の満ち引き
%%%%%%%%%%%%

Short rule for a long title
------

+------+
| cell |
+------+

1. Numbered
-----------

Ends without a line end
%%%%%%%%%%%%%%%%%%%%%%%"""


def test_titles_and_their_levels():
    document = parse_restructuredtext(SOURCE, name="a.rst")

    assert [
        (s.level, s.title, unit_at(document.unit_starts, s.start)) for s in document.sections
    ] == [
        (1, "Tides", 2),
        (2, "The sea", 9),
        (3, "os", 24),
        (2, "潮の満ち引き", 31),
        (3, "Short rule for a long title", 34),
        (3, "1. Numbered", 41),
        (2, "Ends without a line end", 44),
    ]
    assert document.breaks == tuple(section.start for section in document.sections)
    assert document.title == "Tides"
    assert document.text == SOURCE


def test_a_style_above_and_below_is_another_than_one_below():
    document = parse_restructuredtext("A\n=\n\n=\nB\n=\n\nC\n=\n", name="a.rst")

    assert [(s.level, s.title) for s in document.sections] == [(1, "A"), (2, "B"), (1, "C")]


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        (":mod:`os` --- *Miscellaneous* interfaces", "os --- Miscellaneous interfaces"),
        ("``--flag`` and `link <http://x>`_", "--flag and link"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        (r"\*args", "*args"),
        ("snake_case_ words", "snake_case_ words"),
        (":c:func:`a <b>` is", "a is"),
    ],
)
def test_titles_lose_their_markup(title, plain):
    source = f"{title}\n{'=' * len(title)}\n"

    assert parse_restructuredtext(source, name="a.rst").title == plain


def test_without_a_title_it_is_the_files_name():
    assert parse_restructuredtext("words\n\n====\n\nmore\n", name="a.rst").title == "a.rst"
    assert parse_restructuredtext("=====\nA  B\n=====\n", name="a.rst").title == "A  B"
    long = "x" * 501
    assert parse_restructuredtext(f"{long}\n{'=' * 501}\n", name="a.rst").title == "a.rst"
