"""Boxes on page images (fault 11). The frame is the image: its pixels, from the top left corner."""

import io
from itertools import pairwise

import pytest
from PIL import Image
from pypdf.generic import RectangleObject
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from indexer.errors import ParseError
from indexer.parsing import RenderedPage, parse, render_page
from tests.indexer.parsing.pdfs import PAGE, bend, draw

# The second line holds the word; the others are far away and must stay outside its box.
LINES = ["above the line", "left jumbled right", "below the line"]
WORD = "jumbled"


def shift(writer):
    """A media box whose origin is not (0, 0)."""
    page = writer.pages[0]
    page.mediabox = RectangleObject((-50, -70, PAGE[0] - 50, PAGE[1] - 70))


def crop(writer):
    page = writer.pages[0]
    page.cropbox = RectangleObject((30, 120, 330, 270))


def turn(degrees):
    return lambda writer: writer.pages[0].rotate(degrees)


def shift_crop_turn(writer):
    shift(writer)
    page = writer.pages[0]
    page.cropbox = RectangleObject((20, 100, 340, 200))
    page.rotate(270)


CHANGES = {
    "plain": lambda writer: None,
    **{f"turned {degrees}": turn(degrees) for degrees in (90, 180, 270)},
    "cropped": crop,
    "shifted": shift,
    "shifted, cropped and turned": shift_crop_turn,
}


def image_of(page: RenderedPage) -> Image.Image:
    image = Image.open(io.BytesIO(page.png)).convert("RGB")
    assert image.size == (page.width, page.height)
    return image


def draw_word(colour: str) -> bytes:
    """The page of LINES with WORD in another colour than the rest."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=PAGE)
    for i, line in enumerate(LINES):
        x = 60.0
        for word in line.split(" "):
            canvas.setFont("Helvetica", 14)
            canvas.setFillColor(colour if word == WORD else "blue")
            canvas.drawString(x, 200 - 28 * i, word)
            x += stringWidth(word + " ", "Helvetica", 14)
    canvas.save()
    return file.getvalue()


def count(image: Image.Image, channel: int) -> int:
    """Pixels that are tinted like the channel: red (0) or blue (2)."""
    other = image.getchannel(2 - channel).tobytes()
    own = image.getchannel(channel).tobytes()
    return sum(a > b + 40 for a, b in zip(own, other, strict=True))


@pytest.mark.parametrize("scale", [1.0, 2.3])
@pytest.mark.parametrize("name", CHANGES)
def test_a_box_holds_the_whole_word_and_nothing_else(tmp_path, name, scale):
    """The word is red and all else is blue: all red ink is in the box, and no blue ink."""
    path = tmp_path / "page.pdf"
    path.write_bytes(bend(draw_word("red"), CHANGES[name]))
    text = parse(path).text
    start = text.index(WORD)

    page = render_page(path, 1, [(start, start + len(WORD))], text, scale=scale)

    image = image_of(page)
    (box,) = page.boxes
    left, top = int(box[0]), int(box[1])
    right, bottom = -int(-box[2] // 1), -int(-box[3] // 1)
    inside = image.crop((left, top, right, bottom))
    assert count(inside, 0) == count(image, 0) > 50
    assert count(inside, 2) == 0 < count(image, 2)


def test_a_range_over_three_lines_has_a_box_for_each(tmp_path):
    path = tmp_path / "page.pdf"
    path.write_bytes(draw([LINES]))
    text = parse(path).text

    boxes = render_page(path, 1, [(6, text.index("below") + 5)], text).boxes

    assert len(boxes) == 3
    assert [box[1] for box in boxes] == sorted(box[1] for box in boxes)
    assert all(later[1] >= earlier[3] for earlier, later in pairwise(boxes))


def test_no_boxes_when_the_page_holds_another_text_now(tmp_path):
    path = tmp_path / "page.pdf"
    path.write_bytes(draw([LINES]))

    page = render_page(path, 1, [(0, 5)], "above another line\n\n")

    assert page.boxes == ()
    assert image_of(page).size == (800, 600)


def test_ranges_outside_the_page_and_of_spaces_have_no_box(tmp_path):
    path = tmp_path / "page.pdf"
    path.write_bytes(draw([LINES]))
    text = parse(path).text

    assert render_page(path, 1, [(5, 6), (len(text), len(text) + 9), (-3, 0)], text).boxes == ()


def test_text_outside_the_crop_box_has_no_box(tmp_path):
    path = tmp_path / "page.pdf"
    path.write_bytes(bend(draw([LINES]), crop_away))
    text = parse(path).text

    if WORD in text:
        start = text.index(WORD)
        assert render_page(path, 1, [(start, start + len(WORD))], text).boxes == ()


def crop_away(writer):
    writer.pages[0].cropbox = RectangleObject((0, 0, 50, 50))


def test_a_huge_page_is_drawn_smaller(tmp_path):
    path = tmp_path / "page.pdf"
    path.write_bytes(bend(draw([LINES]), lambda writer: writer.pages[0].scale_by(30)))

    page = render_page(path, 1)

    assert max(page.width, page.height) <= 4001


@pytest.mark.parametrize("page", [0, 2])
def test_a_page_that_is_not_there(tmp_path, page):
    path = tmp_path / "page.pdf"
    path.write_bytes(draw([LINES]))

    with pytest.raises(ParseError, match=f"no page {page}: it has 1"):
        render_page(path, page)


def test_a_word_broken_over_two_lines_has_a_box_on_each(tmp_path):
    """Fault 3: the text shows the hyphen and the line end, as the page does."""
    path = tmp_path / "page.pdf"
    path.write_bytes(draw([["the cap-", "tions of it"]]))
    text = parse(path).text
    assert text == "the cap-\ntions of it\n\n"

    first, second = render_page(path, 1, [(4, 14)], text, scale=1.0).boxes

    assert first[3] <= second[1]
    assert first[0] > second[0] == pytest.approx(60, abs=1)
