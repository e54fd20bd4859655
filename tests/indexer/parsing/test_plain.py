"""Text files, reStructuredText and LaTeX."""

from indexer.documents import Coverage
from indexer.parsing.plain import parse_plain


def test_a_line_is_a_unit_and_the_text_stays():
    document = parse_plain("one\n\n\fthree\n", name="notes.txt")

    assert document.text == "one\n\n\fthree\n"
    assert document.unit_starts == (0, 4, 5)
    assert document.title == "notes.txt"
    assert document.coverage == Coverage(units=3, with_text=2, blank=1)


def test_latex_sections():
    source = (
        "\\title{On tides}\n\\section{One}\nx\n"
        "% \\section{no}\n\\subsection*{Two}\n\\section[s]{Three}\n"
    )

    document = parse_plain(source, name="a.tex")

    assert document.title == "On tides"
    assert [(s.level, s.title) for s in document.sections] == [(3, "One"), (4, "Two"), (3, "Three")]


def test_restructuredtext_levels_follow_the_order_of_styles():
    source = "=====\nTitle\n=====\n\nOne\n---\nx\n\nTwo\n~~~\ny\n\nThree\n-----\n\n- a\n-------\n"

    document = parse_plain(source, name="a.rst")

    assert document.title == "Title"
    assert [(s.level, s.title) for s in document.sections][:4] == [
        (1, "Title"),
        (2, "One"),
        (3, "Two"),
        (2, "Three"),
    ]
    assert document.sections[0].start == 0
