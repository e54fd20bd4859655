"""Word, PowerPoint, Excel, EPUB and email files, made by the libraries that others use."""

import base64
import io
import re
import sys
import zipfile
from email.message import EmailMessage
from pathlib import PurePath

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment

from indexer.documents import Document, section_path, unit_at
from indexer.errors import Locked, NoText, ParseError, Unsupported
from indexer.ingest.states import what_is_missing
from indexer.parsing import packages, parse


@pytest.fixture
def save(tmp_path):
    def save(content, name):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            content.save(path)
        return path

    return save


def unit_of(document: Document, words: str) -> int:
    return unit_at(document.unit_starts, document.text.index(words))


def word_file():
    source = docx.Document()
    source.core_properties.title, source.core_properties.author = "Tide tables", "A. Person"
    source.add_heading("Spring", level=1)
    source.add_paragraph("The water stands highest at new moon.")
    source.add_heading("Hours", level=2)
    table = source.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("Port", "Time", "Ostrey", "06:12"), strict=True):
        cell.text = text
    source.add_paragraph("After the table.")
    return source


def show_file():
    source = pptx.Presentation()
    source.slides.add_slide(source.slide_layouts[5]).shapes.title.text = "Pumps"
    return source


def sheet_file():
    book = openpyxl.Workbook()
    book.active.append(["Pump", 3])
    return book


def test_a_word_file_is_read_in_order(save):
    document = parse(save(word_file(), "a.docx"))

    assert document.kind == "docx"
    assert (document.title, document.metadata["author"]) == ("Tide tables", "A. Person")
    assert document.text.split("\n")[:6] == [
        "Spring",
        "The water stands highest at new moon.",
        "Hours",
        "Port\tTime",
        "Ostrey\t06:12",
        "After the table.",
    ]
    at = document.text.index("06:12")
    assert section_path(document.sections, at, at + 5) == "Spring > Hours"
    assert document.unit == "section"


def test_the_content_tells_the_format_not_the_name(save):
    assert parse(save(word_file(), "a.bin")).kind == "docx"


def test_tracked_changes_comments_and_links(save):
    source = word_file()
    paragraph = source.add_paragraph("Kept ")
    for tag, text_tag, text in (("ins", "t", "put in"), ("del", "delText", "struck out")):
        paragraph._p.append(
            parse_xml(
                f"<w:{tag} {nsdecls('w')}><w:r><w:{text_tag}>{text}</w:{text_tag}></w:r></w:{tag}>"
            )
        )
    source.add_comment(paragraph.runs, text="check the hour", author="B")
    text = parse(save(source, "a.docx")).text

    assert "Kept put in" in text
    assert "struck out" not in text
    assert "Note: check the hour" in text


SPACES = " ".join(
    f'xmlns:{prefix}="http://schemas.openxmlformats.org/{space}"'
    for prefix, space in (
        ("w", "wordprocessingml/2006/main"),
        ("m", "officeDocument/2006/math"),
        ("mc", "markup-compatibility/2006"),
        ("p", "presentationml/2006/main"),
        ("a", "drawingml/2006/main"),
        ("c", "drawingml/2006/chart"),
        ("dgm", "drawingml/2006/diagram"),
        ("r", "officeDocument/2006/relationships"),
    )
)


def put(source, xml: str) -> None:
    """Append the elements of ``xml`` to the body of a Word file."""
    for element in list(parse_xml(f"<w:body {SPACES}>{xml}</w:body>")):
        source.element.body.append(element)


RUN = "<w:r><w:t>{}</w:t></w:r>"
PARAGRAPH = f"<w:p>{RUN}</w:p>"


def cells(*contents: str) -> str:
    return "<w:tr>" + "".join(f"<w:tc>{content}</w:tc>" for content in contents) + "</w:tr>"


def test_a_table_in_a_table_is_read_once_and_cells_of_content_controls_too(save):
    source = docx.Document()
    inner = f"<w:tbl>{cells(PARAGRAPH.format('in'), PARAGRAPH.format('ner'))}</w:tbl>"
    control = "<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>"
    put(
        source,
        "<w:tbl>"
        + cells(PARAGRAPH.format("a"), inner + PARAGRAPH.format("b"))
        + f"<w:tr>{control.format('<w:tc>' + PARAGRAPH.format('held') + '</w:tc>')}"
        + f"<w:tc>{PARAGRAPH.format('free')}</w:tc></w:tr>"
        + control.format(cells(PARAGRAPH.format("row")))
        + "</w:tbl>",
    )

    assert parse(save(source, "a.docx")).text == "a\tin ner b\nheld\tfree\nrow\n"


def test_what_was_moved_stands_where_it_went(save):
    source = docx.Document()
    move = f"<w:moveFrom>{RUN.format('moved')}</w:moveFrom>"
    put(source, f"<w:p>{RUN.format('One ')}{move}</w:p>")
    move = move.replace("moveFrom", "moveTo")
    put(source, f"<w:p>{RUN.format('Two ')}{move}</w:p>")

    assert parse(save(source, "a.docx")).text == "One\nTwo moved\n"


def test_a_word_with_readings_stays_whole_and_a_placed_tab_is_one(save):
    source = docx.Document()
    ruby = "<w:r><w:ruby><w:rt><w:r><w:t>{}</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>{}</w:t></w:r>"
    ruby += "</w:rubyBase></w:ruby></w:r>"
    word = ruby.format("\u304b\u3093", "\u6f22") + ruby.format("\u3058", "\u5b57")
    other = ruby.format("\u3088", "\u8aad")
    put(source, f"<w:p>{word}{RUN.format(' and ')}{other}</w:p>")
    put(source, f"<w:p>{RUN.format('left')}<w:r><w:ptab/></w:r>{RUN.format('right')}</w:p>")

    text = parse(save(source, "a.docx")).text
    assert text == "\u6f22\u5b57(\u304b\u3093\u3058) and \u8aad(\u3088)\nleft\tright\n"


def test_equations_and_the_paragraphs_of_text_boxes_are_read(save):
    source = docx.Document()
    put(source, f"<w:p>{RUN.format('Let ')}<m:oMath><m:r><m:t>x=2</m:t></m:r></m:oMath></w:p>")
    box = "".join(PARAGRAPH.format(words) for words in ("first line", "second line"))
    box = f"<w:txbxContent>{box}</w:txbxContent>"
    put(
        source,
        f"<w:p>{RUN.format('Before')}<w:r><mc:AlternateContent><mc:Choice Requires='wps'>{box}"
        f"</mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent>"
        f"</w:r>{RUN.format(' and after')}</w:p>",
    )

    lines = ["Let x=2", "Before and after", "first line", "second line", ""]
    assert parse(save(source, "a.docx")).text.split("\n") == lines


def retyped(source, old: str, new: str, *, rename=("", "")) -> bytes:
    """The office file ``source`` with the content type ``old`` made ``new``, and a part renamed."""
    file, result = io.BytesIO(), io.BytesIO()
    source.save(file)
    with zipfile.ZipFile(file) as whole, zipfile.ZipFile(result, "w") as package:
        for name in whole.namelist():
            content = whole.read(name)
            if name in ("[Content_Types].xml", "_rels/.rels"):
                content = content.replace(old.encode(), new.encode())
                content = content.replace(rename[0].encode(), rename[1].encode())
            if rename[0]:
                name = name.replace(*(f"{PurePath(part).name}" for part in rename))
            package.writestr(name, content)
    return result.getvalue()


OPEN_XML, MICROSOFT = "application/vnd.openxmlformats-officedocument.", "application/vnd.ms-"
WORD, SHOW = "wordprocessingml.document.main", "presentationml.presentation.main"


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("a.docm", MICROSOFT + "word.document.macroEnabled.main"),
        ("a.dotx", OPEN_XML + "wordprocessingml.template.main"),
        ("a.dotm", MICROSOFT + "word.template.macroEnabledTemplate.main"),
        ("a.pptm", MICROSOFT + "powerpoint.presentation.macroEnabled.main"),
        ("a.ppsx", OPEN_XML + "presentationml.slideshow.main"),
        ("a.ppsm", MICROSOFT + "powerpoint.slideshow.macroEnabled.main"),
        ("a.potx", OPEN_XML + "presentationml.template.main"),
        ("a.potm", MICROSOFT + "powerpoint.template.macroEnabled.main"),
    ],
)
def test_templates_shows_and_files_with_macros_are_read(save, name, content_type):
    if name[2] == "d":
        source, old, kind, words = word_file(), OPEN_XML + WORD, "docx", "After the table."
    else:
        source, old, kind, words = show_file(), OPEN_XML + SHOW, "pptx", "Pumps"
    document = parse(save(retyped(source, old, content_type), name))

    assert document.kind == kind
    assert words in document.text


@pytest.mark.parametrize(
    ("kind", "make"), [("docx", word_file), ("pptx", show_file), ("xlsx", sheet_file)]
)
def test_the_strict_form_is_read_as_the_usual_one(save, kind, make):
    usual = save(make(), f"a.{kind}")
    with zipfile.ZipFile(usual) as whole, zipfile.ZipFile(usual.with_name("b"), "w") as package:
        for name in whole.namelist():
            # All names but those of packages themselves.
            old = rb"http://schemas\.openxmlformats\.org/(?!package/)(\w+)/2006/"
            package.writestr(
                name, re.sub(old, rb"http://purl.oclc.org/ooxml/\1/", whole.read(name))
            )
    document = parse(usual.with_name("b"))

    assert (document.kind, document.text) == (kind, parse(usual).text)
    assert document.text.strip()


def test_the_main_part_may_have_any_name(save):
    data = retyped(word_file(), "", "", rename=("word/document.xml", "word/document2.xml"))

    assert "After the table." in parse(save(data, "a.docx")).text


def test_a_reason_is_the_same_in_every_run(save):
    """An object's address in it had the ledger written anew each time."""
    data = retyped(word_file(), OPEN_XML + WORD, OPEN_XML + "wordprocessingml.strange.main")
    with pytest.raises(ParseError, match=r"damaged: TypeError: its main part is .*strange") as told:
        parse(save(data, "a.docx"))
    assert " at 0x" not in str(told.value)
    assert packages.steady(f"no {object()!r} here") == "no an object here"


def test_a_document_of_another_office_is_no_archive(save):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    with pytest.raises(Unsupported, match=r"an OpenDocument file\. Convert it to PDF"):
        parse(save(file.getvalue(), "a.odt"))


def test_slides_are_units_with_their_notes_and_tables(save):
    source = pptx.Presentation()
    for title, body in (("Pumps", "The cellar pump"), ("Valves", "A brass valve")):
        slide = source.slides.add_slide(source.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
    slide.notes_slide.notes_text_frame.text = "Mention the seal."
    table = slide.shapes.add_table(1, 2, 0, 0, 100, 100).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Size", "40 mm"
    document = parse(save(source, "a.pptx"))

    assert (document.kind, document.unit, len(document.unit_starts)) == ("pptx", "slide", 2)
    assert [unit_of(document, w) for w in ("cellar", "brass", "Size\t40 mm", "seal")] == [
        1,
        2,
        2,
        2,
    ]
    assert [section.title for section in document.sections] == ["Pumps", "Valves"]


TEXT = "<a:p><a:r><a:t>{}</a:t></a:r></a:p>"
DIAGRAM = (
    f"<dgm:dataModel {SPACES}><dgm:ptLst>"
    f"<dgm:pt><dgm:t>{TEXT.format('Open the lid')}</dgm:t></dgm:pt>"
    f"<dgm:pt><dgm:t>{TEXT.format('Lift the pump')}</dgm:t></dgm:pt><dgm:pt/>"
    f"</dgm:ptLst></dgm:dataModel>"
)
CHART = (
    f"<c:chartSpace {SPACES}><c:chart><c:title><c:tx><c:rich>{TEXT.format('Failures')}</c:rich>"
    "</c:tx></c:title><c:ser><c:tx><c:strRef><c:strCache><c:pt><c:v>By town</c:v></c:pt>"
    "</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt><c:v>Ostrey</c:v></c:pt>"
    "<c:pt><c:v>Westrey</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>"
    "<c:pt><c:v>4.5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:chart></c:chartSpace>"
)


def drawing(part, kind: str, content: str) -> str:
    """What refers to a drawing of ``kind`` with this ``content``, which ``part`` now holds."""
    library = sys.modules[type(part).__module__.split(".")[0]]
    name = library.opc.packuri.PackURI(f"/drawings/{kind}.xml")
    held = (
        library.opc.package.Part(name, "application/xml", part.package, content.encode())
        if library is pptx
        else library.opc.part.Part(name, "application/xml", content.encode())
    )
    place = part.relate_to(held, f"http://schemas.openxmlformats.org/relationships/{kind}")
    if kind == "chart":
        return f"<a:graphicData><c:chart r:id='{place}'/></a:graphicData>"
    return f"<a:graphicData><dgm:relIds r:dm='{place}'/></a:graphicData>"


def test_all_that_a_slide_shows_is_read(save):
    """A box with the id of the title, one with an equation, a group, a diagram, a chart."""
    source = pptx.Presentation()
    slide = source.slides.add_slide(source.slide_layouts[5])
    slide.shapes.title.text = "Pumps"
    shape = f"<p:sp><p:nvSpPr><p:cNvPr id='{slide.shapes.title.shape_id}' name=''/><p:nvPr/>"
    shape += "</p:nvSpPr><p:txBody>{}</p:txBody></p:sp>"
    both = "<mc:AlternateContent><mc:Choice Requires='a14'>{}</mc:Choice>"
    both += "<mc:Fallback>{}</mc:Fallback></mc:AlternateContent>"
    sum_ = "<m:oMath><m:r><m:t>x=2</m:t></m:r></m:oMath>"
    sum_ = both.format(sum_, "<a:r><a:t>[sum]</a:t></a:r>")
    frame = "<p:graphicFrame><a:graphic>{}</a:graphic></p:graphicFrame>"
    xml = (
        shape.format(TEXT.format("Of the same id"))
        + both.format(
            shape.format(f"<a:p><a:r><a:t>Let </a:t></a:r>{sum_}</a:p>"),
            shape.format(TEXT.format("A picture of it")),
        )
        + f"<p:grpSp>{shape.format(TEXT.format('Of a group'))}</p:grpSp>"
        + frame.format(drawing(slide.part, "diagramData", DIAGRAM))
        + frame.format(drawing(slide.part, "chart", CHART))
    )
    for element in list(parse_xml(f"<p:spTree {SPACES}>{xml}</p:spTree>")):
        slide.shapes._spTree.append(element)
    drawing(slide.part, "comments", f"<p:cm {SPACES}><p:text>Ask Ann</p:text></p:cm>")
    document = parse(save(source, "a.pptx"))

    assert document.text.split("\n") == [
        *("Pumps", "Of the same id", "Let x=2", "Of a group", "Open the lid", "Lift the pump"),
        *("Failures", "By town", "Ostrey\tWestrey", "Note: Ask Ann", ""),
    ]


def test_diagrams_and_charts_of_a_word_file_follow_their_paragraph(save):
    source = docx.Document()
    inline = "<w:p><w:r><w:t>{}</w:t></w:r><w:r><w:drawing>{}</w:drawing></w:r></w:p>"
    put(source, inline.format("How to:", drawing(source.part, "diagramData", DIAGRAM)))
    cell = inline.format("How often:", drawing(source.part, "chart", CHART))
    put(source, f"<w:tbl>{cells(cell)}</w:tbl>")

    assert parse(save(source, "a.docx")).text.split("\n") == [
        *("How to:", "Open the lid", "Lift the pump"),
        *("How often:", "Failures", "By town", "Ostrey\tWestrey", ""),
    ]


def test_a_damaged_drawing_or_note_costs_no_more_than_itself(save):
    source = docx.Document()
    source.add_paragraph("The pump leaks.")
    cut = DIAGRAM[: DIAGRAM.index("Lift the")]
    for kind, content in (("diagramData", cut), ("chart", "")):
        drawn = drawing(source.part, kind, content)
        put(source, f"<w:p><w:r><w:drawing>{drawn}</w:drawing></w:r></w:p>")
    document = parse(save(source, "a.docx"))

    assert document.text == "The pump leaks.\nOpen the lid\n"
    assert what_is_missing(document, ocr_pages=0) == "notes or drawings in it are damaged"


def put_chunk(source, name: str, content_type: str, data: bytes) -> None:
    """Append ``data`` to a Word file as a text of another format."""
    uri = docx.opc.packuri.PackURI(f"/word/{name}")
    chunk = docx.opc.part.Part(uri, content_type, data, source.part.package)
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk"
    put(source, f"<w:altChunk r:id='{source.part.relate_to(chunk, relation)}'/>")


def test_texts_of_other_formats_in_a_word_file_are_read_or_told(save):
    source, inner = docx.Document(), io.BytesIO()
    word_file().save(inner)
    put_chunk(source, "a.html", "text/html", b"<h1>Pump report</h1><p>It leaks.</p>")
    put_chunk(source, "b.docx", OPEN_XML + WORD + "+xml", inner.getvalue())
    document = parse(save(source, "a.docx"))
    assert [section.title for section in document.sections] == ["Pump report", "Spring", "Hours"]
    assert "It leaks." in document.text
    assert "After the table." in document.text
    assert what_is_missing(document, ocr_pages=0) is None

    put_chunk(source, "c.rtf", "application/rtf", b"{\\rtf1 words}")
    reason = "text put in from files of other formats cannot be read (application/rtf)"
    assert what_is_missing(parse(save(source, "a.docx")), ocr_pages=0) == reason
    source = docx.Document()
    put_chunk(source, "c.rtf", "application/rtf", b"{\\rtf1 words}")
    with pytest.raises(NoText, match=r"holds no text: text put in .* \(application/rtf\)\."):
        parse(save(source, "a.docx"))


def test_a_sheet_is_a_unit_and_a_row_a_line(save):
    book = openpyxl.Workbook()
    book.active.title = "Costs"
    book.active.append(["Item", "Price", None])
    book.active.append([None, None])
    book.active.append(["Pump", 12.5])
    other = book.create_sheet("Stock")
    other.append(["Valve", 3, True])
    document = parse(save(book, "a.xlsx"))

    assert (document.kind, document.unit) == ("xlsx", "sheet")
    assert document.text == "Costs\nItem\tPrice\nPump\t12.5\n\nStock\nValve\t3\tTrue\n"
    assert unit_of(document, "Valve") == 2


def test_comments_and_what_is_drawn_follow_the_rows_of_their_sheet(save):
    book = sheet_file()
    sheet = book.active
    sheet["A1"].comment = Comment("The seal is worn", "Ann")
    sheet["B1"].comment = Comment("[Threaded comment] Your Excel is too old", "tc={1}")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1))
    chart.title = "Failures"
    sheet.add_chart(chart)
    book.create_sheet("Other").append(["Valve"])
    plain, result = io.BytesIO(), io.BytesIO()
    book.save(plain)
    with zipfile.ZipFile(plain) as whole, zipfile.ZipFile(result, "w") as package:
        for name in whole.namelist():
            content = whole.read(name)
            if name == "xl/worksheets/_rels/sheet1.xml.rels":
                kind = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
                relation = f'<Relationship Id="t" Type="{kind}" Target="../threads.xml"/>'
                content = content.replace(b"</Rel", relation.encode() + b"</Rel")
            package.writestr(name, content)
        space = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
        texts = "".join(
            f'<threadedComment ref="B1"><text>{text}</text></threadedComment>'
            for text in ("Are there three?", "Four.")
        )
        threads = f'<ThreadedComments xmlns="{space}">{texts}</ThreadedComments>'
        package.writestr("xl/threads.xml", threads)

    assert parse(save(result.getvalue(), "a.xlsx")).text.split("\n") == [
        *("Sheet", "Pump\t3", "Note on B1: Are there three?", "Note on B1: Four."),
        *("Note on A1: The seal is worn", "Failures", "", "Other", "Valve", ""),
    ]


def test_the_last_row_of_a_very_long_workbook_is_read(save, monkeypatch):
    monkeypatch.setattr(packages, "MAX_RATIO", 10_000)  # one character makes a small file
    book = openpyxl.Workbook()
    for _ in range(1_600):
        book.active.append(["x" * 32_000])
    book.active.append(["a zebrafish"])
    document = parse(save(book, "a.xlsx"))

    assert len(document.text) > 50_000_000
    assert document.text.endswith("x\na zebrafish\n")


XHTML = "application/xhtml+xml"
OPF = ' xmlns="http://www.idpf.org/2007/opf"'


def book_file(
    *,
    chapters=("one", "two"),
    encrypted=(),
    missing=(),
    head="",
    media_type=XHTML,
    namespace=OPF,
    body="",
):
    file = io.BytesIO()
    suffix = "xhtml" if media_type == XHTML else "xml"
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("mimetype", "application/epub+zip")
        package.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        )
        items = "".join(
            f'<item id="{c}" href="text/{c}%20.{suffix}" media-type="{media_type}"/>'
            for c in sorted(chapters, reverse=True)
        )
        package.writestr(
            "OPS/book.opf",
            f"<package{namespace} "
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The light</dc:title>'
            "<dc:creator>A. Person</dc:creator><dc:language>en-GB</dc:language></metadata>"
            f"<manifest>{items}</manifest><spine>"
            + "".join(f'<itemref idref="{c}"/>' for c in chapters)
            + "</spine></package>",
        )
        for c in (c for c in chapters if c not in missing):
            package.writestr(
                f"OPS/text/{c} .{suffix}",
                f"<html>{head}<body><h1>Chapter {c}</h1><p>Words of {c}.</p>{body}</body></html>",
            )
        if encrypted:
            uris = "".join(f'<CipherReference URI="OPS/text/{c}%20.xhtml"/>' for c in encrypted)
            package.writestr(
                "META-INF/encryption.xml",
                f'<encryption xmlns="http://www.w3.org/2001/04/xmlenc#">{uris}</encryption>',
            )
    return file.getvalue()


def test_a_book_is_read_chapter_by_chapter(save):
    document = parse(save(book_file(), "a.epub"))

    assert (document.kind, document.title, document.language) == ("epub", "The light", "en")
    assert [section.title for section in document.sections] == ["Chapter one", "Chapter two"]
    assert document.text.index("Words of one.") < document.text.index("Words of two.")
    with pytest.raises(Locked, match="DRM"):
        parse(save(book_file(encrypted=("one", "two")), "b.epub"))


@pytest.mark.parametrize("head", ["<title/>", '<script src="x.js"/>', "<style/>", "<title />"])
def test_an_empty_element_of_xhtml_does_not_swallow_the_chapter(save, head):
    text = parse(save(book_file(head=f"<head>{head}</head>"), "a.epub")).text

    assert text == "Chapter one\n\nWords of one.\nChapter two\n\nWords of two.\n"


def test_a_book_tells_of_chapters_that_are_not_there(save):
    document = parse(save(book_file(missing=["two"]), "a.epub"))

    reason = "1 of 2 chapters cannot be read (OPS/text/two .xhtml)"
    assert what_is_missing(document, ocr_pages=0) == reason
    assert "Words of one." in document.text
    document = parse(save(book_file(encrypted=["one"]), "a.epub"))
    assert "1 of 2 chapters cannot be read" in document.metadata["damaged"]
    assert "damaged" not in parse(save(book_file(), "a.epub")).metadata
    with pytest.raises(ParseError, match="damaged: 2 of 2 chapters"):
        parse(save(book_file(missing=["one", "two"]), "a.epub"))


@pytest.mark.parametrize("media_type", ["text/x-oeb1-document", "application/xml", "a/b"])
def test_chapters_of_any_type_are_read(save, media_type):
    document = parse(save(book_file(media_type=media_type), "a.epub"))

    assert "Words of two." in document.text


@pytest.mark.parametrize(
    "namespace", ["", ' xmlns="http://openebook.org/namespaces/oeb-package/1.0/"']
)
def test_a_book_of_another_namespace_or_none_is_read(save, namespace):
    document = parse(save(book_file(namespace=namespace), "a.epub"))

    assert (document.title, document.metadata["author"]) == ("The light", "A. Person")
    assert "Words of two." in document.text


def test_headers_and_footers_of_a_chapter_are_text(save):
    body = "<header><h2>Part</h2></header><footer><p>Note.</p></footer>"
    document = parse(save(book_file(chapters=["one"], body=body), "a.epub"))

    assert document.text == "Chapter one\n\nWords of one.\n\nPart\n\nNote.\n"


def test_a_name_in_a_book_cannot_break_the_line_of_an_error(save):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr(
            "META-INF/container.xml", '<a><rootfile full-path="a&#xD;&#xA;\x7f[31mb"/></a>'
        )
        package.writestr("a\r\n\x7f[31mb", "no XML")
    with pytest.raises(ParseError, match=r"its part a \[31mb is no XML"):
        parse(save(file.getvalue(), "a.epub"))


def test_a_picture_among_the_chapters_is_named(save):
    package = zipfile.ZipFile(io.BytesIO(book_file()))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as spoilt:
        for name in package.namelist():
            data = b"\x89PNG\r\n\x1a\n\0" if "two" in name else package.read(name)
            spoilt.writestr(name, data)
    document = parse(save(file.getvalue(), "a.epub"))

    assert "1 of 2 chapters cannot be read" in document.metadata["damaged"]


def mail(subject="The pump", *, html=False) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "Ann Person <ann@example.org>", "bob@example.org"
    message["Subject"], message["Date"] = subject, "Mon, 01 Mar 2021 10:00:00 +0100"
    if html:
        message.set_content("<p>It <b>leaks</b> again.</p>", subtype="html")
    else:
        message.set_content("It leaks again, F\u00fchrer of pumps.\n")
    message.add_attachment(b"\x00\x01", maintype="image", subtype="png", filename="leak.png")
    return message


@pytest.mark.parametrize("html", [False, True])
def test_a_message_has_headers_text_and_the_names_of_its_attachments(save, html):
    document = parse(save(bytes(mail(html=html)), "a.eml"))

    assert (document.kind, document.title) == ("email", "The pump")
    assert document.text.startswith("From: Ann Person <ann@example.org>\nTo: bob@example.org\n")
    assert "It leaks again" in document.text
    assert "Attachments: leak.png" in document.text
    assert document.metadata["attachments"] == "leak.png"
    assert document.metadata["created"] == "2021-03-01T10:00:00+01:00"


def test_a_forwarded_message_is_read_too(save):
    outer = mail("Look at this")
    outer.add_attachment(mail("Inside"))
    document = parse(save(bytes(outer), "a.eml"))
    assert [(s.level, s.title) for s in document.sections] == [(1, "Look at this"), (2, "Inside")]


def test_messages_of_a_mailbox_are_units(save):
    def entry(message):
        body = bytes(message).replace(b"\nFrom ", b"\n>From ")
        return b"From ann@example.org Mon Mar  1 10:00:00 2021\n" + body + b"\n"

    data = entry(mail("One")) + entry(mail("Two")) + entry(mail("Three"))
    for name in ("a.mbox", "inbox"):
        document = parse(save(data, name))
        assert (document.kind, document.unit, len(document.unit_starts)) == ("email", "message", 3)
        assert unit_of(document, "Subject: Two") == 2


def message_of(content_type: str, *parts: tuple[str, str]) -> bytes:
    """A message of ``parts``, each a type and a text, with the border "b"."""
    lines = ["From: a@b", "Subject: x", f"Content-Type: {content_type}", ""]
    for kind, text in parts:
        lines += ["--b", f"Content-Type: {kind}", "", text]
    return "\n".join([*lines, "--b--" if parts else "", ""]).encode()


HEADERS = "From: a@b\nSubject: x\n\n"
PLAIN, HTML = ("text/plain", "first"), ("text/html", "<p>second")
PICTURE = ('image/png; name="p.png"', "iVBOR")


@pytest.mark.parametrize(
    ("content_type", "parts", "text"),
    [
        (
            "multipart/mixed; boundary=b",
            [PLAIN, PICTURE, HTML, ("text/plain", "third")],
            "first\nsecond\nthird\nAttachments: p.png\n",
        ),
        ("multipart/alternative; boundary=b", [PLAIN, HTML], "first\n"),
        ("multipart/alternative; boundary=b", [("text/plain", " \n"), HTML], "second\n"),
        (
            "multipart/alternative; boundary=b",
            [("text/calendar", "BEGIN:VCALENDAR"), HTML],
            "second\n",
        ),
        ("multipart/related; boundary=b", [HTML, PICTURE], "second\nAttachments: p.png\n"),
        (
            "multipart/mixed; boundary=b",
            [PLAIN, ("text/csv; name=a.csv", "1,2"), ("text/x-note", "noted")],
            "first\nnoted\nAttachments: a.csv\n",
        ),
    ],
)
def test_every_text_of_a_message_is_read(save, content_type, parts, text):
    document = parse(save(message_of(content_type, *parts), "a.eml"))

    assert document.text == HEADERS + text


FORWARDED = ("message/rfc822", "Subject: inner\nFrom: c@d\n\nWords.")
INNER = "\nFrom: c@d\nSubject: inner\n\nWords.\n"


def test_a_message_beside_one_of_several_forms_is_read(save):
    """As Apple Mail forwards."""
    mixed = message_of("multipart/mixed; boundary=b", HTML, FORWARDED).decode().split("\n\n", 1)[1]
    parts = [PLAIN, ("multipart/mixed; boundary=b", mixed)]
    data = message_of("multipart/alternative; boundary=a", *parts).decode()
    data = data.replace("--b\nContent-Type: text/plain", "--a\nContent-Type: text/plain")
    data = data.replace("--b\nContent-Type: multipart", "--a\nContent-Type: multipart")

    assert parse(save(data.encode(), "a.eml")).text == HEADERS + "first\n" + INNER


def test_a_message_packed_as_base64_is_read(save):
    packed = base64.encodebytes(FORWARDED[1].encode()).decode()
    part = ("message/rfc822\nContent-Transfer-Encoding: base64", packed)

    document = parse(save(message_of("multipart/mixed; boundary=b", PLAIN, part), "a.eml"))
    assert document.text == HEADERS + "first\n" + INNER


def test_the_report_of_a_mail_server_is_read(save):
    report = ("message/delivery-status", "Reporting-MTA: dns; m\n\nStatus: 5.1.1\nAction: failed\n")
    receipt = ("message/disposition-notification", "Disposition: displayed\n")
    data = message_of("multipart/report; boundary=b", PLAIN, report, receipt)

    lines = "first\nReporting-MTA: dns; m\nStatus: 5.1.1\nAction: failed\nDisposition: displayed\n"
    assert parse(save(data, "a.eml")).text == HEADERS + lines


def test_html_in_a_message_tells_its_charset_and_has_headers_of_its_own(save):
    page = '<meta charset="windows-1251"><header><h2>Привет</h2></header><p>мир'
    data = b"From: a@b\nSubject: x\nContent-Type: text/html\n\n" + page.encode("cp1251")
    assert parse(save(data, "a.eml")).text == HEADERS + "Привет\n\nмир\n"
    data = data.replace(b"text/html", b"text/html; charset=cp866")  # which the header knows best
    assert "Привет" not in parse(save(data, "a.eml")).text


@pytest.mark.parametrize(
    "content_type", ["text/plain; charset=koi8-r", "multipart/mixed; boundary=b"]
)
def test_a_subject_that_names_no_charset_has_that_of_the_text(save, content_type):
    text = f"From: Насос <a@b>\nSubject: Насос\nContent-Type: {content_type}\n\n"
    text += "--b\nContent-Type: text/plain; charset=koi8-r\n\nмир"
    document = parse(save(text.encode("koi8-r"), "a.eml"))

    assert (document.title, document.metadata["author"]) == ("Насос", "Насос <a@b>")


@pytest.mark.parametrize(
    ("declared", "codec", "word"),
    [("gb2312", "gbk", "水泵镕"), ("x-sjis", "cp932", "保守"), ("utf-8", "utf-8", "水泵")],
)
def test_a_subject_is_read_in_any_charset(save, declared, codec, word):
    """Beyond its charset proper, in one that has another name, or cut within a letter."""
    data = word.encode(codec)
    halves = (base64.b64encode(half).decode() for half in (data[:3], data[3:]))
    words = " ".join(f"=?{declared}?B?{half}?=" for half in halves)
    document = parse(save(f"From: a@b\nSubject: a {words} b\n\nx".encode(), "a.eml"))

    assert document.title == f"a {word} b"


def test_a_message_that_names_no_border_keeps_its_text(save):
    data = message_of("multipart/mixed").rstrip(b"\n") + b"\n\nThe body.\n"

    assert parse(save(data, "a.eml")).text == HEADERS + "The body.\n"


SEPARATOR = b"From a@b Mon Mar  1 10:00:00 2021\n"


@pytest.mark.parametrize("name", ["a.mbox", "inbox"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_what_parts_the_messages_of_a_mailbox(save, name, end):
    lines = (
        *(SEPARATOR.strip(), b">From c@d Mon Mar  1 10:00:00 2021 remote from e"),
        *(b"Subject: one", b"", b"From spring 2024", b"Word: kept", b""),
        *(b"From March to May 2024", b"Other: kept", b"", b">From here", b"", SEPARATOR.strip()),
        *(b"Subject: two", b"", b"Words.", b""),
    )
    document = parse(save(end.join(lines), name))

    assert (document.unit, len(document.unit_starts)) == ("message", 2)
    assert [section.title for section in document.sections] == ["one", "two"]
    for words in ("From spring 2024\nWord: kept", "From March to May 2024\nOther: kept"):
        assert words in document.text
    assert unit_of(document, "Words.") == 2


def test_what_is_called_a_mailbox_and_is_none_is_text(save):
    for data in (b"Dear Ann: words\n", b"From March 2021 on\nWord: words\n"):
        document = parse(save(data, "a.mbox"))
        assert (document.unit, document.text) == ("line", data.decode())


@pytest.mark.parametrize(
    ("make", "name", "module", "library"),
    [
        (word_file, "a.docx", "docx", "python-docx"),
        (pptx.Presentation, "a.pptx", "pptx", "python-pptx"),
        (openpyxl.Workbook, "a.xlsx", "openpyxl", "openpyxl"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(save, monkeypatch, make, name, module, library):
    path = save(make(), name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Unsupported, match=rf"needs {library}.*pip install 'lmk\[office\]'"):
        parse(path)


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pptx"])
def test_an_encrypted_office_file_is_locked(save, name):
    with pytest.raises(Locked, match="password"):
        parse(save(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), name))


def test_damaged_empty_and_swollen_packages_say_so(save, monkeypatch):
    whole = io.BytesIO()
    word_file().save(whole)
    data = whole.getvalue()
    with pytest.raises(ParseError, match="damaged"):
        parse(save(data[: len(data) // 2], "a.docx"))
    with pytest.raises(NoText, match="no text was found in it"):
        parse(save(docx.Document(), "b.docx"))
    file = io.BytesIO()
    zipfile.ZipFile(file, "w").close()
    with pytest.raises(Unsupported, match="a zip archive"):
        parse(save(file.getvalue(), "c.zip"))
    monkeypatch.setattr(packages, "MAX_UNPACKED_BYTES", 100)
    with pytest.raises(Unsupported, match="zip bomb"):
        parse(save(data, "d.docx"))
