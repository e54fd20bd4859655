"""Bytes to clean text (faults 16, 18, 19, 20)."""

import base64
import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.documents import line_starts
from indexer.parsing.decode import clean, clean_line, decode, without_pictures


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"\xef\xbb\xbfimport os\n", "import os\n", "utf-8"),
        ("é x\n".encode("utf-16"), "é x\n", "utf-16-le"),
        (b"\xfe\xff" + "é x\n".encode("utf-16-be"), "é x\n", "utf-16-be"),
        ("é x\n".encode("utf-32"), "é x\n", "utf-32-le"),
        ("plain words\n".encode("utf-16-le"), "plain words\n", "utf-16-le"),
        ("plain words\n".encode("utf-16-be"), "plain words\n", "utf-16-be"),
        ("größe".encode(), "größe", "utf-8"),
        ("größe – “x”".encode("cp1252"), "größe – “x”", "cp1252"),
        (b"\x81\x8d caf\xe9", " café", "latin-1"),  # two bytes that cp1252 does not have
        (
            "# -*- coding: koi8-r -*-\nмир".encode("koi8-r"),
            "# -*- coding: koi8-r -*-\nмир",
            "koi8-r",
        ),
        (b'<?xml version="1.0" encoding="shift_jis"?>\x93\xfa', None, "cp932"),
        ("# coding: koi8-r\nмир".encode(), "# coding: koi8-r\nмир", "utf-8"),  # it is not, it says
        (b"# coding: rot13\n\xe9", "# coding: rot13\né", "cp1252"),
        (b"", "", "utf-8"),
    ],
)
def test_encodings(data, text, encoding):
    decoded = decode(data)

    assert decoded.encoding == encoding
    assert text is None or decoded.text == text


def test_a_declared_encoding_counts_where_utf8_does_not_fit():
    assert decode("日本語".encode("euc-jp"), declared="EUC-JP").text == "日本語"
    assert decode("日本語".encode("iso2022-jp"), declared="ISO-2022-JP").text == "日本語"
    assert decode("日本語".encode(), declared="EUC-JP").text == "日本語"
    assert decode(b"caf\xe9", declared="no-such-name").text == "café"


@pytest.mark.parametrize(
    ("declared", "codec", "text"),
    [
        ("shift_jis", "cp932", "保守①"),
        ("x-sjis", "cp932", "保守"),
        ("Windows-31J", "cp932", "㈱髙"),
        ("gb2312", "gbk", "水泵镕"),
        ("gb_2312-80", "gb18030", "水泵镕"),
        ("x-gbk", "gb18030", "水泵㐀"),
        ("big5", "big5hkscs", "水泵①の"),
        ("euc-jp", "euc_jis_2004", "保守①"),
        ("euc-kr", "cp949", "펌프 똠방각하"),
        ("ks_c_5601-1989", "cp949", "펲"),
        ("iso-8859-8-i", "iso8859-8", "משאבות"),
        ("iso-8859-9", "cp1254", "ş €"),
        ("x-mac-cyrillic", "mac-cyrillic", "насос"),
        ("hz-gb-2312", "hz", "水泵"),
        ("utf-7", "utf-7", "насос"),
    ],
)
def test_a_declared_name_is_taken_as_browsers_take_it(declared, codec, text):
    """One letter beyond the charset proper turned the whole document into Western signs."""
    assert decode(text.encode(codec), declared=declared).text == text


@pytest.mark.parametrize("encoding", ["shift_jis", "gb2312", "iso2022-jp", "hz"])
def test_a_few_wrong_bytes_do_not_rule_out_what_is_declared(encoding):
    text = "насос " * 5

    assert decode(text.encode(encoding) + b"\xff\n", declared=encoding).text.startswith(text)
    assert decode(b"caf\xe9 - \xfc", declared="shift_jis").text == "café - ü"


def test_signs_that_letters_may_hide_behind_stay_where_they_are_none():
    for text in ("a + b ~ {c}", "größe + ~ {c}"):
        for declared in ("utf-7", "hz-gb-2312", "iso-2022-jp"):
            assert decode(text.encode(), declared=declared).text == text


def test_latex_declares_its_encoding():
    for name, codec in (
        ("koi8-r", "koi8-r"),
        ("utf8, cp1251", "cp1251"),
        ("maccyr", "mac-cyrillic"),
    ):
        text = "\\documentclass{a}\n%\\usepackage[cp866]{inputenc}\n"
        text += f"  \\usepackage[{name}]{{inputenc}}\nнасос"
        assert decode(text.encode(codec)).text == text
    assert decode("\\inputencoding{cp866}насос".encode("cp866")).text.endswith("насос")


def test_halves_of_a_pair_are_joined_and_lone_ones_replaced():
    assert clean("a\ud835\udf0eb \udbff c") == "a\U0001d70eb \ufffd c"


@given(control=st.integers(0, 31))
def test_every_c0_control_is_kept_removed_or_a_space(control):
    expected = {"\n": "\n", "\t": "\t", "\f": "\f", "\r": "\n", "\v": " "}
    expected |= dict.fromkeys("\x1c\x1d\x1e\x1f", " ")
    character = chr(control)

    assert clean(f"a{character}b") == f"a{expected.get(character, '')}b"


def test_a_removed_control_does_not_leave_a_letter_apart_from_its_accent():
    assert clean("e\x00\u0301") == "é"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\x1b[1;31mERROR\x1b[0m: \x1b[38;5;9mpump\x1b[m", "ERROR: pump"),
        ("\x1b]8;;https://a.b\x1b\\link\x1b]8;;\x1b\\ \x1b]0;title\x07x\x1b(B", "link x"),
        ("\x1b[2K\x1b[1Gdone\x1b[", "done["),
        ("a\x1b]never closed\nb", "a]never closed\nb"),
        ("\x1b\x1b[1m[1m", "[1m"),
        ("N\bNA\bA_\bM_\bE\bE N\bN\bN _\b_ x\b_", "NAME N _ x"),
        ("+\bo \ba\n\b\nb", "+o a\n\nb"),
    ],
)
def test_what_is_for_a_terminal_leaves_the_words(raw, text):
    assert clean(raw) == text
    assert clean(text) == text


def base64_of(noise: int, rest: bytes = b"") -> str:
    data = b"".join(hashlib.sha256(bytes([n])).digest() for n in range(noise))
    return base64.b64encode(data + rest).decode()


def test_pictures_go():
    picture = base64_of(20)

    assert without_pictures(f"before {picture} after") == "before ... after"
    assert without_pictures(base64_of(20, bytes(1500))) == "..."  # large areas of one colour
    assert without_pictures(base64_of(20, b"\xff" * 1500)) == "..."
    assert without_pictures(f"data:image/png;base64,{picture}") == "data:image/png;base64,..."


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"/folder{n}" for n in range(100)),
        "".join(f"/s3Bucket{n}B/myFolder{n}" for n in range(50)),
        hashlib.shake_256(b"x").hexdigest(300),
        hashlib.shake_256(b"x").hexdigest(300).upper(),
        "aVeryLongNameInCamelCase" * 30,
        "ACGT" * 200 + "acgt" * 200,
    ],
)
def test_what_is_no_picture_stays(text):
    assert without_pictures(f"see {text}.") == f"see {text}."


def test_lines_end_at_lf_crlf_and_cr_and_nowhere_else():
    text = clean("one\r\ntwo\rthree\u2028still three\fstill\nfour")

    assert text.split("\n") == ["one", "two", "three\u2028still three\fstill", "four"]
    assert len(line_starts(text)) == 4


@given(st.text(alphabet=st.characters() | st.characters(min_codepoint=0, max_codepoint=0x2FF)))
def test_cleaning_is_idempotent_and_can_be_stored(text):
    cleaned = clean(text)

    assert clean(cleaned) == cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    assert "\r" not in cleaned
    assert "\0" not in cleaned


@given(st.binary(max_size=200))
def test_any_bytes_decode(data):
    decoded = decode(data)

    assert clean(decoded.text) == decoded.text


def test_a_title_is_one_line():
    assert clean_line("  A\x00 title\r\n over\ttwo  lines ") == "A title over two lines"
