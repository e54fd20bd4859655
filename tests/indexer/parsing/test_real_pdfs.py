"""Real manuals, where they are at hand: text, labels, outline and boxes against other readers."""

import re
from functools import cache
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from pypdf import PdfReader

from indexer.documents import Document, section_path, unit_at, units_of
from indexer.parsing import parse, render_page

FOLDER = Path(__file__).parents[4] / "shared" / "pdfs"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no folder ../shared/pdfs")

SYSTEMTAP = "systemtap-doc--langref.pdf"
MNRAS = "texlive-publishers-doc--mnras_guide.pdf"
R_EXTS = "r-doc-pdf--R-exts.pdf"
PERSIAN = "texlive-lang-arabic--lshort.pdf"
REFCARD = "pari-doc--refcard.pdf"


@cache
def read(name: str) -> Document:
    return parse(FOLDER / name)


def page_text(document: Document, page: int) -> str:
    ends = (*document.unit_starts[1:], len(document.text))
    return document.text[document.unit_starts[page - 1] : ends[page - 1]]


@pytest.mark.parametrize("name", [SYSTEMTAP, MNRAS, R_EXTS])
def test_pages_hold_the_words_that_pypdf_reads(name):
    """Another engine, page for page: a shifted page or lost lines would show at once."""
    document, reader = read(name), PdfReader(FOLDER / name)
    assert len(document.unit_starts) == len(reader.pages)
    for page in range(1, len(reader.pages) + 1, max(1, len(reader.pages) // 8)):
        theirs = re.findall(r"[a-z]{4,}", reader.pages[page - 1].extract_text().lower())
        # pypdf joins words where a font has no space, so spaces are taken out of ours.
        ours = re.sub(r"[^a-z]", "", page_text(document, page).lower())
        assert sum(word in ours for word in theirs) >= 0.95 * len(theirs), page


def test_a_known_phrase_stands_on_its_page():
    document = read(R_EXTS)
    start = document.text.index("This manual is for R")

    assert unit_at(document.unit_starts, start) == 2
    assert document.unit_labels[:4] == ("T-1", "T-2", "i", "ii")
    assert document.unit_labels[unit_at(document.unit_starts, start) - 1] == "T-2"
    assert (document.title, document.language) == ("Writing R Extensions", "en")


def test_sections_begin_at_their_printed_headings():
    document = read(R_EXTS)

    at_heading = [
        section
        for section in document.sections
        if section.title.split()[-1].lower()
        in document.text[section.start : section.start + 200].lower()
    ]
    assert len(at_heading) > 0.97 * len(document.sections) > 150
    (section,) = [s for s in document.sections if s.title == "The DESCRIPTION file"]
    path = section_path(document.sections, section.start, section.start + 20)
    assert path == "1 Creating R packages > Package structure > The DESCRIPTION file"
    assert document.text[section.start :].startswith("1.1.1 The DESCRIPTION file\n")


def test_titles_that_are_file_names_are_not_believed():
    assert read(SYSTEMTAP).title == "SystemTap Language Reference"  # metadata: langref.dvi
    assert read(MNRAS).title.startswith("Monthly Notices of the Royal Astronomical Society")


def test_persian_comes_in_letters_that_people_type():
    document = read(PERSIAN)

    assert document.language == "fa"
    assert not re.search("[\ufb50-\ufdff\ufe70-\ufefc]", document.text)
    assert document.coverage.blank == 5


@pytest.mark.parametrize(("name", "page"), [(SYSTEMTAP, 10), (REFCARD, 1), (MNRAS, 3)])
def test_boxes_agree_with_pdfiums_own_search(name, page):
    """Prose, three columns on a landscape page, two columns: the same words at the same places."""
    text = page_text(read(name), page)
    found = next(re.finditer(r"[a-z]{7,}", text[200:]))
    word, start = found[0], 200 + found.start()
    pdf_page = pdfium.PdfDocument(FOLDER / name)[page - 1]
    textpage = pdf_page.get_textpage()
    searcher = textpage.search(word, match_case=True)
    places = []
    while (hit := searcher.get_next()) is not None:
        textpage.count_rects(*hit)
        places.append(textpage.get_rect(0))

    image = render_page(FOLDER / name, page, [(start, start + len(word))], text, scale=1.0)

    (box,) = image.boxes
    height = pdf_page.get_height()
    assert any(
        abs(box[0] - left) < 3
        and abs(box[2] - right) < 3
        and box[1] - 2 < height - bottom < box[3] + 2
        for left, bottom, right, _ in places
    )


def test_a_range_over_a_page_break_names_both_pages():
    document = read(SYSTEMTAP)
    cut = document.unit_starts[20]

    assert units_of(document.unit_starts, cut - 30, cut + 30) == (20, 21)
