"""The checkpoint that memory is measured with."""

import numpy as np

from benchmarks.harness.shallow import write_one_layer
from lmk_encoder import Interval, LandmarkEncoder, TextInput


def test_one_layer_is_as_wide_and_cuts_as_the_builtin_model_does(tmp_path):
    write_one_layer(tmp_path / "one")
    one, whole = LandmarkEncoder(tmp_path / "one"), LandmarkEncoder()
    text = [TextInput("The ferry leaves at noon, and comes back at six. " * 40, Interval(64))]

    (cut,), (full,) = one.encode_document(text), whole.encode_document(text)

    assert (one.dimension, one.max_window) == (whole.dimension, whole.max_window)
    assert np.array_equal(cut.spans, full.spans)
    assert cut.num_tokens == full.num_tokens
    assert cut.landmark_vectors.shape == full.landmark_vectors.shape
    assert not np.allclose(cut.landmark_vectors, full.landmark_vectors, atol=0.1)
