"""Word, PowerPoint, Excel, EPUB and email files, made by the libraries that others use."""

import base64
import io
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
        source, old, kind, words = pptx.Presentation(), OPEN_XML + SHOW, "pptx", "Pumps"
        source.slides.add_slide(source.slide_layouts[5]).shapes.title.text = words
    document = parse(save(retyped(source, old, content_type), name))

    assert document.kind == kind
    assert words in document.text


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
    with pytest.raises(NoText):
        parse(save(docx.Document(), "b.docx"))
    file = io.BytesIO()
    zipfile.ZipFile(file, "w").close()
    with pytest.raises(Unsupported, match="a zip archive"):
        parse(save(file.getvalue(), "c.zip"))
    monkeypatch.setattr(packages, "MAX_UNPACKED_BYTES", 100)
    with pytest.raises(Unsupported, match="zip bomb"):
        parse(save(data, "d.docx"))
