"""Phrases, NEAR and patterns on text. Places are worked out by hand."""

import time
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import QueryError
from indexer.query import exact
from indexer.query.exact import checked_pattern, fold_text, folded, holds, ranges
from indexer.query.language import Near, Pattern, Phrase


def found(atom, text: str) -> list[str]:
    return [text[a:b] for a, b in ranges(atom, text, timeout_s=5)]


@pytest.mark.parametrize(
    ("phrase", "text", "places"),
    [
        ("cellar pump", "The Cellar\n  pump.", ["Cellar\n  pump"]),
        ("low", "low_water below LOW", ["LOW"]),
        ("forwards", "for-\nwards", ["for-\nwards"]),
        ("well-known", "well-\n  known", ["well-\n  known"]),
        ("well-known", "well‑known", ["well‑known"]),
        ("well", "well-\nknown", ["well"]),
        ("caption", "cap-\nTion", []),
        ("cafe", "Café CAFÉ", ["Café", "CAFÉ"]),
        ("cafe\u0301", "Café", ["Café"]),
        ("strasse", "Straße", ["Straße"]),
        ("office", "the oﬃce", ["oﬃce"]),
        ("ice", "oﬃce", []),
        ("oeuvre", "une Œuvre", ["Œuvre"]),
        ("caesar", "Cæsar, Cǽsar", ["Cæsar", "Cǽsar"]),
        ("software", "soft\u00ad\nware", ["soft\u00ad\nware"]),
        ("don't", "I don’t", ["don’t"]),
        ("كتاب", "هذا كِتَابٌ كتـــاب", ["كِتَابٌ", "كتـــاب"]),
        ("שלום", "אמר שָׁלוֹם", ["שָׁלוֹם"]),
        ("大学", "東京大\n学生", ["大\n学"]),
        ("学", "大学", ["学"]),
        ("タ", "データ", ["タ"]),
        ("ไทย", "ภาษาไทยครับ", ["ไทย"]),
        ("서울", "서울에서", ["서울"]),
        ("python", "使用Python编程", ["Python"]),
        ("a->b", "x = a->b;", ["a->b"]),
        ("foo.bar()", "foo.bar() foo.barn()", ["foo.bar()"]),
        ("C++", "in C++, C", ["C++"]),
        ("std::vector", "std::vector<int>", ["std::vector"]),
        ("pump which", "pump, which", []),
        ("to be or not to be", "To be, or not to be", []),
        ("\u00ad", "a", []),
    ],
)
def test_phrase(phrase, text, places):
    assert found(Phrase(phrase), text) == places
    assert holds(Phrase(phrase), text, timeout_s=5) == bool(places)


@pytest.mark.parametrize(
    ("near", "places"),
    [
        (Near("pump", "seal", 2), ["pump", "seal"]),
        (Near("seal", "pump", 2), ["pump", "seal"]),
        (Near("pump", "seal", 1), []),
        (Near("cellar pump", "replaced", 4), ["cellar pump", "replaced"]),
        (Near("pump", "pump", 20), []),
    ],
)
def test_near(near, places):
    """``pump`` and ``seal`` have two words between them."""
    assert found(near, "The cellar pump and its seal were replaced.") == places


def test_pattern():
    text = "Error 12\nwarning\nERROR 7"
    assert found(Pattern(r"^error \d+$", ignore_case=True), text) == ["Error 12", "ERROR 7"]
    assert found(Pattern("x*"), "abc") == []


def test_a_pattern_that_never_ends_is_stopped():
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        list(ranges(Pattern("(a|aa)+$"), "a" * 5000 + "b", timeout_s=0.2))
    assert time.monotonic() - begun < 5


def test_matches_come_one_by_one():
    found = ranges(Pattern("."), "a" * 1_000_000, timeout_s=60)
    assert [next(found), next(found)] == [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    "expression",
    [
        "(?R)",
        "(?R)?a",
        "(a|(?R))*",
        "(?0)",
        "(a(?1)?)",
        "(a(?-1)?)",
        "(?+1)(a)",
        "(?P<x>a(?&x)?)",
        "(?P<x>a(?P>x)?)",
        "(?P<x>a(?P&x)?)",
        "(?x)(?P<x>a(?P #\n >x)?)",
        r"\\(?R)",
    ],
)
def test_groups_that_call_groups_are_refused(expression):
    with pytest.raises(QueryError, match="called again"):
        checked_pattern(expression)


@pytest.mark.parametrize(
    "expression", [r"\(?R", r"f\(?1", r"(?P<x>a)(?P=x)", "(?i)a", "(?-i:a)", "(a)?(?(1)b|c)"]
)
def test_what_only_looks_like_a_call_is_looked_for(expression):
    assert checked_pattern(expression) == Pattern(expression)


@pytest.mark.parametrize("expression", ["(?au)x", "(?a)(?u)x", "(?V0)(?V1)x", "(", "a{2,1}"])
def test_what_is_no_pattern_is_told(expression):
    with pytest.raises(QueryError, match="no regular expression"):
        checked_pattern(expression)


def test_memory_that_runs_out_is_told(monkeypatch):
    class Greedy:
        def search(self, text, timeout):
            raise MemoryError

        finditer = search

    monkeypatch.setattr(exact, "compiled", lambda pattern: Greedy())
    with pytest.raises(QueryError, match="/a/ takes more memory"):
        holds(Pattern("a"), "a", timeout_s=1)
    with pytest.raises(QueryError, match="/a/ takes more memory"):
        found(Pattern("a"), "a")


TEXTS = st.text("aB e\u0301é-\n\t\u00adœǽ ﬃß大学ไท서“’.,_1\u3000", max_size=60)


@given(TEXTS.map(lambda text: normalize("NFC", text)))
def test_both_foldings_agree(text):
    assert fold_text(text) == " ".join(folded(text).text.split())


@given(TEXTS, st.integers(0, 60), st.integers(1, 12))
def test_every_piece_of_a_text_is_found_in_it(text, start, length):
    """A piece of whole words; line ends and hyphens may stand anywhere in it."""
    text = normalize("NFC", text)
    piece = text[start : start + length]
    around = (text[:start][-1:] + text[start + length :][:1]).replace("\n", "")
    if not fold_text(piece) or any(not c.isspace() for c in around) or piece != piece.strip():
        return
    assert any(
        a <= start and start + length <= b for a, b in ranges(Phrase(piece), text, timeout_s=5)
    ) or found(Phrase(piece), text)


@given(TEXTS)
def test_ranges_lie_in_the_text(text):
    seen = folded(text)
    for i in range(len(seen.text)):
        start, end = seen.original(i, i + 1)
        assert 0 <= start < end <= len(text)


def test_a_ligature_and_a_sign_that_goes_do_not_shift_one_another():
    """Four characters become four: two of the first, and the third goes."""
    seen = folded("\ufb01\u0628\u064e\u0637")
    assert seen.text == "fi\u0628\u0637"
    assert [seen.original(i, i + 1) for i in range(4)] == [(0, 1), (0, 1), (1, 3), (3, 4)]
