"""One page's text and where each of its characters comes from (faults 1, 3, 18, 19)."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from indexer.parsing.pdf_page import GENERATED, PAGE_END, assemble


def test_plain_lines():
    page = assemble("ab\r\ncd")

    assert page.text == "ab\ncd\n\n"
    assert list(page.sources) == [0, 1, 3, 4, 5, GENERATED, GENERATED]


def test_a_hyphen_at_a_line_end_is_shown_with_its_line_end():
    """pdfium marks it U+0002 and swallows the line end; a soft hyphen keeps its own."""
    page = assemble("cap\x02tions Zu\u00ad\r\ncker")

    assert page.text == "cap-\ntions Zu-\ncker\n\n"
    assert list(page.sources)[:6] == [0, 1, 2, 3, GENERATED, 4]


def test_ligatures_and_presentation_forms_are_folded_onto_one_glyph():
    page = assemble("o\ufb03ce \ufb01 \ufefb")

    assert page.text == "office fi لا\n\n"
    assert list(page.sources)[:6] == [0, 1, 1, 1, 2, 3]


def test_characters_without_a_meaning_are_left_out_and_counted():
    page = assemble("o\x00ce \ue000\ufffd\uf0b7\udbffx")

    assert page.text == "oce x\n\n"
    assert page.unmapped == 5


def test_surrogate_halves_are_joined():
    page = assemble("\ud835\udf0e\U0001d70e")

    assert page.text == "\U0001d70e\U0001d70e\n\n"
    assert list(page.sources)[:2] == [0, 2]


def test_accents_are_composed_and_point_at_their_letter():
    page = assemble("re\u0301sume\u0301 x")

    assert page.text == "résumé x\n\n"
    assert list(page.sources)[:8] == [0, 1, 3, 4, 5, 6, 8, 9]


def test_a_page_without_text_is_its_end():
    assert assemble("").text == PAGE_END
    assert assemble(" \r\n ").text == PAGE_END


def test_ranges_are_read_in_their_order_and_notes_come_last():
    page = assemble("ab xy\r\ncd", [(7, 9, "\n"), (0, 2, "\t"), (3, 5, "\n")], ["Note: z"])

    assert page.text == "cd\nab\txy\nNote: z\n\n"
    assert list(page.sources)[:8] == [7, 8, GENERATED, 0, 1, GENERATED, 3, 4]
    assert assemble("", [], ["Note: z"]).text == "Note: z\n\n"


ODD = st.sampled_from(
    [0, 2, 0xAD, 0x0D, 0x0A, 0x301, 0x327, 0x1100, 0x1161, 0x11A8, 0xFB01, 0xFDFA]
)


@given(st.lists(st.integers(0, 0x10FFFF) | ODD, max_size=40))
def test_any_codes_give_clean_text_with_a_source_for_each_character(page_codes):
    page = assemble("".join(map(chr, page_codes)))

    assert len(page.sources) == len(page.text)
    assert page.text.endswith(PAGE_END)
    assert unicodedata.is_normalized("NFC", page.text)
    page.text.encode("utf-8")
    assert "\0" not in page.text
    assert "\ufffd" not in page.text
    known = [source for source in page.sources if source != GENERATED]
    assert known == sorted(known)
    assert all(0 <= source < len(page_codes) for source in known)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Co", "Cn", "Cc"]), max_size=40))
def test_clusterwise_composition_is_nfc(text):
    """The pieces together are what NFC makes of the whole."""
    # Presentation forms, the replacement character and soft hyphens are changed on purpose.
    plain = "".join(c for c in text if not "\ufb00" <= c <= "\ufeff" and c not in "\ufffd\xad")

    page = assemble(plain)

    assert page.text == unicodedata.normalize("NFC", plain).rstrip() + PAGE_END
