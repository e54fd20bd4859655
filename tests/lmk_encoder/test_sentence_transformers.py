"""A folder we save is a model of sentence-transformers, with the same vectors."""

import json
import shutil
from dataclasses import asdict

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from lmk_encoder.checkpoint import BUILTIN_FOLDER
from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ConfigError
from lmk_encoder.formats.authors import LATENT_FOLDER
from lmk_encoder.formats.info import describe
from lmk_encoder.formats.reading import read_checkpoint
from lmk_encoder.latent import LatentAttention

library = pytest.importorskip("sentence_transformers")

TEXTS = ["a b c", "", "Hello, world!", "ab cd ef. " * 60, "x"]
PROMPTS = {"query_prompt": "q: ", "document_prompt": "d: "}


@pytest.fixture(scope="module", autouse=True)
def offline():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


def theirs(folder, **options):
    return library.SentenceTransformer(str(folder), device="cpu", **options)


def ours(folder, **settings):
    return LandmarkEncoder(folder, device="cpu", dtype="float32", settings=settings)


@pytest.fixture
def with_latents(transformer, tmp_path):
    """The transformer with a latent attention module of random weights behind it."""
    folder = shutil.copytree(transformer, tmp_path / "latents")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = LatentAttention(32, latents=8, heads=2, head_width=32)
    (folder / LATENT_FOLDER).mkdir()
    (folder / LATENT_FOLDER / "config.json").write_text(json.dumps(module.settings))
    save_file(module.state_dict(), folder / LATENT_FOLDER / "model.safetensors")
    return folder


def test_the_library_gives_the_same_vectors_behind_latent_attention(with_latents, tmp_path):
    ours(with_latents, pooling="latent", **PROMPTS).save(tmp_path / "saved")
    encoder, model = ours(tmp_path / "saved"), theirs(tmp_path / "saved", trust_remote_code=True)
    mean = ours(with_latents, pooling="mean")

    np.testing.assert_allclose(model.encode_document(TEXTS), encoder.encode(TEXTS), atol=1e-5)
    apart = (encoder.encode(TEXTS, prompt="") * mean.encode(TEXTS)).sum(axis=1)
    assert apart.max() < 0.999  # the module is there, and does something


@pytest.mark.parametrize("pooling", ["landmark", "every_k", "multicls", "mean", "cls", "last"])
def test_the_library_gives_the_same_vectors(transformer, tmp_path, pooling):
    """With our module for what it does not know; with its own for mean, cls and lasttoken, then
    for texts that fit the window, which it would cut."""
    ours(transformer, pooling=pooling, **PROMPTS).save(tmp_path / "saved")
    encoder = ours(tmp_path / "saved")
    needs_us = pooling in ("landmark", "every_k", "multicls")
    model = theirs(tmp_path / "saved", trust_remote_code=needs_us)
    texts = TEXTS if needs_us else [text for text in TEXTS if len(text) < 60]

    assert type(model[0]).__module__.startswith("lmk_encoder") == needs_us
    for their_vectors, our_vectors in (
        (model.encode(texts), encoder.encode(texts, prompt="")),
        (model.encode_document(texts), encoder.encode(texts)),
        (model.encode_query(texts), encoder.encode(texts, is_query=True)),
    ):
        np.testing.assert_allclose(their_vectors, our_vectors, atol=1e-5)
    assert model.max_seq_length == encoder.max_window
    assert model.get_embedding_dimension() == encoder.dimension


def test_the_library_asks_before_it_imports_our_module(transformer, tmp_path):
    ours(transformer, pooling="landmark").save(tmp_path / "saved")

    with pytest.raises(ValueError, match="trust_remote_code=True"):
        theirs(tmp_path / "saved")


def test_the_library_saves_what_it_loaded(transformer, tmp_path):
    ours(transformer, pooling="landmark", **PROMPTS).save(tmp_path / "saved")
    theirs(tmp_path / "saved", trust_remote_code=True).save(str(tmp_path / "again"))
    again = theirs(tmp_path / "again", trust_remote_code=True, truncate_dim=8)

    assert ours(tmp_path / "again").fingerprint == ours(tmp_path / "saved").fingerprint
    np.testing.assert_allclose(
        again.encode_query(TEXTS[:1], normalize_embeddings=True),
        ours(tmp_path / "saved", truncate_dim=8).encode_query(TEXTS[:1]),
        atol=1e-5,
    )


def test_number_type_and_inputs(transformer, tmp_path):
    ours(transformer, pooling="landmark").save(tmp_path / "saved")
    model = theirs(tmp_path / "saved", trust_remote_code=True, model_kwargs={"dtype": "bfloat16"})
    vectors = model.encode(TEXTS)

    assert model[0].encoder.dtype == "bfloat16"
    assert ((vectors * ours(tmp_path / "saved").encode(TEXTS)).sum(axis=1) > 0.99).all()
    with pytest.raises(TypeError, match="must be a string, not int"):
        model[0].preprocess([1])


def test_a_saved_folder_says_all_its_settings(transformer, tmp_path):
    encoder = ours(transformer, pooling="landmark", granularity=16, **PROMPTS)
    encoder.save(tmp_path / "deep" / "saved")
    written = json.loads((tmp_path / "deep" / "saved" / "lmk.json").read_text())
    saved = ours(tmp_path / "deep" / "saved")

    assert written == asdict(encoder.config) | {"name": encoder.name}
    assert saved.fingerprint == encoder.fingerprint
    assert describe(saved.checkpoint).layout.startswith("lmk")
    with pytest.raises(ConfigError, match="not empty"):
        encoder.save(tmp_path / "deep" / "saved")


def test_the_built_in_model_is_such_a_folder():
    if not (BUILTIN_FOLDER / "model.safetensors").exists():
        pytest.skip("the built-in weights are not in this checkout")
    texts = ["how does dough rise?", "Landmarks close spans. " * 12]
    model = theirs(BUILTIN_FOLDER, trust_remote_code=True)

    np.testing.assert_allclose(model.encode(texts), ours(BUILTIN_FOLDER).encode(texts), atol=1e-5)
    assert read_checkpoint().notes == ()
