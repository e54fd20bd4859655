"""Ids, offsets, and what of a text never becomes a special token."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from lmk_encoder import tokenization
from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import ConfigError, ModelError
from lmk_encoder.landmarks import Interval, Sentences, Slices, landmark_spans
from lmk_encoder.tokenization import LandmarkTokenizer

CLS, LMK = 2, 3  # of the tiny tokenizer


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


@given(st.text(max_size=80), st.integers(1, 9), st.sampled_from([Interval, Slices, Sentences]))
@settings(deadline=None)
def test_real_tokenizers_give_spans_that_tile_any_text(
    tokenizer, byte_tokenizer, text, tokens, policy
):
    for each in (tokenizer, byte_tokenizer):
        ids, offsets = each.tokenize(text)
        spans = landmark_spans(text, offsets, policy(tokens))
        windows = each.layout(EncoderConfig()).windows(ids, spans, max_length=64, left_context=8)

        assert "".join(text[span.start : span.end] for span in spans) == text
        assert sum(len(window.landmarks) for window in windows) == len(spans)
        for window in windows:
            assert (window.ids[window.landmarks[:, 0]] == each.landmark_id).all()
            assert window.ids[0] == each.start_id
            assert len(window.ids) <= 64


def test_space_around_a_text_is_left_out_and_offsets_stay():
    """A byte-level tokenizer makes tokens of spaces; the checkpoint may say that it saw none."""
    vocabulary = {"<s>": 0, "</s>": 1, "<unk>": 2, "a": 3, " ": 4}
    inner = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>"))
    tokenizer = LandmarkTokenizer(inner, start_token="<s>", landmark_token="</s>", strip=True)
    tokens = tokenizer.tokenize("  a a \n")

    assert tokens.ids.tolist() == [3, 4, 3]
    assert tokens.offsets.tolist() == [[2, 3], [3, 4], [4, 5]]


def test_case_is_folded_and_offsets_stay():
    """The dotted capital I becomes two characters; the offsets are those of the text."""
    vocabulary = {"<s>": 0, "</s>": 1, "<unk>": 2, "a": 3, "b": 4}
    inner = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>"))
    tokenizer = LandmarkTokenizer(inner, start_token="", landmark_token="</s>", lowercase=True)
    tokens = tokenizer.tokenize("A\u0130B")

    assert tokens.ids.tolist()[0] == 3
    assert tokens.ids.tolist()[-1] == 4
    assert tokens.offsets.tolist()[-1] == [2, 3]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"landmark_token": "</s>"}, r"landmark_token='</s>'.*vocabulary.*separator"),
        ({"start_token": "<s>"}, r"start_token='<s>'.*vocabulary"),
        ({"end_token": "</s>"}, r"end_token='</s>'.*vocabulary"),
    ],
)
def test_tokens_must_be_in_the_vocabulary(tiny, changes, message):
    with pytest.raises(ConfigError, match=message):
        LandmarkTokenizer.load(tiny.folder, EncoderConfig(**changes))


def test_a_folder_without_tokenizer_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read.*save_pretrained"):
        LandmarkTokenizer.load(tmp_path, EncoderConfig())
