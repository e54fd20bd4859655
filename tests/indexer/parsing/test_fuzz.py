"""Bytes of any kind, for every parser: a Document or an error in words, never anything else.

Each example is small and the number of them bounded; time and memory are the pool's business
(tests/faults, 6 and 7).
"""

import io
import tempfile
import zipfile
from pathlib import Path

import openpyxl
import pptx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.documents import Document
from indexer.errors import ParseError
from indexer.parsing import parse
from tests.indexer.parsing.pdfs import draw
from tests.indexer.parsing.test_office import book_file, mail, word_file

BOUNDED = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
NAMES = (
    "a.txt a.md a.rst a.tex a.html a.py a.js a.c a.json a.ipynb a.eml a.mbox a.csv a.xml a.org "
    "a.adoc a.1".split()
)
PIECES = [
    *(
        b"\n",
        b"\r",
        b"# ",
        b"```",
        b"---\n",
        b"===\n",
        b"<b>",
        b"</b>",
        b"<table><tr><td>",
        b"&#0;",
    ),
    *(b"def f(:\n", b"class A {", b"}", b'"""', b"\\section{", b'{"cells": [', b"]}", b"\x00"),
    *(b'a,"b\n', b".TH a 1\n.SH\n", b"* a\n", b"== a\n", b"\\title[", b"%\n", b"----\n"),
    *(b"From a@b Mon Mar  1 10:00:00 2021\n", b"Subject: =?utf-8?q?=ff?=\n", b"Content-Type: "),
    *(b"multipart/mixed; boundary=x\n\n--x\n", b"message/rfc822\n\n", b"\xff\xfe", b"\xed\xa0\xbd"),
    *(
        b"data:image/png;base64,",
        b"\xef\xbb\xbf",
        b"charset=utf-7",
        b"Date: 99 Foo\n",
        b"<!DOCTYPE html>",
    ),
]


def check(content: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            document = parse(path)
        except ParseError:
            return
    assert isinstance(document, Document)
    text = document.text
    text.encode("utf-8")
    assert document.unit_starts[0] == 0
    assert list(document.unit_starts) == sorted(document.unit_starts)
    assert document.unit_starts[-1] <= len(text)
    assert document.coverage.units == len(document.unit_starts)
    assert list(document.breaks) == sorted(set(document.breaks))
    assert all(0 < offset < len(text) for offset in (*document.breaks, *document.borders))
    assert all(0 <= s.start < s.end <= len(text) and s.title for s in document.sections)
    assert all(0 <= start < end <= len(text) for start, end in document.furniture)


@BOUNDED
@given(
    st.lists(st.sampled_from(PIECES) | st.binary(max_size=8), max_size=30).map(b"".join),
    st.sampled_from(NAMES),
)
def test_texts(content, name):
    check(content, name)


def saved(source) -> bytes:
    file = io.BytesIO()
    source.save(file)
    return file.getvalue()


def slides():
    source = pptx.Presentation()
    source.slides.add_slide(source.slide_layouts[1]).shapes.title.text = "Pumps"
    return source


def sheet():
    book = openpyxl.Workbook()
    book.active.append(["Pump", 3])
    return book


WHOLE = {
    "a.pdf": draw([["one", "two"], ["three"]]),
    "a.docx": saved(word_file()),
    "a.pptx": saved(slides()),
    "a.xlsx": saved(sheet()),
    "a.epub": book_file(),
    "a.eml": bytes(mail()),
}


@pytest.mark.parametrize("name", WHOLE)
@settings(BOUNDED, max_examples=15)
@given(data=st.data())
def test_files_with_damage(name, data):
    content = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=20))
    check(
        bytes(content[: data.draw(st.integers(1, len(content)))] if at % 3 == 0 else content), name
    )


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.epub"])
@settings(BOUNDED, max_examples=15)
@given(data=st.data())
def test_packages_with_damaged_parts(name, data):
    """Damage inside the parts, which a damaged zip file would hide."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(WHOLE[name])) as whole, zipfile.ZipFile(file, "w") as package:
        spoilt = data.draw(st.sampled_from(whole.namelist()))
        for part in whole.namelist():
            content = bytearray(whole.read(part))
            if part == spoilt and content:
                at = data.draw(st.integers(0, len(content) - 1))
                content[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=20))
            package.writestr(part, bytes(content))
    check(file.getvalue(), name)


def test_an_xml_bomb_in_a_package_is_refused(tmp_path):
    """Entities that grow without end ("billion laughs"), in each of the XML readers."""
    bomb = '<!DOCTYPE x [<!ENTITY a "lol">' + "".join(
        f'<!ENTITY a{i} "{("&a" + str(i - 1) + ";") * 10 if i else "&a;" * 10}">' for i in range(12)
    )
    bomb += "]>"
    for name, part in [
        ("a.docx", "word/document.xml"),
        ("a.pptx", "ppt/presentation.xml"),
        ("a.xlsx", "xl/workbook.xml"),
        ("a.epub", "OPS/book.opf"),
    ]:
        file = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(WHOLE[name])) as whole, zipfile.ZipFile(file, "w") as new:
            for member in whole.namelist():
                content = whole.read(member).decode("utf-8", "replace")
                if member == part:
                    head, _, rest = content.rpartition("?>")
                    content = f"{head}?>{bomb}{rest}" if head else f"{bomb}{rest}"
                    content = content.replace("</", "&a11;</", 1)
                new.writestr(member, content)
        path = tmp_path / name
        path.write_bytes(file.getvalue())
        try:
            document = parse(path)
        except ParseError:
            continue
        assert len(document.text) < 100_000, name
