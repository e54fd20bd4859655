"""Sentence ends: one line of expectation per rule."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmk_encoder.sentences import sentence_ends


def split(text):
    ends = sentence_ends(text)
    return [text[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rains.", "We stay in."],
        ["Really?!", "Yes.", "No way…", "Go!"],
        ['She said "stop."', "He (the other one.)", "Left."],
        ["Dr. Smith met Mr. J. R. Jones at St. Mary.", "They talked."],
        ["See Fig. 3 and Eq. 4, cf. Sec. 2.", "It grows, e.g. Linearly, by 3.14 a day."],
        ["It costs approx. five, i.e. a few, vs. many."],
        ["The U.S. Army and the U.K. Navy came.", "They left."],
        ["He said no.", "Then No. 5 came."],
        ['"What?" he said.', "Nothing."],
        ["In 2019.", "In 2020."],
        ["Open file.txt or a.b.c now.", "Done."],
    ],
    ids=lambda sentences: sentences[0],
)
def test_english(sentences):
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["今日は雨です。", "「家にいます。」", "本当？"],
        ["天在下雨。", "我们在家！", "好吗？"],
        ["यह पहला वाक्य है।", "यह दूसरा है॥"],
        ["هل تمطر؟", "نعم۔"],
        ["Սա առաջինն է։", "Սա երկրորդն է։"],
        ["នេះគឺទីមួយ។", "ទីពីរ។"],
        ["ይህ የመጀመሪያው ነው።", "ሁለተኛው።"],
    ],
    ids=["japanese", "chinese", "hindi", "arabic-urdu", "armenian", "khmer", "amharic"],
)
def test_other_scripts(sentences):
    assert split("".join(sentences)) == sentences


def test_a_blank_line_ends_a_sentence_and_a_line_break_does_not():
    """PDF text breaks lines anywhere; headings have no full stop."""
    assert split("A heading\n\nThe text goes\non here. And\nhere.") == [
        "A heading",
        "The text goes\non here.",
        "And\nhere.",
    ]


def test_numbers_at_line_starts_are_list_marks():
    assert split("1. Introduction\n2. Methods and results.") == [
        "1. Introduction\n2. Methods and results."
    ]


@pytest.mark.parametrize("text", ["", " \n\n \t"])
def test_a_blank_text_has_no_sentences(text):
    assert sentence_ends(text) == []


def test_an_end_lies_behind_closing_quotes_and_before_the_space():
    assert sentence_ends('He left. "Fine." ') == [8, 16]


@given(st.text(st.sampled_from("aB1.!?。\n \"')”…") | st.characters(), max_size=200))
def test_ends_rise_and_cover_the_text(text):
    ends = sentence_ends(text)

    assert ends == sorted(set(ends))
    assert not ends or ends[0] > 0
    assert not text[ends[-1] if ends else 0 :].strip()


@pytest.mark.parametrize(
    "text",
    [
        "A sentence of Dr. Smith, e.g. this one. " * 1_250,
        "." * 50_000 + "x",
        "a)" + ".)" * 25_000,
        "\n" * 50_000,
        "\n \t" * 20_000 + "x",
        "." + '"' * 50_000 + "x",
    ],
    ids=["prose", "dots", "brackets", "lines", "blank lines", "quotes"],
)
def test_no_text_takes_quadratic_time(text):
    """Fifty thousand characters take some 5 ms of CPU; quadratic time would take seconds."""
    start = time.process_time()
    sentence_ends(text)

    assert time.process_time() - start < 0.5
