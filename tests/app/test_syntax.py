"""Colours of code: offsets are those of the text, and unknown languages have none."""

from app.syntax import MAX_CHARS, tokens


def test_words_of_a_program():
    text = 'def f():  # hi\n    return "é" + 1\n'

    found = [(text[start:end], name) for start, end, name in tokens(text, "python", "a.py")]

    assert ("def", "k") in found
    assert ("f", "f") in found
    assert ("# hi", "c") in found
    assert ("é", "s") in found
    assert ("1", "m") in found


def test_the_file_name_tells_where_the_language_is_unknown():
    assert tokens("fn main() {}", "", "a.rs")
    assert tokens("fn main() {}", "", "a.unheard") == ()
    assert tokens("fn main() {}", "no such language", "a.rs") == ()


def test_very_long_text_is_left_alone():
    assert tokens("x = 1\n" * (MAX_CHARS // 6 + 1), "python", "a.py") == ()
