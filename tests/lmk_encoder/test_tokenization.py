"""Ids, offsets and the layout of a window."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from lmk_encoder import tokenization
from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import ConfigError, ModelError
from lmk_encoder.landmarks import Interval, landmark_spans
from lmk_encoder.tokenization import LandmarkTokenizer
from lmk_encoder.windows import Window, plan_windows

CLS, LMK = 2, 3  # of the tiny tokenizer
LETTERS = {letter: 4 + ord(letter) - 33 for letter in "abcdefgh"}


@pytest.fixture(scope="module")
def tokenizer(tiny):
    return LandmarkTokenizer.load(tiny.folder, tiny.config)


@pytest.fixture(scope="module")
def byte_tokenizer():
    """Byte-level without merges: every UTF-8 byte is a token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(["<s>", "</s>", "<unk>", *alphabet])}
    inner = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens(["<s>", "</s>"])
    return LandmarkTokenizer(inner, start_token="<s>", landmark_token="</s>")


def layout(tokenizer, text, interval, max_length=64):
    ids, offsets = tokenizer.tokenize(text)
    spans = landmark_spans(text, offsets, Interval(interval))
    plan = plan_windows(spans, max_length=max_length, left_context=2)
    return [tokenizer.window_input(ids, spans, window) for window in plan]


@pytest.mark.parametrize(
    ("text", "expected", "landmarks"),
    [
        ("", [CLS, LMK], [1]),
        ("a", [CLS, "a", LMK], [2]),
        ("a b c", [CLS, "a", "b", "c", LMK], [4]),
        ("a b c d", [CLS, "a", "b", "c", "d", LMK], [5]),
        # One more than the interval of four: three and two, not four and one.
        ("a b c d e", [CLS, "a", "b", "c", LMK, "d", "e", LMK], [4, 7]),
    ],
    ids=["n=0", "n=1", "n=g-1", "n=g", "n=g+1"],
)
def test_golden_layout(tokenizer, text, expected, landmarks):
    """[CLS] span LMK span LMK at an interval of four: the method's layout."""
    (window,) = layout(tokenizer, text, interval=4)

    assert window.ids.tolist() == [LETTERS.get(item, item) for item in expected]
    assert window.landmarks.tolist() == landmarks


def test_landmarks_of_the_context_are_read_and_not_kept(tokenizer):
    """Two windows of two letters: the second begins with the last letters of the first."""
    first, second = layout(tokenizer, "a b c d", interval=2, max_length=7 - 1)

    assert first.ids.tolist() == [CLS, LETTERS["a"], LETTERS["b"], LMK]
    assert second.landmarks.tolist() == [len(second.ids) - 1]
    assert second.ids.tolist()[-3:] == [LETTERS["c"], LETTERS["d"], LMK]
    assert second.ids.tolist()[:2] == [CLS, LETTERS["b"]]


@pytest.mark.parametrize("text", ["[SEP]", "a [SEP] b", "[CLS][SEP][PAD]", "x[SEP][SEP]"])
def test_special_tokens_in_a_text_stay_text(tokenizer, text):
    ids, offsets = tokenizer.tokenize(text)

    assert not set(ids.tolist()) & {0, CLS, LMK}
    assert "".join(text[start:end] for start, end in offsets) == text.replace(" ", "")


def test_a_special_token_as_plain_piece_becomes_unknown():
    """Where "</s>" is a word of the vocabulary, encode_special_tokens does not help."""
    vocabulary = {"<s>": 0, "</s>": 1, "<unk>": 2, "a": 3}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = LandmarkTokenizer(inner, start_token="<s>", landmark_token="</s>")

    assert tokenizer.tokenize("a </s> <s> a").ids.tolist() == [3, 2, 2, 3]


def test_lone_surrogates_do_not_crash(tokenizer, byte_tokenizer):
    for each in (tokenizer, byte_tokenizer):
        _, offsets = each.tokenize("ab\ud800c \udc00d")
        assert offsets[-1].tolist() == [6, 7]


def test_blocks_do_not_show(tokenizer, monkeypatch):
    """A long text in blocks has the ids and offsets of the same text in one piece."""
    text = "some words here, and\nmore of them. " * 40
    whole = tokenizer.tokenize(text)
    monkeypatch.setattr(tokenization, "BLOCK_CHARACTERS", 50)
    parts = tokenizer.tokenize(text)

    np.testing.assert_array_equal(parts.ids, whole.ids)
    np.testing.assert_array_equal(parts.offsets, whole.offsets)


@given(st.text(st.sampled_from("a \n\u0301😀") | st.characters(), max_size=60), st.integers(2, 20))
@settings(deadline=None)
def test_blocks_tile_any_text(text, size):
    original, tokenization.BLOCK_CHARACTERS = tokenization.BLOCK_CHARACTERS, size
    try:
        blocks = list(tokenization._blocks(text))
    finally:
        tokenization.BLOCK_CHARACTERS = original

    assert "".join(text[start:stop] for start, stop in blocks) == text
    assert all(0 < stop - start <= size for start, stop in blocks)


@given(st.text(max_size=80), st.integers(1, 9))
@settings(deadline=None)
def test_real_tokenizers_give_spans_that_tile_any_text(tokenizer, byte_tokenizer, text, interval):
    for each in (tokenizer, byte_tokenizer):
        ids, offsets = each.tokenize(text)
        spans = landmark_spans(text, offsets, Interval(interval))
        plan = plan_windows(spans, max_length=64, left_context=8)
        windows = [each.window_input(ids, spans, window) for window in plan]

        assert "".join(text[span.start : span.end] for span in spans) == text
        assert sum(len(window.landmarks) for window in windows) == len(spans)
        for window in windows:
            assert (window.ids[window.landmarks] == each.landmark_id).all()
            assert window.ids[0] == each.start_id
            assert len(window.ids) <= 64


def test_the_window_input_takes_the_tokens_of_its_spans(tokenizer):
    ids = np.arange(100, 110)
    spans = landmark_spans("x" * 10, np.array([(i, i + 1) for i in range(10)]), Interval(5))
    window = tokenizer.window_input(ids, spans, Window(1, 2, context=((3, 5),)))

    assert window.ids.tolist() == [CLS, 103, 104, LMK, 105, 106, 107, 108, 109, LMK]
    assert window.landmarks.tolist() == [9]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"landmark_token": "</s>"}, r"landmark_token='</s>'.*vocabulary.*separator"),
        ({"start_token": "<s>"}, r"start_token='<s>'.*vocabulary"),
        ({"start_token": "[SEP]"}, r"both '\[SEP\]'.*two different"),
    ],
)
def test_tokens_must_be_in_the_vocabulary(tiny, changes, message):
    with pytest.raises(ConfigError, match=message):
        LandmarkTokenizer.load(tiny.folder, EncoderConfig(**changes))


def test_a_folder_without_tokenizer_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read.*save_pretrained"):
        LandmarkTokenizer.load(tmp_path, EncoderConfig())
