"""The encoder that loads its model only to encode."""

import subprocess
import sys

import numpy as np
import pytest

from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ModelError
from lmk_encoder.lazy import LazyEncoder
from lmk_encoder.testing import write_tiny_checkpoint


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("tiny")
    write_tiny_checkpoint(path)
    return path


def test_it_is_the_same_encoder(folder):
    lazy, eager = LazyEncoder(folder), LandmarkEncoder(folder, dtype="float32")
    assert (lazy.name, lazy.dimension, lazy.fingerprint) == (
        eager.name,
        eager.dimension,
        eager.fingerprint,
    )
    both = [encoder.encode_query(["a b"]) for encoder in (lazy, eager)]
    np.testing.assert_allclose(*both, atol=1e-5)
    assert lazy.count_tokens("a b") == eager.count_tokens("a b")


def test_its_identity_needs_no_torch():
    code = (
        "import sys; from lmk_encoder.lazy import LazyEncoder; e = LazyEncoder();"
        "print(e.dimension, len(e.fingerprint), e.name, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[:2] == ["384", "64"]
    assert done.stdout.split()[-1] == "False"


def test_a_folder_that_is_no_checkpoint_is_refused_at_once(tmp_path):
    with pytest.raises(ModelError, match="no weights"):
        LazyEncoder(tmp_path)


def test_a_checkpoint_that_hides_its_size_is_refused_with_the_file(folder, tmp_path):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"config\.json does not tell"):
        _ = LazyEncoder(tmp_path).dimension
