"""Borders between tokens, against hand-worked offsets and the whole-text grapheme split."""

import numpy as np
import regex
from hypothesis import given
from hypothesis import strategies as st

from lmk_encoder.borders import is_grapheme_border, token_borders

# Characters that combine: accents, jamo, joiners, emoji, flags, skin tones, Indic conjuncts.
COMBINING = "ae\u0301\u0327\u200d👨👩🏽🇩🇪ᄒ\u1161\u11ab한क\u094dष\r\n \u0600\ufe0f"


def borders_of(text, *offsets):
    return token_borders(text, np.array(offsets, dtype=np.int64).reshape(-1, 2))


def test_space_belongs_to_what_stands_before():
    """ "ab  cd": the border between the words lies at the c, behind both spaces."""
    borders = borders_of("ab  cd", (0, 2), (4, 6))

    assert borders.positions.tolist() == [0, 4, 6]
    assert borders.ended.tolist() == [0, 2, 6]
    assert borders.possible.tolist() == borders.words.tolist() == [1]


def test_a_token_that_begins_with_space_is_cut_behind_it():
    """Byte-level tokenizers give " cd" as one token: the space still goes to the left."""
    borders = borders_of("ab cd", (0, 2), (2, 5))

    assert borders.positions.tolist() == [0, 3, 5]
    assert borders.words.tolist() == [1]


def test_no_border_between_tokens_of_one_character():
    """Three byte tokens spell the emoji; only the borders around it are possible."""
    borders = borders_of("a😀b", (0, 1), (1, 2), (1, 2), (1, 2), (2, 3))

    assert borders.possible.tolist() == [1, 4]
    assert borders.words.tolist() == []


def test_space_tokens_go_with_the_text_before():
    """ "a", line ends, "b" as three tokens: one border, after the line ends."""
    borders = borders_of("a\n\nb", (0, 1), (1, 3), (3, 4))

    assert borders.possible.tolist() == [2]


def test_at_finds_the_border_at_or_after_an_offset():
    borders = borders_of("ab cd ef", (0, 2), (3, 5), (6, 8))

    assert borders.at([2]).tolist() == [1]  # in the space: the border behind it
    assert borders.at([3, 4]).tolist() == [1, 2]  # 4 is inside cd
    assert borders.at([0, 8]).tolist() == []  # the ends of the text are no inner borders


def test_space_before_the_first_token_is_no_place_to_cut():
    """A line start before any token is not taken for the border before the second token."""
    assert borders_of("\nab cd", (1, 3), (4, 6)).at([1]).tolist() == []


@given(st.text(st.sampled_from(COMBINING), min_size=2, max_size=40))
def test_grapheme_borders_agree_with_splitting_the_whole_text(text):
    expected = {found.start() for found in regex.finditer(r"\X", text)} - {0}

    assert {i for i in range(1, len(text)) if is_grapheme_border(text, i)} == expected


def test_surrogate_halves_stay_together():
    assert not is_grapheme_border("a\ud83d\ude00b", 2)
    assert is_grapheme_border("a\ud83d\ude00b", 3)


def test_a_long_run_without_ascii_is_judged_right():
    text = "漢" * 1000 + "e\u0301" + "字" * 1000

    assert is_grapheme_border(text, 1000)
    assert not is_grapheme_border(text, 1001)
    assert is_grapheme_border(text, 1002)


def test_a_long_cluster_is_seen_whole():
    """A joiner joins only after an emoji, here a hundred characters back."""
    assert not is_grapheme_border("👨" + "\ufe0f" * 100 + "\u200d👩", 102)
    assert is_grapheme_border("漢" + "\ufe0f" * 100 + "\u200d👩", 102)
