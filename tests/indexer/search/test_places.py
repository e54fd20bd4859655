"""Which part of a long document is looked at for an exact place, and which landmarks hold it."""

import time

from hypothesis import given
from hypothesis import strategies as st

from indexer.analysis import search_text
from indexer.query.language import Near, Pattern, Phrase
from indexer.search.places import _holding, _stretches
from indexer.search.rows import Landmarks


def landmarks(*texts: str) -> Landmarks:
    starts, end = [], 0
    for text in texts:
        starts.append(end)
        end += len(text)
    ends = tuple(start + len(text) for start, text in zip(starts, texts, strict=True))
    terms = tuple(f" {search_text(text)} " for text in texts)
    ones = (1,) * len(texts)
    return Landmarks(tuple(starts), ends, ones, ones, texts, terms, ("",) * len(texts))


BOOK = landmarks("the a ", "the b ", "the c ", "the d ", "the e ", "the zinc ", "roof g ", "the h ")


def test_only_around_the_rarest_word():
    assert _stretches(BOOK, [], Phrase("the zinc")) == [(24, "the e the zinc roof g ")]
    assert _stretches(BOOK, [], Phrase("the a")) == [(0, "the a the b ")]


def test_more_of_it_where_more_words_may_stand_between():
    """Six words either way are three of these short landmarks."""
    ((offset, text),) = _stretches(BOOK, [], Near("zinc", "roof", 4))
    assert (offset, text) == (12, "the c the d the e the zinc roof g the h ")


def test_what_running_heads_and_signs_hold_are_no_words_between():
    ((offset, text),) = _stretches(BOOK, [(24, 30)], Phrase("the zinc"))
    assert (offset, text) == (18, "the d       the zinc roof g ")
    rules = landmarks("alpha ", "-- ", "-- ", "-- ", "beta ", "gamma ", "delta ", "beta ")
    assert _stretches(rules, [], Near("alpha", "beta", 1)) == [
        (0, "alpha -- -- -- beta gamma delta ")
    ]


def test_places_far_apart_are_parts_of_their_own():
    book = landmarks("zinc ", "a ", "b ", "c ", "d ", "zinc ", "zinc ", "e ", "f ")
    assert _stretches(book, [], Phrase("zinc")) == [(0, "zinc a "), (11, "d zinc zinc e ")]


def test_all_of_it_for_patterns_and_signs():
    whole = "".join(BOOK.texts)
    assert _stretches(BOOK, [], Pattern("z.nc")) == [(0, whole)]
    assert _stretches(BOOK, [], Phrase("->")) == [(0, whole)]


@given(
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 26), st.integers(1, 4)), max_size=6),
)
def test_a_landmark_holds_the_ranges_that_touch_it(texts, drawn):
    book = landmarks(*texts)
    ranges = [(start, start + length) for start, length in sorted(drawn)]
    assert _holding(book, ranges).tolist() == [
        any(a < end and start < b for a, b in ranges)
        for start, end in zip(book.starts, book.ends, strict=True)
    ]


def test_a_word_on_every_line_of_a_long_text_is_placed_at_once():
    number = 20_000
    book = landmarks(*["the a "] * number)
    begun = time.thread_time()
    assert _holding(book, [(start, start + 3) for start in book.starts]).all()
    assert time.thread_time() - begun < 2
