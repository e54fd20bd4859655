"""Jupyter notebooks (fault 17: no picture data in the text)."""

import json

import pytest

from indexer.documents import unit_at
from indexer.parsing.notebook import parse_notebook

NOTEBOOK = {
    "nbformat": 4,
    "metadata": {"kernelspec": {"language": "Julia"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Tides\n", "words\n"]},
        {"cell_type": "code", "source": "", "outputs": []},
        {
            "cell_type": "code",
            "source": "x = 1\n\ny = 2",
            "outputs": [{"data": {"image/png": "iVBORw0KGgo" * 100}}],
        },
        {"cell_type": "markdown", "source": "## More"},
    ],
}


def test_cells_are_units_and_outputs_are_left_out():
    document = parse_notebook(json.dumps(NOTEBOOK), name="a.ipynb")

    assert document.unit == "cell"
    assert document.text == "# Tides\nwords\n\n\n\nx = 1\n\ny = 2\n\n## More\n\n"
    assert unit_at(document.unit_starts, document.text.index("y = 2")) == 3
    assert [(s.level, s.title) for s in document.sections] == [(1, "Tides"), (2, "More")]
    assert (document.title, document.language) == ("Tides", "julia")
    assert (document.coverage.with_text, document.coverage.blank) == (3, 1)


@pytest.mark.parametrize("metadata", [None, {"kernelspec": None}, {"language_info": []}, []])
def test_metadata_may_be_null(metadata):
    document = parse_notebook(json.dumps({**NOTEBOOK, "metadata": metadata}), name="a.ipynb")

    assert (document.unit, document.language) == ("cell", "python")


@pytest.mark.parametrize("source", [None, 3, [None], {}])
def test_a_cell_without_a_text_is_blank_and_the_others_are_read(source):
    cells = [
        {"cell_type": "code", "source": source},
        {"cell_type": "code", "source": ["x = ", "1"]},
    ]
    document = parse_notebook(json.dumps({"cells": cells, "worksheets": None}), name="a.ipynb")

    assert (document.unit, document.text) == ("cell", "\n\nx = 1\n\n")


def test_version_3_and_what_is_no_notebook():
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["a\n", "b"]}]}]}

    assert parse_notebook(json.dumps(old), name="a.ipynb").text == "a\nb\n\n"
    for source in ("{", "[1]", '{"cells": [1]}', '{"cells": 3}', "[" * 100_000):
        document = parse_notebook(source, name="a.ipynb")
        assert (document.unit, document.text) == ("line", source)


def test_cells_of_version_3_that_are_headings():
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Pumps and\n", "valves"]},
        {"cell_type": "heading", "level": None, "source": "Motors"},
    ]
    document = parse_notebook(json.dumps({"worksheets": [{"cells": cells}]}), name="a.ipynb")

    assert document.text == "## Pumps and valves\n\n# Motors\n\n"
    sections = [(section.level, section.title) for section in document.sections]
    assert sections == [(2, "Pumps and valves"), (1, "Motors")]
    assert document.title == "Pumps and valves"
