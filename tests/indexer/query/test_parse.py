"""The query language: what is an operator, what is a word, and that nothing is an error."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.query.language import Condition, Field, Near, Pattern, Phrase, Word, Words
from indexer.query.parse import parse


def must(*atoms):
    return Condition(atoms)


def without(atom):
    return Condition((atom,), negated=True)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cellar pump", [Words("cellar pump")]),
        ('the "cellar  pump" failed', [Words("the"), must(Phrase("cellar pump")), Words("failed")]),
        ("“cellar pump”", [must(Phrase("cellar pump"))]),
        ('who is "waldo"?', [Words("who is"), must(Phrase("waldo"))]),
        ("pump -valve, oil", [Words("pump"), without(Phrase("valve")), Words("oil")]),
        ('-"brass valve"', [without(Phrase("brass valve"))]),
        ("a b OR c d", [Words("a"), must(Word("b"), Word("c")), Words("d")]),
        ('("a b" OR c)', [must(Phrase("a b"), Word("c)"))]),
        ("pump NEAR/3 seal", [must(Near("pump", "seal", 3))]),
        ('"cellar pump" NEAR seal', [must(Near("cellar pump", "seal", 10))]),
        ("a NEAR/1 b NEAR/2 c", [must(Near("a", "b", 1)), must(Near("b", "c", 2))]),
        ("a NEAR/1 b OR c", [must(Near("a", "b", 1), Word("c"))]),
        ("Type:.PDF", [must(Field("type", "pdf"))]),
        ('path:"my docs/*"', [must(Field("path", "my docs/*"))]),
        ("-lang:de", [without(Field("lang", "de"))]),
        (
            "after:2024-01 before:2024-02-30",
            [must(Field("after", "2024-01")), Words("before:2024-02-30")],
        ),
        (r"/err(or)?\/\d+/i", [must(Pattern(r"err(or)?\/\d+", ignore_case=True))]),
        ("type:pdf OR title:x", [must(Field("type", "pdf"), Field("title", "x"))]),
        # No operators:
        ("", []),
        ("\0\ud800", []),
        ('say "hi', [Words('say "hi')]),
        ('36" pipe, 24" pipe', [Words('36" pipe, 24" pipe')]),
        ('""', [Words('""')]),
        ("-5 degrees, - or --flag and ->", [Words("-5 degrees, - or --flag and ->")]),
        ("a or b and near c", [Words("a or b and near c")]),
        ("OR", [Words("OR")]),
        ("a NEAR/5", [Words("a NEAR/5")]),
        ("a OR -b", [Words("a OR"), without(Phrase("b"))]),
        ("/usr/bin/env and /tmp", [Words("/usr/bin/env and /tmp")]),
        ("/(/", [Words("/(/")]),
        ("title: The Who", [Words("title: The Who")]),
        (r"\-x \OR \type:pdf \"hi", [Words('-x OR type:pdf "hi')]),
        (r"a OR \-b", [must(Word("a"), Word("-b"))]),
        (r"\\-x \d+ \\server", [Words(r"\-x \d+ \\server")]),
        ("https://example.org/?type:pdf", [Words("https://example.org/?type:pdf")]),
        (r"C:\docs\a.pdf", [Words(r"C:\docs\a.pdf")]),
        ("std::vector<int> a->b foo.bar() C++ R&D {0} $1.5", None),
        ('Error: x\n  at "a" -b', [Words('Error: x\n  at "a" -b')]),
    ],
)
def test_parts(text, parts):
    assert list(parse(text).parts) == ([Words(text)] if parts is None else parts)


PIECES = r"""\-x \\OR \"a \ " "a b" -x -"x OR NEAR/2 NEAR w ( ) type:pdf title:"a a ? after:20
    after:2024 path:a"b
    "a b/ /a b/ /(/ /x/i - “ «x» a"b -y" C++"""
TOKENS = st.sampled_from([*PIECES.split(), "/a b/", "\n"])


@given(st.lists(TOKENS, max_size=12).map(" ".join) | st.text(max_size=80))
@example('"hi -foo"bar')
@example('"hi title:"foo""')
@example('" " "a b"')
@example('/a " " ( b/')
@example('/a " ( b/ "')
@example('type:a "b" type:c NEAR/5 d')
def test_any_string_is_a_query_that_survives_being_written(text):
    query = parse(text)

    again = parse(str(query))
    assert again.parts == query.parts
    assert set(again.notes) <= set(query.notes)
    assert again.words == query.words


def same(query):
    """What a query means: white space and the kind of quotation marks say nothing."""
    straight = str.maketrans(dict.fromkeys("“”„‟«»", '"'))
    return [
        " ".join(part.text.translate(straight).split()) if isinstance(part, Words) else part
        for part in query.parts
    ]


FACETS = ['path:"my docs"', "path:/srv/a/", "type:pdf", "after:2024", 'title:"a b" OR type:c']


@given(
    st.lists(TOKENS, max_size=70).map(" ".join),
    st.lists(st.sampled_from(FACETS), min_size=1, max_size=3),
    st.integers(0, 20),
)
@example('say "hi', ['path:"my docs"'], 20)
@example("one\ntwo -x", ["type:pdf"], 20)
@example("“one”\ntwo /x", ["path:/srv/a/"], 20)
@example("é -/re/i OR bar", [], 0)
@example("a OR", ["type:pdf"], 20)
@example("/usr NEAR b", ["path:/srv/a/"], 20)
@example('"hi OR a', ['path:"my docs"'], 20)
@example(" ".join(["word"] * 62) + ' "a b', ["type:pdf"], 0)
@example(" ".join(["word"] * 62) + ' "a b"', ["type:pdf"], 20)
@example(" ".join(["word"] * 63) + ' "a b" type:pdf', [], 0)
def test_a_changed_query_survives_being_written(text, added, nth):
    query = parse(text).adding(*(c for facet in added for c in parse(facet).conditions))
    assert same(parse(str(query))) == same(query)

    for condition in query.conditions[nth : nth + 1] or query.conditions[:1]:
        less = query.without(condition)
        assert same(parse(str(less))) == same(less)


LONG = " ".join(["word"] * 64)


@given(st.lists(TOKENS, max_size=12).map(" ".join))
@example('"" type:pdf "a  b" -x')
def test_very_many_words_are_pasted_text_with_filters_only(text):
    query = parse(f"{LONG} {text} w")

    assert parse(str(query)).parts == query.parts
    assert not query.exact
    assert {condition.field for condition in query.conditions} <= {"type", "after", "path", "title"}


ATOMS = st.one_of(
    st.builds(Phrase, st.text('ab -:é"', min_size=1).map(lambda t: " ".join(t.split()))),
    st.builds(Near, st.sampled_from("ab"), st.sampled_from(["c", "d e"]), st.integers(0, 9999)),
    st.builds(Field, st.just("title"), st.sampled_from(["x", "x y", "-z"])),
    st.builds(Pattern, st.sampled_from(["a b", r"\d", r"x\/y"]), st.booleans()),
)


@given(st.lists(st.builds(must, ATOMS) | st.builds(without, ATOMS), max_size=5))
def test_written_conditions_are_read_back(conditions):
    written = " ".join(map(str, conditions))
    whole = all(
        isinstance(a, Field | Near | Pattern) or (a.text and '"' not in a.text)
        for c in conditions
        for a in c.alternatives
    )
    if whole and not any(isinstance(c.alternatives[0], Near) and c.negated for c in conditions):
        assert list(parse(written).conditions) == conditions


def test_the_encoder_sees_words_only():
    query = parse('how "the cellar pump" failed -valve type:pdf oil OR grease a NEAR/3 b /x+/')

    assert query.words == "how the cellar pump failed oil grease a b"
    assert query.loose_words == "how failed oil grease"
    assert query.exact == (Phrase("the cellar pump"), Near("a", "b", 3), Pattern("x+"))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('say "hi', "no partner"),
        ("after:tomorrow", "names no date"),
        ("/(/", "no regular expression"),
        ("/(?R)?a/", "called again"),
        ("/(?au)x/", "no regular expression"),
        ("OR pump", "without two sides"),
        (f"/{'a' * 501}/", "501 characters"),
        ("pump type: pdf", "followed by a blank"),
        ("pump NEAR/99999 seal", "NEAR/9999 is the farthest"),
        ("pump NOT valve", "put - before"),
        ("/etc/ permissions", 'write "/etc/"'),
        ("type:(pdf OR code)", "brackets group nothing"),
        ("path:(docs OR notes)", "brackets group nothing"),
    ],
)
def test_what_was_taken_as_words_is_told(text, note):
    assert note in parse(text).notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "DO NOT ENTER",
        "what NOT",
        "title:",
        "a note: b",
        "/x+/ y",
        "-/TODO/",
        "/todo/i",
        "path:(a)",
        "-40",
    ],
)
def test_what_needs_no_note_has_none(text):
    assert parse(text).notes == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [("type:pdf, pump", "pdf"), ("after:2024-05.", "2024-05"), ("lang:de)", "de")],
)
def test_punctuation_behind_a_filter_is_that_of_the_sentence(text, value):
    assert parse(text).conditions[0].alternatives[0].value == value


def test_conditions_come_and_go():
    query = parse("pump type:pdf")
    more = query.adding(must(Field("lang", "de")), must(Field("type", "pdf")))

    assert str(more) == "pump type:pdf lang:de"
    assert more.without(must(Field("lang", "de"))) == query
