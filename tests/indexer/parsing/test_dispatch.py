"""From a path to a Document, whatever the format: what holds for all of them."""

import pickle
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import indexer.parsing
from indexer.documents import line_starts, unit_at
from indexer.errors import NoText, ParseError, Unsupported
from indexer.parsing import PARSER_VERSION, parse
from tests.indexer.parsing.pdfs import bend, draw

CODE = (
    "\ufeffimport os\r\n\r\n\x0cdef first():\r\n    return 1\r\r"
    "def second():  # \u2028 same line\n    pass\n"
)
RUBY = (
    "\ufeffimport os\r\n\r\n\x0cdef first()\r\n    return 1 end\r\r"
    "def second()  # \u2028 same line\n    end\n"
)


@pytest.mark.parametrize(("name", "source"), [("a.py", CODE), ("a.rb", RUBY)])
def test_lines_of_code_with_crlf_form_feed_and_mark(tmp_path, name, source):
    """Line numbers are those of an editor; sections and cuts lie at line starts."""
    path = tmp_path / name
    path.write_bytes(source.encode())

    document = parse(path)

    text = document.text
    assert text.startswith("import os\n\n\x0cdef first")
    assert document.unit_starts == line_starts(text)
    assert unit_at(document.unit_starts, text.index("def first")) == 3
    assert unit_at(document.unit_starts, text.index("def second")) == 6
    assert [(s.title, unit_at(document.unit_starts, s.start)) for s in document.sections] == [
        ("first", 3),
        ("second", 6),
    ]
    assert document.metadata == {"encoding": "utf-8"}


FILES = {
    "a.md": "# A \x00title\nwords\n",
    "a.html": "<title>A &#0;title</title><h1>x\x07y</h1>",
    "a.rst": "A\x1b title\n========\n",
    "a.adoc": "= A\x00 title\n== S\x07\n",
    "a.1": ".TH A\x00 1\n.SH S\x07\n",
    "a.csv": "a\x00,b\x07\n1,2\n",
    "a.tex": "\\title{A \x08title}\n\\section{S\x00}\n",
    "a.py": "def f():\n    '''\x00'''\n",
    "a.ipynb": '{"cells": [{"cell_type": "markdown", "source": "# A \\u0000title \\udbff"}]}',
}


@pytest.mark.parametrize("name", FILES)
def test_every_string_is_clean(tmp_path, name):
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")

    assert_clean(parse(path))


def test_every_string_of_a_pdf_is_clean(tmp_path):
    def add(writer):
        writer.add_metadata({"/Title": "A\x00 title \x07", "/Author": "B\x01"})
        writer.add_outline_item(title="Words\x00 and\r\nmore", page_number=0)
        writer.set_page_label(0, 0, prefix="p\x02-")

    path = tmp_path / "a.pdf"
    path.write_bytes(bend(draw([["words"]]), add))

    document = parse(path)

    assert_clean(document)
    assert document.title == "A title"
    assert [section.title for section in document.sections] == ["Words and more"]


def assert_clean(document):
    strings = [document.title, *document.unit_labels, *document.metadata.values()]
    strings += [section.title for section in document.sections]
    assert document.title
    for string in strings:
        assert string == " ".join(string.split())
        assert string.encode("utf-8").isascii() or "\ufffd" in string
        assert string.isprintable()
    assert "\0" not in document.text


@pytest.mark.parametrize("data", [b"", b"\n \t\r\n", b"\xef\xbb\xbf", "\u00a0".encode()])
@pytest.mark.parametrize("name", ["a.txt", "a.py", "a.md", "a.html", "a.ipynb"])
def test_a_file_without_a_visible_character_holds_no_text(tmp_path, data, name):
    path = tmp_path / name
    path.write_bytes(data)

    with pytest.raises(NoText, match="empty file"):
        parse(path)


def test_binary_and_missing_files_say_why(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(Unsupported, match=r"a.txt is not a text or PDF: a PNG image. Convert"):
        parse(path)
    with pytest.raises(ParseError, match="cannot be read: Is a directory"):
        parse(tmp_path)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    lines=st.lists(
        st.sampled_from(["# h", "def f(:", "class A {", "```", "---", "===", "<b>", "\\section{x}"])
        | st.text(max_size=12),
        max_size=12,
    ),
    name=st.sampled_from(["a.py", "a.js", "a.md", "a.rst", "a.tex", "a.txt", "a.yaml", "a.csv"]),
)
def test_no_line_is_lost_and_units_tile_the_text(tmp_path, lines, name):
    """Fault 13: a parser never decides whether text exists."""
    from indexer.parsing.decode import clean

    path = tmp_path / name
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    expected = clean("\n".join(lines))
    try:
        document = parse(path)
    except (NoText, Unsupported):
        return

    if document.metadata["encoding"] == "utf-8":
        assert document.text == expected.removeprefix("\ufeff")
    assert document.unit_starts == line_starts(document.text)
    assert document.coverage.units == len(document.unit_starts)
    for section in document.sections:
        assert 0 <= section.start < section.end <= len(document.text)
    assert pickle.loads(pickle.dumps(document)) == document


def test_public_names_are_importable():
    assert sorted(indexer.parsing.__all__) == indexer.parsing.__all__
    for name in indexer.parsing.__all__:
        assert getattr(indexer.parsing, name) is not None
    assert PARSER_VERSION
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        indexer.parsing.nothing  # noqa: B018


def test_importing_the_package_loads_no_parser():
    code = (
        "import sys, indexer.parsing; "
        "assert not {'pypdf', 'pypdfium2', 'selectolax', 'langchain_text_splitters', 'numpy'} "
        "& set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
