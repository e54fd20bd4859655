"""Which part of a long document is looked at for an exact place."""

from indexer.analysis import search_text
from indexer.query.language import Near, Pattern, Phrase
from indexer.search.places import _stretches
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
    assert _stretches(BOOK, Phrase("the zinc")) == [(24, "the e the zinc roof g ")]
    assert _stretches(BOOK, Phrase("the a")) == [(0, "the a the b ")]


def test_more_of_it_where_more_words_may_stand_between():
    ((offset, text),) = _stretches(BOOK, Near("zinc", "roof", 24))
    assert (offset, text) == (6, "the b the c the d the e the zinc roof g the h ")


def test_all_of_it_for_patterns_and_signs():
    whole = "".join(BOOK.texts)
    assert _stretches(BOOK, Pattern("z.nc")) == [(0, whole)]
    assert _stretches(BOOK, Phrase("->")) == [(0, whole)]
