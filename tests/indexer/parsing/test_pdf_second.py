"""Damaged PDFs: what the second reader saves where the first one refuses."""

import re

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.errors import Damaged, GivenUp, Locked, ParseError
from indexer.parsing import ParserPool, parse
from indexer.parsing.options import ParseOptions
from indexer.parsing.pdf import CUT, DAMAGED
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.parsing.pdfs import bend, draw

WHOLE = draw(
    [[f"Page {n} tells of pumps", "and of valves"] for n in range(1, 7)], title="All about pumps"
)
SECOND = ParseOptions(second_reader=True)


def without_end(data):
    """A download that broke off: neither table of objects nor trailer."""
    return data[: data.rindex(b"\nxref")]


def encrypted(data):
    return bend(data, lambda writer: writer.encrypt("fjord", algorithm="AES-256"))


REFUSED = {  # by pdfium, and mended
    "header gone": (lambda d: d.replace(b"%PDF-", b"%QDF-"), DAMAGED),
    "junk before the header": (lambda d: b"x" * 2000 + b"\n" + d, DAMAGED),
    "root of another number": (lambda d: re.sub(rb"/Root \d+", b"/Root 99", d), DAMAGED),
    "tail cut off": (without_end, CUT),
    "page tree gone": (lambda d: re.sub(rb"/Pages \d+ 0 R", b"/Pages 999 0 R", d), CUT),
    "no trailer": (lambda d: d.replace(b"trailer", b"trailor"), CUT),
}
MENDED = {  # by pdfium itself
    "startxref wrong": lambda d: re.sub(rb"startxref\s+\d+", b"startxref\n7", d),
    "offsets wrong": lambda d: re.sub(
        rb"(\d{10}) (\d{5}) n", lambda m: b"%010d %s n" % (int(m[1]) + 13, m[2]), d
    ),
    "endstream gone": lambda d: d.replace(b"endstream", b""),
}


@pytest.fixture(scope="module")
def pool():
    with ParserPool(timeout_s=60) as pool:
        yield pool


def read(pool, path):
    return next(iter(pool.map([path])))[1]


@pytest.mark.parametrize("damage", REFUSED)
def test_what_pdfium_refuses_is_read_by_the_second_reader(tmp_path, pool, damage):
    path = tmp_path / "a.pdf"
    spoil, told = REFUSED[damage]
    path.write_bytes(spoil(WHOLE))
    with pytest.raises(Damaged):
        parse(path, ParseOptions())

    document = read(pool, path)

    assert [f"Page {n} tells of pumps" in document.text for n in range(1, 7)] == [True] * 6
    assert document.text.index("Page 1") < document.text.index("Page 6")
    assert len(document.unit_starts) == 6
    assert document.coverage.with_text == 6
    assert document.metadata["damaged"] == told


@pytest.mark.parametrize("damage", MENDED)
def test_what_pdfium_mends_needs_no_second_reader(tmp_path, pool, damage):
    path = tmp_path / "a.pdf"
    path.write_bytes(MENDED[damage](WHOLE))

    document = read(pool, path)

    assert "damaged" not in document.metadata
    assert document.coverage.with_text == 6


def test_half_a_file_gives_the_pages_that_are_in_it(tmp_path, pool):
    path = tmp_path / "a.pdf"
    path.write_bytes(WHOLE[: int(len(WHOLE) * 0.7)])

    document = read(pool, path)

    assert "Page 1 tells of pumps" in document.text
    assert 0 < document.coverage.with_text < 6
    assert document.metadata["damaged"] == CUT


def test_pages_without_a_tree_are_found(tmp_path, pool):
    """pdfium opens it, and has one page without anything on it."""
    path = tmp_path / "a.pdf"
    path.write_bytes(WHOLE.replace(b"/Kids [", b"/Kidz ["))

    assert read(pool, path).coverage.with_text == 6


def test_pages_that_pdfium_takes_for_blank_are_looked_at_again(tmp_path, pool):
    """Without endobj it opens some files, and loses the contents of pages without a word."""
    path = tmp_path / "a.pdf"
    path.write_bytes(
        draw([[f"Page {n} tells of pumps"] for n in range(1, 7)]).replace(b"endobj", b"")
    )
    assert parse(path).coverage.blank > 0

    assert read(pool, path).coverage.with_text == 6


def test_the_outline_is_kept(tmp_path, pool):
    def bookmark(writer):
        writer.add_outline_item(title="Second thoughts", page_number=1)

    data = re.sub(rb"/Root \d+", b"/Root 99", bend(WHOLE, bookmark))
    path = tmp_path / "a.pdf"
    path.write_bytes(data)

    document = read(pool, path)

    assert [(s.title, s.start) for s in document.sections] == [
        ("Second thoughts", document.unit_starts[1])
    ]
    assert document.title == "All about pumps"


def test_passwords_are_tried(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(re.sub(rb"%PDF-", b"%QDF-", encrypted(WHOLE)))

    with ParserPool() as pool:
        assert isinstance(read(pool, path), Locked)
    with ParserPool(options=ParseOptions(passwords=("fjord",))) as pool:
        assert "Page 6" in read(pool, path).text


def test_what_neither_reads_is_failed_with_the_reason_of_the_first(tmp_path, pool):
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.4\n" + bytes(range(256)) * 20)

    error = read(pool, path)

    assert isinstance(error, Damaged)
    assert "damaged or incomplete" in str(error)


def test_the_second_reader_keeps_the_limits_of_the_worker(tmp_path):
    """A file that takes it for ever costs its share of the time, and is told as damaged."""
    path = tmp_path / "a.pdf"
    path.write_bytes(REFUSED["tail cut off"][0](WHOLE))

    def call(function, *arguments, time_share=1.0):
        if arguments[1].second_reader:
            raise GivenUp("too slow.", "Wait.")
        return function(*arguments)

    from indexer.parsing.reading import read as read_file

    with pytest.raises(Damaged):
        read_file(call, path, ParseOptions())


def test_it_is_partly_read_and_nothing_is_printed(tmp_path, capfd):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(REFUSED["tail cut off"][0](WHOLE))
    settings = Settings(parse_workers=1)
    with DocumentIndex(tmp_path / "x", settings=settings, encoder=KeywordEncoder()) as index:
        index.add([folder])
        (record,) = index.files()

    assert (record.state, record.reason) == ("partly read", CUT)
    assert capfd.readouterr() == ("", "")


def test_rubbish_is_an_error_in_words(tmp_path):
    path = tmp_path / "a.pdf"
    for cut in range(0, len(WHOLE), 97):
        path.write_bytes(b"%PDF-1.4" + WHOLE[cut : cut + 600])
        try:
            document = parse(path, SECOND)
        except ParseError:
            continue
        assert document.unit_starts[0] == 0
