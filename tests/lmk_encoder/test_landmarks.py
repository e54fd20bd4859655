"""Landmark spans. Expected numbers are worked out by hand, never pasted from a run."""

import re
from itertools import pairwise

import numpy as np
import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from lmk_encoder.errors import ConfigError
from lmk_encoder.landmarks import (
    Interval,
    Sentences,
    Slices,
    Syntax,
    landmark_spans,
    max_span_tokens,
)

# Clusters of several characters and tokens, spaces, marks, badly decoded halves, anything at all.
CLUSTERS = "é|क\u094dष|e\u0301\u0327|👨\u200d👩\u200d👧|👋🏽|🇩🇪|ᄒ\u1161\u11ab|\ud83d\ude00|\r\n"
PIECES = [*CLUSTERS.split("|"), *"a .,!。\n\t\x00", "b. ", "漢字"]
MIXED = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=60).map("".join)
LIMITS = st.integers(1, 12)
POLICIES = st.one_of(
    st.builds(Interval, LIMITS),
    st.builds(Sentences, LIMITS),
    st.builds(Syntax, st.lists(st.integers(-5, 310)).map(tuple), LIMITS),
)


def words(text):
    """Words and marks as tokens."""
    return offsets([found.span() for found in re.finditer(r"\w+|[^\w\s]", text)])


def utf8_bytes(text):
    """One token a byte, space included, as the worst byte-level tokenizer would do it."""
    lengths = [len(character.encode("utf-8", "replace")) for character in text]
    return offsets([(i, i + 1) for i, length in enumerate(lengths) for _ in range(length)])


def offsets(pairs):
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def pieces(text, policy, breaks=(), tokens=words):
    spans = landmark_spans(text, tokens(text), policy, breaks)
    return [text[span.start : span.end] for span in spans]


def numbers(spans):
    return [span.last - span.first for span in spans]


@pytest.mark.parametrize("policy", [Interval(), Sentences(), Syntax()])
@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_text_without_tokens_has_one_landmark(text, policy):
    assert landmark_spans(text, words(text), policy) == [(0, 0, 0, len(text))]


def test_an_interval_without_a_border_near_is_exact():
    """Nine CJK characters, no line, no space, at three tokens: 3 + 3 + 3."""
    text = "天地玄黄宇宙洪荒日"

    assert pieces(text, Interval(3), tokens=utf8_characters) == ["天地玄", "黄宇宙", "洪荒日"]


def utf8_characters(text):
    return offsets([(i, i + 1) for i in range(len(text))])


@pytest.mark.parametrize(
    ("tokens", "spans"),
    [(1, [1]), (31, [31]), (32, [32]), (33, [32, 1]), (64, [32, 32]), (70, [32, 32, 6])],
)
def test_slices_are_exact_and_only_the_last_is_shorter(tokens, spans):
    text = "word " * tokens
    assert numbers(landmark_spans(text, words(text), Slices(32))) == spans


def test_slices_begin_anew_at_a_break():
    text = "a b c d e f g"
    assert pieces(text, Slices(2), breaks=(6,)) == ["a b ", "c ", "d e ", "f g"]


def test_cuts_are_balanced():
    """Ten tokens at a limit of eight are 5 + 5, not 8 + 2."""
    assert numbers(landmark_spans("x " * 10, words("x " * 10), Interval(8))) == [5, 5]


def test_an_interval_moves_to_a_near_line_border():
    """Sixteen tokens, limit 12: target 8; the line ends after 6, within a quarter interval."""
    text = "a b c d e f\ng h i j k l m n o p"

    assert pieces(text, Interval(12)) == ["a b c d e f\n", "g h i j k l m n o p"]


def test_short_sentences_are_merged_and_long_ones_cut_at_clauses():
    """With six tokens a span: two sentences of three fit; the long one is cut after its comma."""
    text = "A b. C d. One two three, four five six seven. E f."

    assert pieces(text, Sentences(6)) == [
        "A b. C d. ",
        "One two three, ",
        "four five six seven. ",
        "E f.",
    ]


def test_syntax_prefers_given_borders_to_other_lines():
    """Sixteen tokens, limit ten, target 8: def g() stands at 9, a line start nearer at 8."""
    text = "import a\ndef f():\n  b\n  c\ndef g():\n  d\n  e\n"
    border = text.index("def g")

    assert pieces(text, Syntax((border,), max_tokens=10)) == [text[:border], text[border:]]


def test_syntax_prefers_the_border_of_a_definition_to_a_nearer_one():
    text = "a b c\n" * 4
    soft, definition = 12, 6

    assert pieces(text, Syntax((soft,), max_tokens=8, definitions=(definition,)))[0] == text[:6]
    assert pieces(text, Syntax((soft,), max_tokens=8))[0] == text[:soft]


def test_syntax_never_cuts_a_line_that_fits():
    """A short line before a long one: cut after the short line, however unbalanced."""
    text = "a\n" + "b " * 8 + "\nc"

    assert pieces(text, Syntax((), max_tokens=8)) == ["a\n", "b " * 8 + "\n", "c"]


def test_syntax_cuts_a_line_longer_than_the_limit_at_words():
    spans = landmark_spans("x " * 20, words("x " * 20), Syntax((), max_tokens=8))

    assert numbers(spans) == [7, 7, 6]


def test_breaks_are_never_crossed():
    """Each page is one span; the space around a break stays on its own side."""
    text = "one \n two"

    assert pieces(text, Interval(8), breaks=(5,)) == ["one \n", " two"]


def test_a_blank_page_joins_the_page_before():
    """Nothing stands between the two breaks: no landmark for it, the second break counts."""
    text = "one\n   \ntwo"

    assert pieces(text, Interval(8), breaks=(4, 8)) == ["one\n   \n", "two"]


@pytest.mark.parametrize("outside", [(-3, 0), (7, 99), (0, 7)])
def test_breaks_outside_are_ignored(outside):
    assert pieces("one two", Interval(8), breaks=outside) == ["one two"]


def test_a_break_before_the_first_word_divides_nothing():
    assert pieces("\n\none two", Interval(8), breaks=(1, 2)) == ["\n\none two"]


def test_a_break_inside_a_word_moves_behind_it():
    assert pieces("one two three", Interval(8), breaks=(5,)) == ["one two ", "three"]


def test_no_cut_inside_a_family_emoji():
    """Four people joined into one, each of many byte tokens: more tokens than the limit."""
    family = "👨\u200d👩\u200d👧\u200d👦"
    text = f"ab{family}cd"

    for piece in pieces(text, Interval(30), tokens=utf8_bytes):
        assert family in piece or "\u200d" not in piece


def test_a_word_of_many_tokens_is_cut_inside():
    """One hundred tokens without any border: 25 spans of four."""
    text = "x" * 100

    assert numbers(landmark_spans(text, utf8_characters(text), Sentences(4))) == [4] * 25


def test_no_short_tail():
    """Any length gives spans of at least a quarter of the limit, if no break forces less."""
    for length in range(1, 200):
        text = "x " * length
        shortest = min(numbers(landmark_spans(text, words(text), Sentences(16))))
        assert shortest >= min(length, 4)


@pytest.mark.parametrize("make", [Interval, Sentences, lambda tokens: Syntax((), tokens)])
def test_a_limit_below_one_is_refused(make):
    with pytest.raises(ConfigError, match=r"tokens=0.*Use 1 or more"):
        make(0)


@given(MIXED, POLICIES, st.lists(st.integers(-5, 310)), st.sampled_from([words, utf8_bytes]))
@example("\ud83d\ude00" * 20, Interval(1), [], utf8_bytes)
@example("a" + "\u0301" * 300, Interval(2), [], utf8_bytes)
def test_spans_tile_tokens_and_text(text, policy, breaks, tokens):
    """Nothing is lost or doubled, and no user-perceived character is torn."""
    places = tokens(text)
    spans = landmark_spans(text, places, policy, breaks)

    assert spans[0].first == spans[0].start == 0
    assert spans[-1].last == len(places)
    assert spans[-1].end == len(text)
    for left, right in pairwise(spans):
        assert (left.last, left.end) == (right.first, right.start)
        assert left.first < left.last
        assert left.start < left.end
    # No token lies on both sides of a border: its characters, space aside, are in its span.
    for span in spans:
        inside = places[span.first : span.last]
        for start, end in inside:
            core = text[start:end].strip()
            if core:
                lead = len(text[start:end]) - len(text[start:end].lstrip())
                assert span.start <= start + lead
                assert start + lead + len(core) <= span.end


@given(MIXED, POLICIES)
@example("e\u0301" * 50, Interval(4))
def test_no_span_tears_a_grapheme_that_fits(text, policy):
    """A cluster is torn only if it alone has more tokens than a span may have."""
    text = "".join(text.split())  # tokens of space would count with the cluster before them
    places, limit = utf8_bytes(text), max_span_tokens(policy)
    edges = {span.end for span in landmark_spans(text, places, policy)} - {len(text)}

    for cluster in regex.finditer(r"\X", text):
        start, end = cluster.span()
        count = int(((places[:, 0] >= start) & (places[:, 0] < end)).sum())
        if count <= limit:
            assert not edges & set(range(start + 1, end))


@given(MIXED, POLICIES)
def test_spans_stay_within_the_limit(text, policy):
    """One token a character, no clusters of more than the limit: the limit is strict."""
    places = words(text)
    spans = landmark_spans(text, places, policy)

    unsplit = max((len(c) for c in regex.findall(r"\X", text)), default=0)
    assert max(numbers(spans)) <= max(max_span_tokens(policy), unsplit)


@given(st.lists(st.text("ab .\n", min_size=1, max_size=30), min_size=1, max_size=8), POLICIES)
def test_no_span_holds_tokens_of_two_pages(pages, policy):
    breaks = np.cumsum([len(page) for page in pages]).tolist()
    text = "".join(pages)
    # Pages begin at a token only if no word runs over the break, as page texts end in "\n".
    text = re.sub(r"(?s).", lambda m: "\n" if m.end() in breaks else m[0], text)
    places = words(text)

    for span in landmark_spans(text, places, policy, breaks):
        of = {
            int(np.searchsorted(breaks, start, side="right"))
            for start, _ in places[span.first : span.last]
        }
        assert len(of) <= 1
