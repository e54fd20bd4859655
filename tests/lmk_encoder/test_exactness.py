"""What a vector may depend on: the text, and nothing else. And what odd texts give."""

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.landmarks import Interval, Sentences, Slices
from lmk_encoder.types import TextInput

POOLINGS = ("landmark", "mean", "cls", "last", "every_k", "multicls")
POLICIES = (Interval(8), Slices(8), Sentences(8))
TEXTS = st.text(st.sampled_from("ab. \n[]é漢\u0301") | st.characters(), max_size=120)


@pytest.fixture(scope="module", params=POOLINGS)
def encoder(request, transformer):
    return LandmarkEncoder(
        transformer,
        device="cpu",
        dtype="float32",
        settings={"pooling": request.param, "window_tokens": 48, "left_context_tokens": 6},
    )


def assert_same(document, other, atol=1e-5):
    np.testing.assert_allclose(document.vector, other.vector, atol=atol)
    np.testing.assert_allclose(document.landmark_vectors, other.landmark_vectors, atol=atol)
    assert document.spans.tolist() == other.spans.tolist()


@given(texts=st.lists(TEXTS, min_size=2, max_size=6), seed=st.randoms(use_true_random=False))
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_a_vector_depends_on_no_neighbour_and_no_order(encoder, texts, seed):
    inputs = [TextInput(text, seed.choice(POLICIES)) for text in texts]
    alone = [encoder.encode_document([text])[0] for text in inputs]
    order = seed.sample(range(len(inputs)), len(inputs))
    together = encoder.encode_document([inputs[i] for i in order])

    for place, index in enumerate(order):
        assert_same(together[place], alone[index])
        start_ends = together[place].spans
        text = texts[index]
        assert "".join(text[start:end] for start, end in start_ends) == text


def test_a_vector_does_not_depend_on_threads(encoder):
    text = TextInput("ab cd ef. " * 30, Interval(8))
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        (one,) = encoder.encode_document([text])
        torch.set_num_threads(2)
        (two,) = encoder.encode_document([text])
    finally:
        torch.set_num_threads(threads)

    assert_same(one, two)


def test_bfloat16_depends_on_no_neighbour(transformer):
    for pooling in POOLINGS:
        encoder = LandmarkEncoder(
            transformer, device="cpu", dtype="bfloat16", settings={"pooling": pooling}
        )
        texts = ["a", "ab cd ef. " * 20, "", "hello there", "x y z " * 9]
        together = encoder.encode(texts)
        alone = np.concatenate([encoder.encode([text]) for text in texts])
        assert (together * alone).sum(axis=1).min() >= 0.9995


def test_the_vector_of_a_long_text_is_the_mean_over_its_windows(encoder):
    """Of all states that are read, each once, whatever window they were in."""
    text = "ab cd ef gh ij. " * 30
    (document,) = encoder.encode_document([TextInput(text, Interval(8))])
    prepared = encoder._preparation.text(TextInput(text, Interval(8)), "")
    states = [
        encoder._backbone.run(torch.tensor(window.ids)[None])[0].numpy()[window.pooled]
        for window in prepared.windows
    ]
    mean = np.concatenate(states).mean(axis=0)

    assert len(prepared.windows) > 5
    np.testing.assert_allclose(document.vector, mean / np.linalg.norm(mean), atol=1e-5)


ODD = {
    "empty": "",
    "one token": "a",
    "white space": " \n\t\u2003 ",
    "special tokens only": "[CLS][SEP][PAD]",
    "unknown only": "漢字",
    "nothing a tokenizer keeps": "\x00\u200b\ufeff",
    "lone surrogates": "\ud800\udfff",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_texts_have_vectors_and_one_landmark_at_least(encoder, name):
    text = ODD[name]
    (document,) = encoder.encode_document([TextInput(text, Interval(8))])

    assert len(document.spans) >= 1
    assert "".join(text[start:end] for start, end in document.spans) == text
    np.testing.assert_allclose(np.linalg.norm(document.vector), 1, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(document.landmark_vectors, axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(encoder.encode([text])[0], document.vector, atol=1e-2)


def test_blank_texts_are_all_the_same_text(encoder):
    vectors = encoder.encode(["", " ", "\n\n\t"])

    np.testing.assert_allclose(vectors[1:], vectors[[0, 0]], atol=1e-6)


def test_a_special_token_written_out_is_text(encoder):
    """It has the tokens of its letters: no more like the empty text than other words."""
    assert encoder.count_tokens("[SEP]") == 5
    assert not np.allclose(encoder.encode(["[SEP]"]), encoder.encode([""]), atol=1e-3)


@pytest.mark.slow
def test_ten_megabytes_in_one_line(transformer):
    """One word, which is unknown piece by piece; and white space, of which nothing is left."""
    encoder = LandmarkEncoder(
        transformer, device="cpu", dtype="float32", settings={"pooling": "landmark"}
    )
    for text in ("x" * 10_000_000, " " * 10_000_000):
        (document,) = encoder.encode_document([TextInput(text, Interval(8))])
        assert document.spans[0][0] == 0
        assert document.spans[-1][1] == len(text)
        assert (document.spans[1:, 0] == document.spans[:-1, 1]).all()
        np.testing.assert_allclose(np.linalg.norm(document.vector), 1, rtol=1e-5)
