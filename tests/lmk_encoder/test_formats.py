"""Folders that others wrote: what is understood of them, and what is refused."""

import json
import logging
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from lmk_encoder.checkpoint import fingerprint
from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ConfigError, ModelError
from lmk_encoder.formats.authors import hinted_settings
from lmk_encoder.formats.info import describe, licence
from lmk_encoder.formats.reading import read_checkpoint
from lmk_encoder.landmarks import Slices
from lmk_encoder.types import TextInput

LIBRARY = "sentence_transformers.models"
CLS, SEP = 2, 3
TEXT = "abcdefghi"
IDS = [4 + ord(TEXT[0]) - 33, *(4 + 94 + ord(letter) - 33 for letter in TEXT[1:])]


def write(folder, name, values):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))


@pytest.fixture
def folder(transformer, tmp_path):
    return shutil.copytree(transformer, tmp_path / "model")


@pytest.fixture
def modules(folder):
    """Turns the folder into one of sentence-transformers, of modules by kind."""

    def build(*kinds, pooling=None, settings=None):
        paths = ["", *(f"{i}_{kind}" for i, kind in enumerate(kinds) if i)]
        entries = [
            {"idx": i, "name": str(i), "path": path, "type": f"{LIBRARY}.{kind}"}
            for i, (path, kind) in enumerate(zip(paths, kinds, strict=True))
        ]
        write(folder, "modules.json", entries)
        write(folder, "sentence_bert_config.json", settings or {"max_seq_length": 64})
        if "Pooling" in kinds:
            write(folder, f"{kinds.index('Pooling')}_Pooling/config.json", pooling or {})
        return folder

    return build


@pytest.fixture
def plain(modules):
    return modules("Transformer", "Pooling", "Normalize", pooling={"pooling_mode": "mean"})


@pytest.mark.parametrize(
    ("values", "pooling"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, "mean"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_lasttoken": True}, "last"),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
        ({"pooling_mode": ["lasttoken"]}, "last"),
        ({}, "mean"),
    ],
)
def test_pooling_modes_of_the_library_old_and_new(modules, values, pooling):
    config = read_checkpoint(modules("Transformer", "Pooling", "Normalize", pooling=values)).config

    assert config.pooling == pooling
    assert (config.start_token, config.end_token) == ("[CLS]", "[SEP]")
    assert config.window_tokens == 64
    assert not config.normalize_landmarks


@pytest.mark.parametrize(
    ("kinds", "values", "message"),
    [
        (("Transformer", "Pooling"), {"pooling_mode": "max"}, "pooling by max"),
        (("Transformer", "Pooling"), {"pooling_mode": ["cls", "mean"]}, "cls and mean"),
        (("Transformer", "Pooling", "CNN"), {"pooling_mode": "mean"}, "the module CNN"),
        (("StaticEmbedding",), {}, "the module StaticEmbedding"),
    ],
)
def test_what_is_not_supported_is_named(modules, kinds, values, message):
    with pytest.raises(ModelError, match=rf"{message}.*not supported.*Transformer, Pooling"):
        read_checkpoint(modules(*kinds, pooling=values))


@pytest.mark.parametrize("content", ["{", "[]", "[{}]", '[{"path": "../x", "type": "a.B"}]'])
def test_damaged_modules_are_named(folder, content):
    (folder / "modules.json").write_text(content)

    with pytest.raises(ModelError, match=r"modules\.json"):
        read_checkpoint(folder)


def test_prompts_case_and_window_are_taken(plain):
    settings = {"max_seq_length": 9999, "do_lower_case": True}
    write(plain, "sentence_bert_config.json", settings)
    prompts = {"prompts": {"query": "q: ", "passage": "p: "}}
    write(plain, "config_sentence_transformers.json", prompts)
    checkpoint = read_checkpoint(plain)
    config = checkpoint.config

    assert (config.query_prompt, config.document_prompt, config.lowercase) == ("q: ", "p: ", True)
    assert config.window_tokens == 512
    assert checkpoint.notes == ("max_seq_length=9999 is above the model's 512 positions.",)


def test_the_window_may_stand_beside_the_tokenizer(plain):
    """As version 6 of the library saves it."""
    write(plain, "sentence_bert_config.json", {"transformer_task": "feature-extraction"})

    assert read_checkpoint(plain).config.window_tokens == 128


A = {"splitter_type": "fixed", "splitter_granularity": 4, "lmk_token_id": SEP}
B = {"eval_splitter_granularity": 4, "train_splitter_granularity": None, "lmk_token_id": SEP}
C = {"landmark_interval": 4, "train_landmark_interval": [4, 8], "lmk_token_id": None}


@pytest.mark.parametrize(
    ("variant", "keys", "ids", "pooled"),
    [
        ("A", A, [CLS, *IDS[:4], SEP, *IDS[4:8], SEP, *IDS[8:], SEP], [5, 10, 12]),
        ("B", B, [CLS, *IDS[:4], SEP, *IDS[4:8], SEP, *IDS[8:], SEP], [5, 10, 12]),
        ("C", C, [CLS, *IDS[:4], SEP, *IDS[4:8], SEP, *IDS[8:], SEP, SEP], [5, 10, 12, 13]),
    ],
)
def test_the_three_drafts_with_landmarks_are_told_apart_by_their_keys(
    modules, variant, keys, ids, pooled
):
    """The same weights, three vectors: each as its own code computes it."""
    folder = modules(
        "LandmarkTransformer",
        "Pooling",
        "Normalize",
        pooling={"pooling_mode_lmk": True, "lmk_token_id": SEP},
        settings={"max_seq_length": 64} | keys,
    )
    encoder = LandmarkEncoder(folder, device="cpu", dtype="float32")
    states = states_of(encoder, ids)[pooled].mean(axis=0)

    assert encoder.config.variant == variant
    assert encoder.config.granularity == 4
    assert encoder.config.landmark_token == "[SEP]"
    np.testing.assert_allclose(
        encoder.encode([f"  {TEXT}\n"])[0], states / np.linalg.norm(states), atol=1e-5
    )


def states_of(encoder, ids):
    return encoder._backbone.run(torch.tensor([ids]))[0].float().numpy()


def test_what_a_draft_gets_wrong_is_said(modules, caplog):
    folder = modules(
        "LandmarkTransformer",
        "Pooling",
        pooling={"pooling_mode_lmk": True, "lmk_token_id": -1, "include_prompt": False},
        settings={"splitter_type": "variable", "splitter_granularity": [64, 32], "lmk_token_id": 3},
    )
    with caplog.at_level(logging.WARNING):
        config = LandmarkEncoder(folder, device="cpu").config

    assert config.granularity == 32
    assert config.include_prompt
    for words in ("drawn anew", "lmk_token_id=-1", "include_prompt=false", "no Normalize"):
        assert words in caplog.text


def test_the_landmark_of_draft_c_may_be_any_token(modules):
    folder = modules("LandmarkTransformer", settings=C | {"lmk_token_id": 10})

    assert read_checkpoint(folder).config.landmark_token == "'"
    with pytest.raises(ModelError, match="lmk_token_id=9999"):
        read_checkpoint(modules("LandmarkTransformer", settings=C | {"lmk_token_id": 9999}))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("a_lmk_var_gran_32_64_128_256", {"pooling": "landmark", "granularity": 32}),
        ("a_lmk_fixed_gran_128", {"pooling": "landmark", "granularity": 128}),
        ("a_lmk_var_gran_64_128", {"pooling": "landmark", "granularity": 64}),
        ("a_lmk_en_gran_empty", {"pooling": "landmark", "chunks": "sentences", "query_tokens": 1}),
        ("8_npsg_cls_gran_empty", {"pooling": "cls"}),
        ("8_npsg_latent_attn_gran_empty", {"pooling": "latent"}),
        ("8_npsg_every_64_gran_empty", {"pooling": "every_k", "granularity": 64}),
        ("mean_reversion_study", {}),
        ("classic", {}),
    ],
)
def test_the_authors_put_the_pooling_into_the_name(name, settings):
    assert hinted_settings(name) == settings


def test_the_authors_output_is_read(folder, tmp_path):
    """One module, no pooling; the model lies in ``best``, the hint in the name of the run."""
    entries = [{"idx": 0, "name": "0", "path": "", "type": f"{LIBRARY}.Transformer"}]
    write(folder, "modules.json", entries)
    run = tmp_path / "gte_lmk_fixed_gran_16"
    run.mkdir()
    folder.rename(run / "best")
    checkpoint = read_checkpoint(run)

    assert checkpoint.folder == run / "best"
    assert checkpoint.config.pooling == "landmark"
    assert (checkpoint.config.granularity, checkpoint.config.query_tokens) == (16, 16)
    assert (checkpoint.config.chunks, checkpoint.config.end_token) == ("fixed", "")
    assert "lmk_fixed_gran_16" in checkpoint.notes[0]


def test_settings_win_over_keys_and_keys_over_hints(folder, plain, tmp_path):
    named = plain.rename(tmp_path / "a_lmk_fixed_gran_16")

    assert read_checkpoint(named).config.pooling == "mean"
    assert read_checkpoint(named, {"pooling": "cls"}).config.pooling == "cls"
    write(named, "lmk.json", {"query_prompt": "q: ", "granularity": 20})
    config = read_checkpoint(named, {"granularity": 10}).config
    assert (config.pooling, config.query_prompt, config.granularity) == ("mean", "q: ", 10)


def test_a_plain_transformer_is_averaged_with_a_warning(folder, caplog):
    with caplog.at_level(logging.WARNING):
        encoder = LandmarkEncoder(folder, device="cpu", dtype="float32")

    assert encoder.config.pooling == "mean"
    assert "does not say how to pool" in caplog.text
    states = states_of(encoder, [CLS, *IDS, SEP]).mean(axis=0)
    np.testing.assert_allclose(
        encoder.encode([TEXT])[0], states / np.linalg.norm(states), atol=1e-5
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pooling": "max"}, r"pooling='max'.*landmark, cls, mean"),
        ({"pooling": "landmark", "granularity": 0}, r"granularity=0"),
        ({"landmark_token": "<lmk>"}, r"landmark_token='<lmk>'.*vocabulary"),
        ({"window_tokens": 513}, r"window_tokens=513.*512 positions"),
        ({"chunks": "words"}, r"chunks='words'.*balanced, fixed, sentences"),
    ],
)
def test_wrong_settings_are_named(folder, settings, message):
    with pytest.raises(ConfigError, match=message):
        LandmarkEncoder(folder, device="cpu", settings=settings)


def test_layers_behind_the_pooling(modules):
    folder = modules(
        "Transformer", "Pooling", "Dense", "Normalize", pooling={"pooling_mode": "mean"}
    )
    torch.manual_seed(0)
    weight, bias = torch.randn(16, 32), torch.randn(16)
    activation = "torch.nn.modules.activation.Tanh"
    (folder / "2_Dense").mkdir(exist_ok=True)
    write(folder, "2_Dense/config.json", {"out_features": 16, "activation_function": activation})
    save_file(
        {"linear.weight": weight, "linear.bias": bias}, folder / "2_Dense" / "model.safetensors"
    )
    encoder = LandmarkEncoder(folder, device="cpu", dtype="float32")
    (document,) = encoder.encode_document([TextInput(TEXT, Slices(4))])
    states = states_of(encoder, [CLS, *IDS, SEP])

    def behind(mean):
        value = np.tanh(mean @ weight.numpy().T + bias.numpy())
        return value / np.linalg.norm(value)

    assert encoder.dimension == 16
    np.testing.assert_allclose(document.vector, behind(states.mean(axis=0)), atol=1e-5)
    np.testing.assert_allclose(
        document.landmark_vectors[0], behind(states[1:5].mean(axis=0)), atol=1e-5
    )
    write(folder, "2_Dense/config.json", {"out_features": 16, "activation_function": "os.system"})
    with pytest.raises(ModelError, match=r"activation system.*not supported"):
        LandmarkEncoder(folder, device="cpu")


def test_prompts_are_put_before_texts(plain):
    settings = {"query_prompt": "q: ", "document_prompt": "d: "}
    encoder = LandmarkEncoder(plain, device="cpu", dtype="float32", settings=settings)
    bare = LandmarkEncoder(plain, device="cpu", dtype="float32")
    long = "ab cd ef. " * 40
    (document,) = encoder.encode_document([TextInput(long, Slices(8))])

    np.testing.assert_allclose(encoder.encode_query(["abc"]), bare.encode(["q: abc"]), atol=1e-5)
    np.testing.assert_allclose(encoder.encode(["abc"]), bare.encode(["d: abc"]), atol=1e-5)
    np.testing.assert_allclose(encoder.encode(["abc"], prompt=""), bare.encode(["abc"]), atol=1e-5)
    assert "".join(long[start:end] for start, end in document.spans) == long
    assert len(document.spans) == len(document.landmark_vectors)
    assert document.num_windows > 3


def test_a_prompt_longer_than_an_interval_has_spans_of_its_own(folder):
    """They speak for no character of the text, and are not given."""
    settings = {"pooling": "landmark", "document_prompt": "a prompt of many letters: "}
    encoder = LandmarkEncoder(folder, device="cpu", dtype="float32", settings=settings)
    (document,) = encoder.encode_document([TextInput("abc def", Slices(4))])
    (empty,) = encoder.encode_document([TextInput("", Slices(4))])

    assert document.spans[0][0] == 0
    assert document.spans[-1][1] == 7
    assert sum(window.num_landmarks for window in document.windows) == len(document.spans)
    assert empty.spans.tolist() == [[0, 0]]


def test_a_prompt_may_be_left_out_of_the_mean(plain):
    settings = {"document_prompt": "abcd", "include_prompt": False}
    encoder = LandmarkEncoder(plain, device="cpu", dtype="float32", settings=settings)
    states = states_of(encoder, [CLS, *IDS, SEP])[5:].mean(axis=0)

    np.testing.assert_allclose(
        encoder.encode(["efghi"])[0], states / np.linalg.norm(states), atol=1e-5
    )


def test_leading_dimensions_can_be_kept_alone(plain):
    whole = LandmarkEncoder(plain, device="cpu", dtype="float32")
    part = LandmarkEncoder(plain, device="cpu", dtype="float32", settings={"truncate_dim": 8})
    expected = whole.encode([TEXT])[:, :8]

    assert part.dimension == 8
    assert part.fingerprint != whole.fingerprint
    np.testing.assert_allclose(part.encode([TEXT]), expected / np.linalg.norm(expected), atol=1e-6)


def test_texts_can_be_cut_as_libraries_do(plain):
    """Twelve ids at most: the start token, ten letters of the text, and the end token."""
    encoder = LandmarkEncoder(plain, device="cpu", dtype="float32")
    text = "abcdefghijklmnop"

    np.testing.assert_allclose(
        encoder.encode([text], max_tokens=12), encoder.encode([text[:10]]), atol=1e-5
    )
    with pytest.raises(ConfigError, match=r"max_tokens=513.*512 positions"):
        encoder.encode([text], max_tokens=513)


def test_older_files_of_weights_load(folder):
    """The same vectors from pytorch_model.bin; another fingerprint, as the bytes differ."""
    before = LandmarkEncoder(folder, device="cpu", dtype="float32")
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    after = LandmarkEncoder(folder, device="cpu", dtype="float32")

    np.testing.assert_allclose(after.encode([TEXT]), before.encode([TEXT]), atol=1e-6)
    assert describe(after.checkpoint).parameters == describe(before.checkpoint).parameters


def test_a_model_in_a_folder_of_its_own_is_found(folder, tmp_path):
    """As early versions of the library wrote it: modules.json beside 0_Transformer."""
    outer = tmp_path / "outer"
    outer.mkdir()
    folder.rename(outer / "0_Transformer")
    entries = [
        {"idx": 0, "name": "0", "path": "0_Transformer", "type": f"{LIBRARY}.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{LIBRARY}.Pooling"},
    ]
    write(outer, "modules.json", entries)
    write(outer, "1_Pooling/config.json", {"pooling_mode": "cls"})

    assert LandmarkEncoder(outer, device="cpu").encode(["a"]).shape == (1, 32)


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"garbage that is no model at all",
        b"\xff" * 7 + b"\x0f{}",
        (2).to_bytes(8, "little") + b"[]",
        (17).to_bytes(8, "little") + b'{"w":{"shape":1}}',
        (60_000).to_bytes(8, "little") + b"[" * 60_000,
    ],
)
def test_weights_that_are_none_are_told_by_their_file(folder, name, content):
    checkpoint = read_checkpoint(folder)
    for file in checkpoint.weight_files():
        file.unlink()
    (folder / name).write_bytes(content)
    with pytest.raises(ModelError, match=rf"{name} cannot be read"):
        describe(checkpoint)


def test_a_model_is_described(plain):
    (plain / "README.md").write_text("---\nlanguage: en\nlicense: mit\n---\nA model.\n")
    info = describe(read_checkpoint(plain))

    assert (info.architecture, info.pooling) == ("jina_embeddings_v3", "mean")
    assert (info.window_tokens, info.positions, info.dimension) == (64, 512, 32)
    assert info.parameters == sum(
        value.numel() for value in load_file(plain / "model.safetensors").values()
    )
    assert (info.weights_dtype, info.licence) == ("F32", "mit")
    assert info.fingerprint == fingerprint(read_checkpoint(plain))
    assert "late chunking" in info.local_vectors


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- **Licence**: Apache-2.0 (see NOTICE).", "Apache-2.0"),
        ("Released under the MIT license.", ""),
        ("License: MIT", "MIT"),
        ("nothing", ""),
    ],
)
def test_a_licence_is_found_in_words(tmp_path, text, expected):
    (tmp_path / "README.md").write_text(text)

    assert licence(tmp_path) == expected
