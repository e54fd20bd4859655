"""One tiny real encoder for the whole folder: random weights, whole path."""

import pytest

from lmk_encoder.testing import tiny_encoder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """Windows of 64 ids, spans of 8 tokens; a word of n ASCII letters is n tokens."""
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))
