"""PDF to Document (faults 1, 5, 8, 9, 10)."""

import io

import pytest
from pypdf import PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import BooleanObject, DictionaryObject, NameObject, NullObject, StreamObject
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from indexer.documents import Coverage, section_path, unit_at
from indexer.errors import Damaged, Locked, NoText, NoTextLayer, ParseError
from indexer.ingest.states import what_is_missing
from indexer.parsing import parse
from indexer.parsing.options import ParseOptions
from tests.indexer.parsing.pdfs import bend, draw, draw_scan


@pytest.fixture
def save(tmp_path):
    def save(data, name="a.pdf"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return save


def test_pages_are_units_and_a_blank_one_counts(save):
    document = parse(save(draw([["first words"], [], ["third words", "more"]])))

    assert document.text == "first words\n\n\n\nthird words\nmore\n\n"
    assert document.unit == "page"
    for word, page in [("first", 1), ("third", 3), ("more", 3)]:
        assert unit_at(document.unit_starts, document.text.index(word)) == page
    assert document.unit_starts == (0, 13, 15)
    assert document.breaks == (13, 15)
    assert document.coverage == Coverage(units=3, with_text=2, blank=1)
    assert document.unit_labels == ()


def test_printed_labels_beside_physical_pages(save):
    def label(writer):
        writer.set_page_label(0, 1, style=PageLabelStyle.LOWERCASE_ROMAN)
        writer.set_page_label(2, 3, style=PageLabelStyle.DECIMAL)

    document = parse(save(bend(draw([["a"], ["b"], ["c"], ["d"]]), label)))

    assert document.unit_labels == ("i", "ii", "1", "2")
    assert unit_at(document.unit_starts, document.text.index("c")) == 3


def test_the_outline_finds_its_headings_in_the_text(save):
    def bookmark(writer):
        chapter = writer.add_outline_item(title="Tides", page_number=0)
        writer.add_outline_item(title="Spring tides", page_number=0, parent=chapter)
        writer.add_outline_item(title="Elsewhere", page_number=1)

    pages = [["Harbour guide", "2 Tides", "all about tides", "2.1 Spring tides", "high"], ["text"]]
    document = parse(save(bend(draw(pages), bookmark)))

    assert [
        (s.level, s.title, document.text[s.start :].split("\n")[0]) for s in document.sections
    ] == [
        (1, "Tides", "2 Tides"),
        (2, "Spring tides", "2.1 Spring tides"),
        (1, "Elsewhere", "text"),  # not printed: the start of its page
    ]
    at = document.text.index("high")
    assert section_path(document.sections, at, at + 4) == "Tides > Spring tides"
    # Sections of a few words open no span of their own; a page always does.
    assert set(document.breaks) == {document.unit_starts[1]}


def test_a_heading_that_is_not_found_stays_behind_the_one_before(save):
    def bookmark(writer):
        writer.add_outline_item(title="Tides", page_number=0)
        writer.add_outline_item(title="Not printed like this", page_number=0)
        writer.add_outline_item(title="Build-Depends", page_number=0)

    pages = [["Tides", "all about tides", "Build-", "Depends", "of packages"]]
    document = parse(save(bend(draw(pages), bookmark)))

    assert [(s.title, document.text[s.start :].split("\n")[0]) for s in document.sections] == [
        ("Tides", "Tides"),
        ("Not printed like this", ""),
        ("Build-Depends", "Build-"),
    ]


def test_spans_end_at_headings_and_a_heading_takes_the_one_below_along(save):
    def bookmark(writer):
        chapter = writer.add_outline_item(title="Tides", page_number=0)
        writer.add_outline_item(title="Spring tides", page_number=0, parent=chapter)
        writer.add_outline_item(title="Neap tides", page_number=0, parent=chapter)

    lines = [f"line {i} of many words about the water" for i in range(4)]
    pages = [[*lines, "2 Tides", "2.1 Spring tides", *lines, "2.2 Neap tides", *lines]]
    document = parse(save(bend(draw(pages), bookmark)))

    assert [document.text[at:].split("\n")[0] for at in document.breaks] == [
        "2 Tides",
        "2.2 Neap tides",
    ]


def test_a_file_without_pages_is_damaged_also_behind_one_with_a_password(save):
    """pdfium tells the error of the file before."""
    empty = io.BytesIO()
    PdfWriter().write(empty)
    locked = save(bend(draw([["words"]]), lambda writer: writer.encrypt("pass")), "locked.pdf")
    for _ in range(2):
        with pytest.raises(Damaged, match="damaged or incomplete"):
            parse(save(empty.getvalue(), "empty.pdf"))
        with pytest.raises(Locked):
            parse(locked)


def test_a_dynamic_form_is_partly_read(save):
    """Its one page asks to wait for a program that can show the form."""

    def change(writer):
        form = StreamObject()
        form.set_data(b"<xdp/>")
        entries = {NameObject("/XFA"): writer._add_object(form)}
        writer.root_object[NameObject("/AcroForm")] = DictionaryObject(entries)
        writer.root_object[NameObject("/NeedsRendering")] = BooleanObject(True)

    document = parse(save(bend(draw([["Please wait..."]]), change), "a.pdf"))
    assert what_is_missing(document, ocr_pages=0) == (
        "it is a dynamic form (XFA), whose fields are not read"
    )


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256"])
def test_an_empty_user_password_opens_and_another_is_locked(save, algorithm):
    def protect(user):
        return lambda writer: writer.encrypt(user, "owner", algorithm=algorithm)

    data = bend(
        draw([["secret words"]]),
        lambda writer: writer.add_outline_item(title="Words", page_number=0),
    )
    document = parse(save(bend(data, protect(""))))
    assert document.text == "secret words\n\n"
    assert [section.title for section in document.sections] == ["Words"]

    path = save(bend(data, protect("pass")), "locked.pdf")
    with pytest.raises(
        Locked, match=r"^\S*locked.pdf needs a password. Give it with --pass"
    ) as caught:
        parse(path)
    assert str(caught.value).count(str(path)) == 1
    with pytest.raises(Locked, match=r"is locked: wrong password. Give the right one"):
        parse(path, ParseOptions(passwords=("wrong",)))
    opened = parse(path, ParseOptions(passwords=("wrong", "pass")))
    assert (opened.text, opened.sections) == (document.text, document.sections)


def test_a_scan_is_told_from_blank_pages(save):
    with pytest.raises(NoTextLayer, match=r"3 pages, no text layer, probably a scan. Run OCR"):
        parse(save(draw_scan(3)))
    with pytest.raises(NoText, match=r"1 page, all blank"):
        parse(save(draw([[]])))


def test_a_scanned_page_among_others_is_neither_text_nor_blank(save):
    def append(writer):
        writer.append(io.BytesIO(draw_scan(1)))

    document = parse(save(bend(draw([["words"], []]), append)))

    assert document.coverage == Coverage(units=3, with_text=1, blank=1, no_text=(3,))


def test_a_page_with_a_white_rectangle_only_is_blank(save):
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(200, 200))
    for colour in (1, 0):
        canvas.setFillGray(colour)
        canvas.rect(10, 10, 100, 100, stroke=0, fill=1)
        canvas.showPage()
    canvas.drawString(20, 20, "words")
    canvas.save()

    coverage = parse(save(file.getvalue())).coverage
    assert coverage == Coverage(units=3, with_text=1, blank=1, no_text=(2,))


def test_a_damaged_page_is_listed_and_the_rest_kept(save):
    def damage(writer):
        kids = writer.root_object["/Pages"]["/Kids"]
        kids[1] = NullObject()

    document = parse(save(bend(draw([["one"], ["two"], ["three"]]), damage)))

    assert document.coverage == Coverage(units=3, with_text=2, failed=(2,))
    assert unit_at(document.unit_starts, document.text.index("three")) == 3


@pytest.mark.parametrize("keep", [20, 400])
def test_a_truncated_file_fails_with_a_reason(save, keep):
    with pytest.raises(ParseError, match=r"damaged or incomplete"):
        parse(save(draw([["words"]])[:keep]))


def test_a_circular_outline_ends(save):
    def loop(writer):
        first = writer.add_outline_item(title="Loop", page_number=0).get_object()
        first[NameObject("/Next")] = first.indirect_reference
        first[NameObject("/First")] = first.indirect_reference

    document = parse(save(bend(draw([["Loop"], ["words"]]), loop)))

    assert {section.title for section in document.sections} <= {"Loop"}
    assert document.text == "Loop\n\nwords\n\n"


@pytest.mark.parametrize(
    ("stored", "title"),
    [
        ("A guide to tides", "A guide to tides"),
        ("untitled", "Large words in two lines"),
        ("(anonymous)", "Large words in two lines"),
        ("<Untitled> document", "Large words in two lines"),
        ("Présentation PowerPoint", "Large words in two lines"),
        ("無題", "Large words in two lines"),
        ("Anonymous", "Anonymous"),
        ("Title deeds", "Title deeds"),
        ("thesis.dvi", "Large words in two lines"),
        ("Microsoft Word - tides_v2.doc", "Large words in two lines"),
        ("", "Large words in two lines"),
    ],
)
def test_title(save, stored, title):
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(400, 300))
    canvas.setTitle(stored)
    for y, size, line in [
        (250, 10, "Port authority"),
        (220, 20, "Large words"),
        (190, 20, "in two lines"),
        (150, 10, "small"),
    ]:
        canvas.setFont("Helvetica", size)
        canvas.drawString(40, y, line)
    canvas.save()

    assert parse(save(file.getvalue())).title == title


def test_metadata_and_attachments(save):
    def add(writer):
        writer.add_metadata({"/Author": "A. Person\x00", "/Subject": " ", "/ModDate": "soon"})
        writer.add_metadata({"/CreationDate": "D:20210304050607+02'00'"})
        writer.add_attachment("data.csv", b"a,b")

    document = parse(save(bend(draw([["words"]]), add)))

    assert document.metadata["author"] == "A. Person"
    assert document.metadata["attachments"] == "data.csv"
    assert "subject" not in document.metadata
    assert document.metadata["created"] == "2021-03-04T05:06:07+02:00"
    assert "modified" not in document.metadata


def test_a_font_that_maps_to_private_use_is_reported(save):
    """Such letters are left out, and their share is told; the others stay."""

    def spoil(writer):
        for font in writer.pages[0]["/Resources"]["/Font"].values():
            if "/ToUnicode" in font.get_object():
                table = font["/ToUnicode"].get_object()
                table.set_data(table.get_data().replace(b"<0065>", b"<E065>"))  # the letter e

    data = bend(draw_with_vera("the seven letters"), spoil)
    document = parse(save(data))

    assert document.text == "th svn lttrs\n\n"
    assert document.metadata["unmapped"] == "26% of the characters"  # 5 of 5 + 14


def test_ligatures_are_found_as_letters(save):
    assert parse(save(draw_with_vera("\ufb01nd the \ufb02ow"))).text == "find the flow\n\n"


def draw_with_vera(line):
    """A page set in a TrueType font that comes with reportlab."""
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(400, 300))
    canvas.setFont("Vera", 14)
    canvas.drawString(40, 200, line)
    canvas.save()
    return file.getvalue()
