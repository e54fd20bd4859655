"""Faults that users of other tools met while files were read: one test each, by its number."""

import base64
import io
import json
import re
import tarfile
import time
import unicodedata

import pytest
import regex
from PIL import Image
from pypdf.constants import PageLabelStyle
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, RectangleObject
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from indexer import DocumentIndex
from indexer.analysis import matches, query_terms, search_text
from indexer.config import Settings
from indexer.documents import Document, line_starts, unit_at, units_of
from indexer.errors import Locked, NoText, NoTextLayer, ParseError
from indexer.parsing import ParserPool, parse, render_page
from indexer.parsing.options import ParseOptions
from indexer.sources.files import path_key
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.parsing.pdfs import bend, draw, draw_scan


@pytest.fixture
def save(tmp_path):
    def save(content, name="a.pdf"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return save


@pytest.fixture
def index(tmp_path):
    settings = Settings(parse_workers=1)
    with DocumentIndex(tmp_path / "x.lmk", settings=settings, encoder=KeywordEncoder()) as opened:
        yield opened


def page_of(document: Document, words: str) -> int:
    return unit_at(document.unit_starts, document.text.index(words))


def canvas_of(draw_on, *, size=(400, 300), font="Helvetica", points=10) -> bytes:
    """A PDF of one page, drawn by ``draw_on(canvas)``."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=size)
    canvas.setFont(font, points)
    draw_on(canvas)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


# -- PDF -----------------------------------------------------------------------------------


def test_01_ligatures_are_letters_and_unmapped_glyphs_are_reported(save):
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))

    def spoil(writer):  # the letter e of this font is said to be U+E065, and f to be NUL
        for font in writer.pages[0]["/Resources"]["/Font"].values():
            if "/ToUnicode" in font.get_object():
                table = font["/ToUnicode"].get_object()
                mapping = table.get_data().replace(b"<0065>", b"<E065>")
                table.set_data(mapping.replace(b"<0066>", b"<0000>"))

    good = canvas_of(lambda c: c.drawString(40, 200, "the \ufb01ne \ufb02oor"), font="Vera")
    document = parse(save(good))
    assert "fine floor" in document.text
    assert set(query_terms("fine")) <= set(search_text(document.text).split())

    document = parse(save(bend(good, spoil)))
    assert not set(document.text) & {"\0", "\ufffd", "\ue065"}
    assert document.coverage.poor == (1,)


LEFT = """the pump was replaced in the
month of March after a long
series of failures that had
begun in the wet winter of
the year before last year""".split("\n")
RIGHT = """gulls are nesting on top of
the lantern room and every
keeper before us has noted
that their cries announce
fog better than any bell""".split("\n")


@pytest.mark.parametrize("shift", [0, 4], ids=["one baseline", "two baselines"])
def test_02_two_columns_drawn_across_are_read_one_after_the_other(save, shift):
    def columns(canvas):
        for i, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
            canvas.drawString(40, 250 - 14 * i, left)
            canvas.drawString(215, 250 - 14 * i - shift, right)

    path = save(canvas_of(columns))
    text = parse(path).text

    assert text.split() == " ".join([*LEFT, *RIGHT]).split()
    start = text.index("a long\nseries")
    boxes = render_page(path, 1, [(start, start + len("a long\nseries"))], text, scale=1).boxes
    assert len(boxes) == 2
    assert all(box[2] < 215 for box in boxes)


def test_02_rows_of_a_table_stay_rows(save):
    rows = [("Item", "Volts", "Remark"), ("Pump motor", "230", "in winter"), ("Fan", "24", "spare")]

    def table(canvas):
        for i, row in enumerate(rows):
            for x, cell in zip((40, 150, 220), row, strict=True):
                canvas.drawString(x, 250 - 14 * i, cell)

    assert parse(save(canvas_of(table))).text.rstrip() == "\n".join("\t".join(r) for r in rows)


def test_03_a_word_broken_by_the_layout_is_found_and_shown_as_it_stands(save):
    document = parse(save(draw([["see the cap-", "tions below, not the", "co-operative"]])))

    assert "cap-\ntions" in document.text
    terms = search_text(document.text).split()
    assert set(query_terms("captions")) <= set(terms)
    assert set(query_terms("Zucker")) <= set(search_text("Zu\u00adcker").split())
    ((start, end),) = matches(document.text, frozenset(query_terms("captions")))
    assert document.text[start:end] == "cap-\ntions"


def test_04_what_is_drawn_twice_to_look_bold_is_counted_once(save):
    def bold(canvas):
        for shift in (0, 0.3):
            canvas.drawString(60 + shift, 220, "Statement of the book")
        x = 60
        for letter in "keeper of books":
            for shift in (0, 0.3):
                canvas.drawString(x + shift, 200, letter)
            x += canvas.stringWidth(letter, "Helvetica", 14)
        canvas.drawString(60, 180, "that that is")

    document = parse(save(canvas_of(bold, points=14)))
    assert document.text.split("\n")[:3] == [
        "Statement of the book",
        "keeper of books",
        "that that is",
    ]


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256"])
def test_05_the_empty_password_opens_and_another_one_is_asked_for(save, algorithm):
    data = draw([["secret words"]])

    def protect(user):
        return lambda writer: writer.encrypt(user, "owner", algorithm=algorithm)

    assert "secret words" in parse(save(bend(data, protect("")))).text
    path = save(bend(data, protect("p\u00e4ss")), "locked.pdf")
    with pytest.raises(Locked, match="password"):
        parse(path)
    assert "secret words" in parse(path, ParseOptions(passwords=("no", "p\u00e4ss"))).text


def test_06_loops_in_the_structure_end(save):
    data = draw([["one"], ["two"]])
    at = data.rindex(b"startxref")
    table = int(data[at:].split()[1])
    loops = data.replace(b"trailer\n<<", b"trailer\n<< /Prev %d" % table)
    assert loops != data

    def outline_loop(writer):
        first = writer.add_outline_item(title="one", page_number=0).get_object()
        first[NameObject("/Next")] = first.indirect_reference
        first[NameObject("/First")] = first.indirect_reference

    started = time.monotonic()
    with ParserPool(1, timeout_s=20) as pool:
        for content in (loops, bend(data, outline_loop)):
            ((_, document),) = pool.map([save(content)])
            assert isinstance(document, Document | ParseError)
    assert time.monotonic() - started < 20


def billion_forms(writer):
    """Page 2 draws a form that draws another one eight times, and so on: it never ends."""
    inner = None
    for _ in range(24):
        form = DecodedStreamObject()
        form.set_data(b"/F Do " * 8 if inner is not None else b"BT (x) Tj ET")
        form[NameObject("/Type")] = NameObject("/XObject")
        form[NameObject("/Subtype")] = NameObject("/Form")
        form[NameObject("/BBox")] = RectangleObject((0, 0, 400, 300))
        if inner is not None:
            form[NameObject("/Resources")] = DictionaryObject(
                {NameObject("/XObject"): DictionaryObject({NameObject("/F"): inner})}
            )
        inner = writer._add_object(form)
    page = writer.pages[1]
    page[NameObject("/Resources")] = DictionaryObject(
        {NameObject("/XObject"): DictionaryObject({NameObject("/F"): inner})}
    )
    content = DecodedStreamObject()
    content.set_data(b"/F Do")
    page[NameObject("/Contents")] = writer._add_object(content)


def test_07_a_page_that_never_ends_is_left_out_and_the_rest_is_read(save):
    path = save(bend(draw([["one"], ["two"], ["three"]]), billion_forms), "endless.pdf")
    other = save("other words\n", "b.txt")

    with ParserPool(1, timeout_s=2) as pool:
        results = dict(pool.map([path, other]))

    document = results[path]
    assert isinstance(document, Document), document
    assert document.coverage.failed == (2,)
    assert page_of(document, "three") == 3
    assert results[other].text == "other words\n"


def test_07_a_file_that_is_damaged_all_over_costs_itself_only(save):
    data = draw([["one"]]).replace(b"/Count 1", b"/Count 999999999")
    path = save(data + b"<<" * 100_000)
    other = save("other words\n", "b.txt")
    with ParserPool(1, timeout_s=10) as pool:
        results = dict(pool.map([path, other]))
    assert isinstance(results[path], Document | ParseError)
    assert results[other].text == "other words\n"


def test_08_a_scan_is_no_success(save):
    with pytest.raises(NoTextLayer, match=r"3 pages.*probably a scan.*lmk\[ocr\]"):
        parse(save(draw_scan(3)))
    with pytest.raises(NoText, match="all blank"):
        parse(save(draw([[], []])))

    def append(writer):
        writer.append(io.BytesIO(draw_scan(2)))

    coverage = parse(save(bend(draw([["words"], []]), append))).coverage
    assert (coverage.units, coverage.with_text, coverage.blank) == (4, 1, 1)
    assert coverage.no_text == (3, 4)


def test_09_physical_pages_and_printed_labels_are_two_things(save):
    def label(writer):
        writer.set_page_label(0, 1, style=PageLabelStyle.LOWERCASE_ROMAN)
        writer.set_page_label(2, 3, style=PageLabelStyle.DECIMAL)

    document = parse(save(bend(draw([["aa"], ["bb"], ["cc"], ["dd"]]), label)))

    assert document.unit_labels == ("i", "ii", "1", "2")
    assert page_of(document, "cc") == 3


def test_10_a_blank_page_keeps_its_number_and_a_range_names_both_its_pages(save):
    document = parse(save(draw([["first"], [], ["third"], ["fourth"]])))

    assert page_of(document, "third") == 3
    start, end = document.text.index("third"), document.text.index("fourth") + len("fourth")
    assert units_of(document.unit_starts, start, end) == (3, 4)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize(
    ("media", "crop"),
    [((0, 0, 400, 300), None), ((0, 0, 400, 300), (40, 30, 380, 290)), ((-50, 70, 350, 370), None)],
    ids=["plain", "cropped", "shifted"],
)
def test_11_the_box_holds_the_word_on_the_image(save, rotation, media, crop):
    def frame(writer):
        page = writer.pages[0]
        page.mediabox = RectangleObject(media)
        page.cropbox = RectangleObject(crop or media)
        page.rotate(rotation)

    path = save(bend(canvas_of(lambda c: c.drawString(120, 150, "lighthouse"), points=20), frame))
    text = parse(path).text
    shown = render_page(path, 1, [(0, len("lighthouse"))], text, scale=2)

    image = Image.open(io.BytesIO(shown.png)).convert("L")
    (box,) = shown.boxes
    dark = image.point(lambda level: 255 if level < 128 else 0)
    left, top, right, bottom = dark.getbbox()
    assert box[0] - 2 <= left <= right <= box[2] + 2
    assert box[1] - 2 <= top <= bottom <= box[3] + 2
    area = (box[2] - box[0]) * (box[3] - box[1])
    assert area < 3 * (right - left) * (bottom - top)


# -- code and text -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deep.cpp", "void f() {\n" + "{" * 3000 + "\n int deepest = 1;\n" + "}" * 3000 + "\n}\n"),
        (
            "deep.py",
            "def f():\n    return " + "(" * 3000 + "1" + ")" * 3000 + "\n\ndef g(): pass\n",
        ),
        ("deep.json", "[" * 100_000 + "]" * 100_000),
        ("deep.ipynb", "[" * 100_000),
        ("deep.html", "<div>" * 5000 + "deepest words" + "</div>" * 5000),
        ("deep.md", "> " * 5000 + "deepest words\n"),
    ],
)
def test_13_deep_nesting_loses_nothing(save, name, content):
    document = parse(save(content, name))
    words = content.replace("<div>", "").replace("</div>", "").split()
    assert document.text.split() == words
    assert document.unit_starts[0] == 0


def test_13_no_line_is_without_a_place(save):
    content = "<template>\n  <p>Hi</p>\n</template>\n<script>\nconst pump = 1\n</script>\n"
    document = parse(save(content, "a.vue"))
    assert document.text == content
    assert len(document.unit_starts) == 6


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_16_one_definition_of_a_line(save, end):
    lines = ["def f():", "    return 'a\u2028b\x0bc\x85d\x0c'", "", "target = 1"]
    document = parse(save(end.join(lines).encode(), "a.py"))

    at = document.text.index("target")
    assert unit_at(document.unit_starts, at) == 4
    assert document.text[document.unit_starts[3] :] == "target = 1"
    assert line_starts(document.text) == document.unit_starts


def test_17_pictures_in_base64_are_no_text(save):
    picture = base64.b64encode(bytes(range(256)) * 40).decode()
    cells = [
        {
            "cell_type": "markdown",
            "source": [f"![plot](data:image/png;base64,{picture})\n", "Plot"],
        },
        {
            "cell_type": "code",
            "source": "draw()",
            "outputs": [{"data": {"image/png": picture, "text/plain": "<Figure>"}}],
        },
        {"cell_type": "code", "source": "pump = 3"},
    ]
    notebook = parse(save(json.dumps({"cells": cells, "metadata": {}}), "a.ipynb"))
    markdown = parse(save(f"# Pump\n\n![p](data:image/png;base64,{picture})\n\nEnd\n", "a.md"))
    script = parse(save(f"before = 1\nicon = '{picture}'\nafter = 2\n", "a.py"))
    page = parse(save(f"<p>a <img src='data:image/png;base64,{picture}'> b</p>", "a.html"))

    for document in (notebook, markdown, script, page):
        assert not re.search(r"[A-Za-z0-9+/]{300}", document.text)
    assert unit_at(notebook.unit_starts, notebook.text.index("pump")) == 3
    assert unit_at(markdown.unit_starts, markdown.text.index("End")) == 5
    assert unit_at(script.unit_starts, script.text.index("after")) == 3


def test_18_halves_of_surrogate_pairs(save):
    content = "pump \ud835\udf0e and \udbff end, gr\u00fcn\n".encode("utf-8", "surrogatepass")
    for name in ("a.txt", "a.md", "a.py"):
        document = parse(save(content, name))
        assert "\U0001d70e" in document.text
        assert "gr\u00fcn" in document.text
        document.text.encode()
        assert document.metadata["replaced"] == "1"


CONTROLS = "".join(map(chr, range(32))) + "\x7f\x85\ufffe"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", f"---\ntitle: Pu{CONTROLS}mp\n---\n\n# He{CONTROLS}ad\n\nwords{CONTROLS}\n"),
        ("a.html", f"<title>Pu{CONTROLS}mp</title><h1>He&#1;ad{CONTROLS}</h1><p>&#x7f;w</p>"),
        ("a.py", f"class Pump:\n    def he{CONTROLS}ad(self): pass\n"),
        ("a.txt", f"a line{CONTROLS}\n"),
        ("a.eml", f"Subject: Pu{CONTROLS[14:]}mp\nFrom: a@b\n\nwords{CONTROLS}\n"),
        ("a.ipynb", json.dumps({"cells": [{"cell_type": "markdown", "source": f"# A{CONTROLS}"}]})),
    ],
)
def test_19_control_characters_leave_every_string(save, name, content):
    filler = "" if name == "a.ipynb" else "filler " * 2000  # too many controls, and it is no text
    document = parse(save(content + filler, name))
    strings = [document.title, *document.unit_labels, *document.metadata.values()]
    strings += [section.title for section in document.sections]
    allowed = set("\n\t\x0c")
    assert not any(c < " " or c == "\x7f" for c in set(document.text) - allowed)
    assert not any(c < " " or c == "\x7f" for string in strings for c in string)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_20_marks_and_utf_16(save, encoding):
    content = "# Gr\u00fc\u00dfe aus der Pumpe und noch ein paar Worte\nx = 1\n"
    document = parse(save(content.encode(encoding), "a.py"))
    assert document.text == content
    assert document.metadata.get("syntax") != "not parsed"
    assert document.metadata["encoding"].startswith(encoding.split("-sig")[0])


def test_20_a_few_wrong_bytes_do_not_change_the_encoding(save):
    content = ("gr\u00fcn und sch\u00f6n " * 20).encode() + b"\xff" + b" Ende"
    document = parse(save(content, "a.txt"))
    assert "gr\u00fcn und sch\u00f6n" in document.text
    assert (document.metadata["encoding"], document.metadata["replaced"]) == ("utf-8", "1")
    old = parse(save("gr\u00fcn und sch\u00f6n".encode("cp1252"), "b.txt"))
    assert (old.text, old.metadata["encoding"]) == ("gr\u00fcn und sch\u00f6n", "cp1252")


def test_21_one_name_in_two_normal_forms_is_one_path(tmp_path, index):
    folder = tmp_path / "notes"
    folder.mkdir()
    composed = folder / unicodedata.normalize("NFC", "Sch\u00f6n.txt")
    composed.write_text("the pump leaks", encoding="utf-8")
    index.add([folder])
    composed.rename(folder / unicodedata.normalize("NFD", composed.name))
    index.add([folder])
    assert [record.path for record in index.files()] == [path_key(composed)]
    for file in folder.iterdir():
        file.unlink()
    index.add([folder])
    assert index.files() == []


def test_25_places_point_at_the_stored_text_and_cut_no_character(tmp_path, index):
    odd = "\u2026\u2026 \uff76\uff9e\uff8a\uff9f e\u0301\u0323 "
    odd += "\U0001f468\u200d\U0001f469\u200d\U0001f467 "
    odd += "\u1112\u1161\u11ab \uff21\uff22 \u2b62 \u30b4 "
    path = tmp_path / "odd.txt"
    path.write_text("".join(f"Pump {i} {odd}. " for i in range(60)), encoding="utf-8")
    index.add([path])
    (hit,) = index.search("pump 40")
    document = index.document(hit.doc_id)
    borders = {found.start() for found in regex.finditer(r"\X", document.text)}
    borders.add(len(document.text))
    cells = index.heat("pump", hit.doc_id)
    assert "".join(document.text[cell.start : cell.end] for cell in cells) == document.text
    for place in [*hit.passages, *cells]:
        assert {place.start, place.end} <= borders
    for passage in hit.passages:
        assert document.text[passage.start : passage.end] == passage.text


def test_26_a_sentence_said_a_thousand_times_has_as_many_places(tmp_path, index):
    path = tmp_path / "again.txt"
    path.write_text("The pump leaks. " * 1000, encoding="utf-8")
    index.add([path])
    (hit,) = index.search("pump")
    starts = [cell.start for cell in index.heat("pump", hit.doc_id)]
    assert len(starts) > 50
    assert starts == sorted(set(starts))
    assert len({(p.start, p.end) for p in hit.passages}) == len(hit.passages)


# -- names from outside --------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../x.txt", "/etc/x.txt", "a/../../x.txt", "C:/x.txt", "a\\..\\x.txt", "b/../x.txt"]
)
def test_58_members_whose_names_lead_out_of_their_archive_are_excluded(tmp_path, name):
    folder = tmp_path / "in"
    folder.mkdir()
    with tarfile.open(folder / "a.tar", "w") as archive:
        for member in (name, "good.txt"):
            info = tarfile.TarInfo(member)
            info.size = 5
            archive.addfile(info, io.BytesIO(b"words"))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    settings = Settings(parse_workers=1, archives=True)
    with DocumentIndex(tmp_path / "x", settings=settings, encoder=KeywordEncoder()) as index:
        index.add([folder])
        assert sorted(record.state for record in index.files()) == [
            "excluded",
            "excluded",
            "indexed",
        ]
    assert not list(tmp_path.rglob("x.txt"))


def test_58_a_document_is_reached_by_its_id_only(save, index):
    index.add([save("words", "a.txt")])
    for name in ("../../etc/passwd", "/etc/passwd", "a.txt", "C:\\x", "\0"):
        with pytest.raises(KeyError):
            index.document(name)
        with pytest.raises(KeyError):
            index.page_image(name, 1)
