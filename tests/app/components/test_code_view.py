"""Lines of a text: which are shown, what stands beside them, and what is marked in them."""

from hypothesis import given
from hypothesis import strategies as st

from app.components.code_view import (
    LINES_AFTER,
    LINES_BEFORE,
    MAX_LINE_CHARS,
    MAX_LINES,
    gutter,
    lines_html,
    part_around,
    styled,
)
from tests.app.test_formatting import TEXTS

NUMBERED = "".join(f"line {n}\n" for n in range(1, 1001))


def test_lines_around_the_passage():
    start = NUMBERED.index("line 500\n")
    part = part_around(NUMBERED, (start, start + 8))

    assert part.first == 499 - LINES_BEFORE
    assert part.last == 500 + LINES_AFTER
    assert gutter(part, "line", part.starts)[0] == str(500 - LINES_BEFORE)


def test_whole_text_within_reason():
    assert part_around(NUMBERED, (0, 1), whole=True).cut is False
    long = part_around("x\n" * (MAX_LINES * 2), (MAX_LINES * 3, MAX_LINES * 3 + 1), whole=True)
    assert long.last - long.first == MAX_LINES
    assert long.first <= MAX_LINES * 3 // 2 < long.last


@given(TEXTS, st.integers(0, 80), st.integers(0, 80))
def test_the_place_is_always_among_the_lines(text, start, length):
    focus = (min(start, len(text)), min(start + length, len(text)))

    part = part_around(text, focus)

    assert part.line(part.first)[0] <= focus[0] <= part.line(part.last - 1)[1] + 1


def test_units_begin_beside_their_line():
    text = "Bread\n\nRye.\nCakes\n"
    part = part_around(text, (0, 1))

    assert gutter(part, "section", (0, 12)) == ["§ 1", "", "", "§ 2"]
    assert gutter(part, "page", ()) == ["", "", "", ""]


def test_code_is_tinted_by_the_line_and_marked_by_the_word():
    text = "a = 1\nb = <2>\n"
    part = part_around(text, (6, 7))

    html = lines_html(part, ["1", "2"], focus=(6, 7), passage=(6, 13), marks=[(6, 7)])

    assert '<div class="row" data-n="1"><div>a = 1</div></div>' in html
    assert (
        '<div class="row in" data-n="2" data-place><div><mark>b</mark> = &lt;2&gt;</div></div>'
    ) in html


def test_prose_is_tinted_by_the_character():
    part = part_around("It rains. It pours.", (10, 19))

    html = lines_html(part, ["1"], focus=(10, 19), passage=(10, 19), marks=[(13, 18)], prose=True)

    assert (
        'It rains. <span class="tint">It </span><mark class="tint">pours</mark>'
        '<span class="tint">.</span>'
    ) in html


def test_a_line_without_end_shows_the_passage():
    text = "x" * 50_000 + "needle" + "y" * 50_000
    part = part_around(text, (50_000, 50_006))

    html = lines_html(part, ["1"], focus=(50_000, 50_006), marks=[(50_000, 50_006)])

    assert "<mark>needle</mark>" in html
    assert len(html) < MAX_LINE_CHARS + 500


def test_tokens_and_marks_cross():
    html = styled("return 1", 0, 8, marks=[(3, 8)], tokens=[(0, 6, "k"), (7, 8, "m")])

    assert html == (
        '<span class="k">ret</span><mark class="k">urn</mark><mark> </mark><mark class="m">1</mark>'
    )
