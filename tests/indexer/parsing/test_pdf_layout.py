"""Columns, cells, notes and headings of PDF pages."""

import io
from itertools import pairwise

import pytest
from pypdf.annotations import FreeText, Text
from reportlab.pdfgen.canvas import Canvas

from indexer.parsing import parse, render_page
from indexer.parsing.pdf_headings import headings_by_size
from indexer.parsing.pdf_layout import Box, find_gutters, joined
from indexer.parsing.pdf_lines import SizedLine
from tests.indexer.parsing.pdfs import bend, draw


@pytest.fixture
def save(tmp_path):
    def save(data, name="a.pdf"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return save


WORDS = "the lamp is trimmed at dusk and again before the watch is handed over to the mate".split()


def column(first: int, count: int) -> list[str]:
    return [
        f"{WORDS[(first + i) % len(WORDS)]} {WORDS[(first + 2 * i + 3) % len(WORDS)]} number {i}"
        for i in range(count)
    ]


def two_columns(*, across: bool, head: str = "", between: str = "") -> bytes:
    """Two columns of ten lines, drawn line by line across or column by column."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(400, 320))
    canvas.setFont("Helvetica", 10)
    if head:
        canvas.drawString(40, 300, head)
        canvas.drawString(330, 300, "17")
    places = [
        (40 + 175 * side, 260 - 14 * i - (40 if between and i >= 5 else 0), line)
        for side, lines in enumerate((column(0, 10), column(7, 10)))
        for i, line in enumerate(lines)
    ]
    if across:
        places.sort(key=lambda place: (-place[1], place[0]))
    for x, y, line in places:
        canvas.drawString(x, y, line)
        if between and y == 204 and x > 200:
            canvas.drawString(100, 180, between)
    canvas.save()
    return file.getvalue()


def test_the_drawn_order_stays_where_it_is_right(save):
    by_column = parse(save(two_columns(across=False))).text
    assert by_column.split("\n")[:20] == [*column(0, 10), *column(7, 10)]
    assert parse(save(two_columns(across=True))).text == by_column


def test_a_running_head_stays_above_the_columns(save):
    text = parse(save(two_columns(across=True, head="Keeping the light"))).text
    assert text.split("\n")[0].split() == ["Keeping", "the", "light", "17"]
    assert text.split("\n")[1:11] == column(0, 10)


def test_a_line_across_parts_the_columns_above_from_those_below(save):
    line = "A title that goes across both of the columns here"
    lines = parse(save(two_columns(across=True, between=line))).text.split("\n")
    assert lines[:11] == [*column(0, 10)[:5], *column(7, 10)[:5], line]
    assert lines[11:21] == [*column(0, 10)[5:], *column(7, 10)[5:]]


def test_a_page_of_very_many_lines_keeps_them_all(save):
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(400, 26_000))
    for i in range(2_100):
        canvas.drawString(40, 25_900 - 12 * i, f"row{i}")
        canvas.drawString(200, 25_900 - 12 * i, f"value{i}")
    canvas.save()
    words = parse(save(file.getvalue())).text.split()
    assert words == [f"{word}{i}" for i in range(2_100) for word in ("row", "value")]


def test_gutters_need_lines_on_both_sides():
    left = [Box(40, 12 * i, 180, 12 * i - 9) for i in range(10)]
    right = [Box(220, 12 * i, 360, 12 * i - 9) for i in range(10)]
    ((low, high),) = find_gutters([*left, *right])
    assert 180 <= low < high <= 221
    assert find_gutters(left) == []
    assert len(find_gutters([*left, *right, Box(195, 0, 200, -9)])) == 1  # a page number in it


def test_runs_of_a_line_are_joined_over_gaps_between_words():
    runs = [(0, 9, 10, 0), (13, 6, 18, 4), (21, 9, 40, 0), (80, 9, 90, 0)]  # the second a dash
    assert joined(runs, 1.0) == (Box(0, 9, 40, 0), Box(80, 9, 90, 0))
    assert joined([], 1.0) == ()


LINES = ["Ventilation plan", "Room one", "Room two", "Room three"]


def turned(angle: int, rotation: int) -> bytes:
    """LINES drawn turned anticlockwise by ``angle``, on a page that is shown turned clockwise."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(400, 400))
    canvas.setPageRotation(rotation)
    canvas.translate(200, 200)
    canvas.rotate(angle)
    for i, line in enumerate(LINES):
        canvas.drawString(-150, 60 - 20 * i, line)
    canvas.save()
    return file.getvalue()


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_turned_writing_is_read_from_its_first_line(save, angle, rotation):
    path = save(turned(angle, rotation))
    document = parse(path)
    assert document.text == "\n".join(LINES) + "\n\n"

    boxes = render_page(path, 1, [(0, len(document.text))], document.text, scale=1.0).boxes
    assert len(boxes) == len(LINES)
    down = (angle - rotation) % 180 != 0  # as it is shown
    middles = [(b[0] + b[2], b[1] + b[3])[not down] / 2 for b in boxes]
    steps = {round(b - a) for a, b in pairwise(middles)}
    assert steps == {-20 if (angle - rotation) % 360 in (180, 270) else 20}


def test_notes_and_form_values_are_read(save):
    def annotate(writer):
        writer.add_annotation(0, Text(rect=(50, 50, 70, 70), text="check the valve"))
        writer.add_annotation(0, FreeText(rect=(80, 50, 200, 70), text="Order a new\nseal"))

    document = parse(save(bend(draw([["words of the page"], ["more"]]), annotate)))

    assert "words of the page\nNote: check the valve\nNote: Order a new\nseal" in document.text
    assert document.text.index("seal") < document.unit_starts[1]

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(400, 300))
    canvas.drawString(40, 200, "Order form")
    form = canvas.acroForm
    form.textfield(name="buyer", tooltip="Name of buyer", value="Ann Person", x=40, y=150)
    form.textfield(name="empty", value="", x=40, y=120)
    form.checkbox(name="express", tooltip="Express", checked=True, x=40, y=90)
    form.checkbox(name="gift", tooltip="Gift", checked=False, x=40, y=60)
    canvas.save()
    text = parse(save(file.getvalue(), "form.pdf")).text
    assert "Name of buyer: Ann Person" in text
    assert "Express: Yes" in text
    assert "empty" not in text
    assert "Gift" not in text


def headed(sizes: list[tuple[int, str]]) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(400, 2000))
    y = 1950
    for size, line in sizes:
        canvas.setFont("Helvetica", size)
        canvas.drawString(40, y, line)
        y -= 2 * size
    canvas.save()
    return file.getvalue()


def test_large_lines_are_headings_where_there_is_no_outline(save):
    body = [(10, f"a line of running text number {i} in the body") for i in range(12)]
    lines = [(24, "Tides of the coast")]
    for chapter in ("Spring", "Neap"):
        lines += [(18, f"{chapter} tides"), *body, (14, f"{chapter} tables"), *body]
    document = parse(save(headed(lines)))

    assert document.title == "Tides of the coast"
    assert [(s.level, s.title) for s in document.sections] == [
        (1, "Spring tides"),
        (2, "Spring tables"),
        (1, "Neap tides"),
        (2, "Neap tables"),
    ]
    assert all(document.text[s.start :].startswith(s.title) for s in document.sections)


def test_sizes_that_are_no_sure_sign_make_no_headings():
    text = "\n".join(f"line {i} of it" for i in range(10))
    starts = [i * (len(text) + 1) // 10 for i in range(10)]
    lines = [SizedLine(s, s + 12, 14.0 if i % 2 else 10.0) for i, s in enumerate(starts)]
    assert headings_by_size(text, lines, (), "") == []
    assert headings_by_size(text, [], (), "") == []


def test_an_outline_entry_without_a_page_is_found_by_its_line(save):
    from pypdf.generic import NameObject, TextStringObject

    def bookmark(writer):
        writer.add_outline_item(title="Tides", page_number=0)
        lost = writer.add_outline_item(title="Winds", page_number=0).get_object()
        lost[NameObject("/A")] = lost[NameObject("/Dest")] = TextStringObject("nowhere")
        writer.add_outline_item(title="Stars", page_number=2)

    document = parse(save(bend(draw([["Tides", "a"], ["Winds", "b"], ["Stars", "c"]]), bookmark)))
    assert [(s.title, document.text[s.start :].split("\n")[0]) for s in document.sections] == [
        ("Tides", "Tides"),
        ("Winds", "Winds"),
        ("Stars", "Stars"),
    ]
