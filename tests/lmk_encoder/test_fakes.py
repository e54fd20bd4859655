"""The shipped fakes keep the promises of the real encoder."""

import numpy as np
import pytest

from lmk_encoder.landmarks import Interval, Sentences
from lmk_encoder.testing import KeywordEncoder, tiny_encoder
from lmk_encoder.types import DocumentEncoder, TextInput


def test_both_are_document_encoders(tiny):
    encoders: list[DocumentEncoder] = [KeywordEncoder(), tiny]

    for encoder in encoders:
        (document,) = encoder.encode_document([TextInput("Cats sit. Dogs run.", Sentences(4))])
        assert document.vector.shape == encoder.encode_query(["cats"])[0].shape


def test_texts_that_share_words_are_near():
    encoder = KeywordEncoder()
    (document,) = encoder.encode_document([TextInput("Cats sit.\nDogs run.\n", Interval(3))])

    scores = encoder.encode_query(["CATS", "the dogs"]) @ document.landmark_vectors.T
    assert scores.argmax(axis=1).tolist() == [0, 1]
    assert document.spans.tolist() == [[0, 10], [10, 20]]


def test_calls_and_texts_are_counted():
    encoder = KeywordEncoder()
    encoder.encode_document([TextInput("a", Interval()), TextInput("", Interval())])
    encoder.encode_query(["a"])

    assert (encoder.calls, encoder.encoded_texts) == (2, 2)


def test_empty_texts_have_a_vector_and_blank_queries_none():
    encoder = KeywordEncoder()
    (document,) = encoder.encode_document([TextInput("", Interval())])

    assert np.linalg.norm(document.vector) == 1
    with pytest.raises(ValueError, match="blank"):
        encoder.encode_query([" "])


def test_tiny_encoders_of_one_seed_are_equal(tmp_path):
    first, again = tiny_encoder(tmp_path / "a"), tiny_encoder(tmp_path / "b")
    other = tiny_encoder(tmp_path / "c", seed=1)

    assert first.fingerprint == again.fingerprint != other.fingerprint
