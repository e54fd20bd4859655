"""Search terms. Expected terms are worked out by hand."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import analysis
from indexer.analysis import (
    fold,
    iter_terms,
    marked_terms,
    matches,
    query_terms,
    search_text,
    word_forms,
)


def terms(text: str) -> list[str]:
    return [term.text for term in iter_terms(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPHeader", ["parsehttphead", "pars", "http", "header"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("foo.bar()", ["foo", "bar"]),
        ("C++ and C#", ["c++", "and", "c#"]),
        ("Café STRASSE straße", ["cafe", "strass", "strass"]),
        ("oﬃce", ["offic"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("大学", ["大", "大学", "学"]),
        ("hello世界", ["hello", "世", "世界", "界"]),
        ("", []),
        ("-- __ ??", []),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


def test_an_identifier_is_found_without_its_capitals():
    assert query_terms("parsehttpheader")[0] in terms("parseHTTPHeader")


@pytest.mark.parametrize("broken", ["soft\u00ad\nware", "soft-\n      \n  ware"])
def test_a_word_is_whole_over_soft_hyphens_and_blanked_lines(broken):
    assert terms(broken)[0] == "softwar"


@given(st.text("aB_1é-ß+# \n\u00ad大", max_size=20))
def test_a_text_has_one_form_of_every_word_in_it(text):
    held = set(terms(text))
    assert all(held & forms for forms in word_forms(text))


def test_a_word_broken_at_a_line_end_is_found_whole():
    assert terms("the cap-\ntions")[:2] == ["the", "caption"]
    assert matches("the cap-\ntions", frozenset(query_terms("captions"))) == ((4, 14),)


def test_a_compound_broken_at_its_own_hyphen_is_found_by_its_parts():
    assert {"well", "known", "wellknown"} == set(terms("well-\nknown"))


def test_a_line_that_ends_in_a_dash_is_not_joined_to_a_capital():
    assert terms("caption-\nNext") == ["caption", "next"]


def test_queries_drop_stop_words_only_beside_other_words():
    assert query_terms("How do I reset the device?") == ("reset", "devic")
    assert query_terms("to be or not to be") == ("to", "be", "or", "not")
    assert query_terms("?!") == ()


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("タイムアウト", "タイムアウトはテスト用", ["タイムアウト"]),
        ("วาล์ว", "ปิดวาล์วและล้างตา", ["วาล์ว"]),
        ("데이터베이스", "이것은 데이터베이스이다", ["데이터베이스"]),
        ("데이터베이스", "이 문서", []),
        ("水", "水道の水", ["水", "水"]),
        ("水 道管", "水道の水", ["水", "水"]),  # what was asked for alone is marked
        ("a C pump", "C pumps", ["C", "pumps"]),
    ],
)
def test_words_without_spaces_are_marked_by_pairs(query, text, marked):
    assert [text[a:b] for a, b in matches(text, marked_terms(query))] == marked


@given(st.text("ab 大学水C+-\n", max_size=30))
def test_marked_terms_are_terms_of_the_query(query):
    assert marked_terms(query) <= set(query_terms(query))
    assert bool(marked_terms(query)) == bool(query_terms(query))


@given(st.text(max_size=200))
def test_every_word_of_a_text_finds_it(text):
    """Documents and queries are normalised alike: a text holds every term of itself."""
    assert set(query_terms(text)) <= set(search_text(text).split(" "))


@given(st.text(max_size=200))
def test_terms_lie_in_the_text_and_hold_no_space(text):
    for term in iter_terms(text):
        assert 0 <= term.start < term.end <= len(text)
        assert term.text
        assert not any(char.isspace() for char in term.text)


@given(st.text(alphabet="abc déüñ日本\n-ﬁ", max_size=60), st.text(alphabet="abdéü日本", max_size=8))
def test_matches_are_rising_and_disjoint(text, query):
    marks = matches(text, frozenset(query_terms(query)))
    assert all(a < b for a, b in marks)
    assert all(first[1] <= second[0] for first, second in pairwise(marks))


@given(st.text(max_size=100))
def test_composed_and_decomposed_text_fold_alike(text):
    assert fold(unicodedata.normalize("NFC", text)) == fold(unicodedata.normalize("NFD", text))


@pytest.mark.parametrize(
    ("text", "folded"),
    [("Œuvre", "oeuvre"), ("Cæsar", "caesar"), ("Ǽ", "ae"), ("ﬁn", "fin"), ("Straße", "strasse")],
)
def test_ligatures_are_their_letters(text, folded):
    assert fold(text) == folded
    assert list(search_text(text).split()) == list(search_text(folded).split())


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("كِتَابٌ", "كتاب"),
        ("كتـــاب", "كتاب"),
        ("ٱلرَّحْمَٰنِ", "الرحمن"),
        ("أَحْمَد", "احمد"),
        ("شَيْءٍ آخَر", "شيء اخر"),
        ("שָׁלוֹם", "שלום"),
        ("\ufb2aלום", "שלום"),  # shin with its dot as one character
        ("בֵּית־סֵפֶר", "בית־ספר"),  # the hyphen stays
    ],
)
def test_points_of_hebrew_and_arabic_are_left_out(text, folded):
    assert fold(text) == folded
    assert search_text(text) == search_text(folded)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("الأردن", "الاردن"),
        ("إلى", "الي"),
        ("مدرسة", "مدرسه"),
        ("مسؤول", "مسوول"),
        ("کتابی", "كتابي"),  # of a Persian keyboard
        ("ہے", "هے"),
    ],
)
def test_arabic_letters_that_are_written_for_one_another_are_one(text, same):
    assert fold(text) == fold(same)
    assert word_forms(text)[0] & set(search_text(same).split())


def spans(matches):
    return [(match.lastgroup, *match.span()) for match in matches]


@given(st.text(alphabet="aZß9_-+# \n\xad\u2014\u0301²½日", max_size=40) | st.text(max_size=40))
def test_words_of_plain_texts_are_those_of_all_texts(text):
    """Plain texts are read by another pattern: it must not tell other words."""
    assert spans(analysis._words(text)) == spans(analysis._WORD.finditer(text))


def test_signs_of_plain_texts_are_read_as_in_all_texts():
    plain = [char for char in map(chr, range(0x10000)) if analysis._PLAIN.fullmatch(char)]
    assert len(plain) > 800
    for text in (f"a{char}b C#{char} {char}{char}-\n{char}" for char in plain):
        assert spans(analysis._words(text)) == spans(analysis._WORD.finditer(text))
        assert spans(analysis._PLAIN_WORD.finditer(text[:-3])) == spans(
            analysis._WORD.finditer(text[:-3])
        )
