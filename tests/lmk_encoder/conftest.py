"""One tiny real encoder for the whole folder: random weights, whole path."""

import pytest
from hypothesis import settings

from lmk_encoder.testing import tiny_encoder

# No deadline: a busy machine is slow now and then, and that is no fault of the code.
settings.register_profile("lmk_encoder", deadline=None)
settings.load_profile("lmk_encoder")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """Windows of 64 ids, spans of 8 tokens; a word of n ASCII letters is n tokens."""
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))
