"""``import lmk_encoder`` is cheap, and offers what it says."""

import subprocess
import sys

import pytest

import lmk_encoder


@pytest.mark.parametrize("name", lmk_encoder.__all__)
def test_every_public_name_is_there(name):
    assert getattr(lmk_encoder, name) is not None
    assert name in dir(lmk_encoder)


def test_no_other_name_is_there():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        lmk_encoder.nonsense  # noqa: B018


def test_light_names_do_not_load_torch():
    code = (
        "import sys\n"
        "from lmk_encoder import Interval, Sentences, Syntax, TextInput, EncodedDocument\n"
        "from lmk_encoder.testing import KeywordEncoder\n"
        "KeywordEncoder().encode_document([TextInput('a', Interval())])\n"
        "assert not {'torch', 'transformers', 'tokenizers', 'lancedb'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
