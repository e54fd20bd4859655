"""The whole path: texts to vectors, with a tiny random model and the built-in one."""

import json
import random
import shutil

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lmk_encoder.backbone import Backbone
from lmk_encoder.checkpoint import BUILTIN_FOLDER
from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import ConfigError, ModelError
from lmk_encoder.landmarks import Interval, Sentences, Slices, Syntax
from lmk_encoder.lazy import LazyEncoder
from lmk_encoder.testing import write_tiny_checkpoint
from lmk_encoder.types import TextInput

LONG = "Ab cd ef gh. Ij kl, mn op qr! St uv wx yz?\n" * 30


@pytest.fixture(scope="module")
def builtin():
    if not (BUILTIN_FOLDER / "model.safetensors").exists():
        pytest.skip("the built-in weights are not in this checkout")
    return LandmarkEncoder()


EIGHT = Interval(8)


def encode(encoder, *texts, policy=EIGHT):
    return encoder.encode_document([TextInput(text, policy) for text in texts])


def assert_sound(text, document, dimension):
    count = len(document.spans)
    assert document.vector.shape == (dimension,)
    assert document.landmark_vectors.shape == (count, dimension)
    assert document.vector.dtype == document.landmark_vectors.dtype == np.float32
    assert document.spans.dtype == np.int64
    np.testing.assert_allclose(np.linalg.norm(document.vector), 1, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(document.landmark_vectors, axis=1), 1, rtol=1e-5)
    assert "".join(text[start:end] for start, end in document.spans) == text


def test_vectors_are_the_states_at_the_landmarks(tiny):
    """Ids written by hand: [CLS] a b c LMK d e LMK, at an interval of four."""
    (document,) = encode(tiny, "a b c d e", policy=Interval(4))
    a, b, c, d, e = (4 + ord(letter) - 33 for letter in "abcde")
    model = Backbone.load(tiny.folder, device="cpu", dtype="float32")
    states = model.run(torch.tensor([[2, a, b, c, 3, d, e, 3]]))[0].numpy()
    landmarks = states[[4, 7]] / np.linalg.norm(states[[4, 7]], axis=1, keepdims=True)
    mean = (landmarks[0] + landmarks[1]) / 2

    np.testing.assert_allclose(document.landmark_vectors, landmarks, atol=1e-5)
    np.testing.assert_allclose(document.vector, mean / np.linalg.norm(mean), atol=1e-5)
    assert document.spans.tolist() == [[0, 6], [6, 9]]
    assert (document.num_tokens, document.num_windows) == (5, 1)


def test_raw_states_can_be_averaged_instead(tmp_path):
    write_tiny_checkpoint(tmp_path)
    config = json.loads((tmp_path / "lmk.json").read_text()) | {"normalize_landmarks": False}
    (tmp_path / "lmk.json").write_text(json.dumps(config))
    encoder = LandmarkEncoder(tmp_path, device="cpu", dtype="float32")
    (document,) = encode(encoder, "a b c d e", policy=Interval(4))
    a, b, c, d, e = (4 + ord(letter) - 33 for letter in "abcde")
    model = Backbone.load(tmp_path, device="cpu", dtype="float32")
    mean = model.run(torch.tensor([[2, a, b, c, 3, d, e, 3]]))[0, [4, 7]].numpy().mean(axis=0)

    np.testing.assert_allclose(document.vector, mean / np.linalg.norm(mean), atol=1e-5)


@pytest.mark.parametrize("text", ["", " \n ", "\x00\u200b"])
def test_a_text_without_tokens_has_one_landmark(tiny, text):
    (document,) = encode(tiny, text)

    assert document.spans.tolist() == [[0, len(text)]]
    assert_sound(text, document, tiny.dimension)


@pytest.mark.parametrize("policy", [Interval(8), Sentences(8), Syntax((43, 86), 8)])
def test_a_long_text_is_many_windows(tiny, policy):
    (document,) = encode(tiny, LONG, policy=policy)

    assert document.num_windows > 10
    assert document.num_tokens == tiny.count_tokens(LONG)
    assert_sound(LONG, document, tiny.dimension)


def test_the_document_vector_is_the_mean_of_all_windows(tiny):
    (document,) = encode(tiny, LONG)
    mean = document.landmark_vectors.mean(axis=0)

    np.testing.assert_allclose(document.vector, mean / np.linalg.norm(mean), atol=1e-6)


def test_the_first_window_does_not_depend_on_what_follows(tiny):
    """Windows are independent but for their context: the text after them changes nothing."""
    (short,) = encode(tiny, LONG + "x" * 400)
    (other,) = encode(tiny, LONG + "y" * 400)

    np.testing.assert_allclose(short.landmark_vectors[0], other.landmark_vectors[0], atol=1e-6)


def test_one_very_long_word(tiny):
    text = "x" * 3000
    (document,) = encode(tiny, text)

    assert_sound(text, document, tiny.dimension)


@given(
    st.text(
        st.sampled_from("ab. \né漢\u0301👨\u200d👩ᄒ\u1161\ud800") | st.characters(), max_size=200
    )
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_has_sound_vectors(tiny, text):
    assert_sound(text, encode(tiny, text, policy=Sentences(8))[0], tiny.dimension)


def test_the_vector_does_not_depend_on_the_batch(tiny):
    """Long beside short, in any order: the same numbers as each text alone."""
    texts = ["a", "a b c", LONG, "", "word " * 7, LONG[:200], "b"]
    order = random.Random(0).sample(range(len(texts)), len(texts))
    together = dict(zip(order, encode(tiny, *[texts[i] for i in order]), strict=True))

    for i, text in enumerate(texts):
        (alone,) = encode(tiny, text)
        np.testing.assert_allclose(together[i].vector, alone.vector, atol=1e-5)
        np.testing.assert_allclose(together[i].landmark_vectors, alone.landmark_vectors, atol=1e-5)


def test_nothing_is_padded_on_a_cpu_where_padding_costs(tiny, monkeypatch):
    run, masks = tiny._backbone.run, []

    def spy(ids, mask=None, read=None):
        masks.append(mask)
        return run(ids, mask, read)

    monkeypatch.setattr(tiny._backbone, "needs_equal_lengths", True)
    monkeypatch.setattr(tiny._backbone, "run", spy)
    encode(tiny, "a", "a b", "c", LONG)

    assert masks
    assert all(mask is None for mask in masks)


def test_padded_batches_give_the_same_vectors(tiny, monkeypatch):
    """What a GPU does: lengths mixed, padded and masked."""
    texts = ["a b", LONG[:100], "c", LONG[:150]]
    alone = encode(tiny, *texts)
    monkeypatch.setattr(
        "lmk_encoder.encoder.plan_batches", lambda lengths, **_: [tuple(range(len(lengths)))]
    )
    for padded, expected in zip(encode(tiny, *texts), alone, strict=True):
        np.testing.assert_allclose(padded.landmark_vectors, expected.landmark_vectors, atol=1e-5)


def test_breaks_reach_the_spans(tiny):
    (document,) = tiny.encode_document([TextInput("ab cd\nef", Interval(8), breaks=(6,))])

    assert document.spans.tolist() == [[0, 6], [6, 8]]


def test_a_text_is_read_behind_its_context(tiny):
    """Ids written by hand: [CLS] x y a b LMK c d e LMK, at an interval of four."""
    (document,) = tiny.encode_document([TextInput("a b c d e", Interval(4), context="x y\n")])
    x, y, a, b, c, d, e = (4 + ord(letter) - 33 for letter in "xyabcde")
    model = Backbone.load(tiny.folder, device="cpu", dtype="float32")
    states = model.run(torch.tensor([[2, x, y, a, b, 3, c, d, e, 3]]))[0].numpy()
    landmarks = states[[5, 9]] / np.linalg.norm(states[[5, 9]], axis=1, keepdims=True)
    mean = landmarks.mean(axis=0)

    assert document.spans.tolist() == [[0, 4], [4, 9]]
    np.testing.assert_allclose(document.landmark_vectors, landmarks, atol=1e-5)
    np.testing.assert_allclose(document.vector, mean / np.linalg.norm(mean), atol=1e-5)


def test_a_long_context_has_spans_of_its_own_which_do_not_count(tiny):
    """[CLS] p q r s LMK a b LMK: the first landmark speaks for nothing of the text."""
    (document,) = tiny.encode_document([TextInput("a b", Slices(4), context="p q r s\n")])
    p, q, r, s, a, b = (4 + ord(letter) - 33 for letter in "pqrsab")
    model = Backbone.load(tiny.folder, device="cpu", dtype="float32")
    state = model.run(torch.tensor([[2, p, q, r, s, 3, a, b, 3]]))[0, 8].numpy()
    assert document.spans.tolist() == [[0, 3]]
    np.testing.assert_allclose(document.vector, state / np.linalg.norm(state), atol=1e-5)


def test_the_context_is_no_part_of_a_mean_of_states(tiny):
    """[CLS] x y a b c: of mean pooling, too, only the text's own states count."""
    mean_pooled = {"pooling": "mean"}
    encoder = LandmarkEncoder(tiny.folder, device="cpu", dtype="float32", settings=mean_pooled)
    (document,) = encoder.encode_document([TextInput("a b c", EIGHT, context="x y\n")])
    x, y, a, b, c = (4 + ord(letter) - 33 for letter in "xyabc")
    model = Backbone.load(tiny.folder, device="cpu", dtype="float32")
    states = model.run(torch.tensor([[2, x, y, a, b, c]]))[0, 3:].numpy()
    mean = (states / np.linalg.norm(states, axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(document.vector, mean / np.linalg.norm(mean), atol=1e-5)


@pytest.mark.parametrize(
    ("texts", "named"),
    [("pump", "not one string"), (b"pump", "not one string"), (["pump", None], "None is in it")],
)
def test_what_is_no_list_of_strings_is_refused(tiny, texts, named):
    for encode_it in (tiny.encode, tiny.encode_query, LazyEncoder(tiny.folder).encode_query):
        with pytest.raises(TypeError, match=named):
            encode_it(texts)
    with pytest.raises(TypeError, match=r"'pump' is in it.*TextInput\(text, Interval\(\)\)"):
        tiny.encode_document(["pump"])


def test_texts_may_come_one_after_another(tiny):
    texts = ["who may open it?", "nobody"]
    for encode_it in (tiny.encode, tiny.encode_query, LazyEncoder(tiny.folder).encode_query):
        np.testing.assert_allclose(encode_it(iter(texts)), encode_it(texts), atol=1e-6)
    inputs = [TextInput(text, EIGHT) for text in texts]
    assert len(tiny.encode_document(iter(inputs))) == 2


def test_every_window_is_read_behind_the_context(tiny):
    (bare,) = encode(tiny, LONG)
    (behind,) = tiny.encode_document([TextInput(LONG, EIGHT, context="Of pumps.\n")])
    assert_sound(LONG, behind, tiny.dimension)
    assert behind.num_windows > 3
    assert sum(window.num_landmarks for window in behind.windows) == len(behind.spans)
    assert {window.digest for window in behind.windows}.isdisjoint(w.digest for w in bare.windows)


@pytest.mark.parametrize("text", ["", " \n", "a"])
def test_a_text_with_little_in_it_behind_a_context(tiny, text):
    (document,) = tiny.encode_document([TextInput(text, EIGHT, context="Of pumps.\n")])
    assert_sound(text, document, tiny.dimension)
    assert len(document.spans) == 1


def test_a_context_that_would_crowd_out_the_text_is_left_out(tiny):
    (bare,) = encode(tiny, "abc def")
    (crowded,) = tiny.encode_document([TextInput("abc def", EIGHT, context="x" * 40)])
    np.testing.assert_allclose(crowded.vector, bare.vector, atol=1e-6)


def test_progress_counts_every_token_once(tiny):
    calls = []
    tiny.encode_document(
        [TextInput(LONG, Interval(8)), TextInput("a", Interval(8))],
        progress=lambda stage, done, total: calls.append((stage, done, total)),
    )
    stages, done, totals = zip(*calls, strict=True)

    assert set(stages) == {"encode"}
    assert len(set(totals)) == 1
    assert list(done) == sorted(set(done))
    assert done[-1] == totals[0]


def test_a_query_is_one_span(tiny):
    """Its vector is its only landmark: [CLS] a b LMK."""
    ids = torch.tensor([[2, 4 + ord("a") - 33, 4 + ord("b") - 33, 3]])
    model = Backbone.load(tiny.folder, device="cpu", dtype="float32")
    state = model.run(ids)[0, 3].numpy()

    np.testing.assert_allclose(
        tiny.encode_query(["a b"])[0], state / np.linalg.norm(state), atol=1e-5
    )


def test_a_long_query_is_encoded_like_a_document(tiny):
    (document,) = encode(tiny, LONG, policy=Interval(tiny.config.granularity))

    np.testing.assert_allclose(tiny.encode_query([LONG])[0], document.vector, atol=1e-5)


def test_queries_keep_their_order(tiny):
    queries = ["c c c", "a", LONG, "b b"]
    together = tiny.encode_query(queries)

    assert together.shape == (4, tiny.dimension)
    for query, vector in zip(queries, together, strict=True):
        np.testing.assert_allclose(vector, tiny.encode_query([query])[0], atol=1e-5)


def test_nothing_to_encode(tiny):
    assert tiny.encode_query([]).shape == (0, tiny.dimension)
    assert tiny.encode_document([]) == []


def test_a_blank_query_is_refused(tiny):
    with pytest.raises(ValueError, match="blank"):
        tiny.encode_query(["a", " \n"])


def test_spans_too_long_for_the_window_are_refused(tiny):
    with pytest.raises(ConfigError, match=r"33 tokens.*windows of 64.*32 tokens or less"):
        encode(tiny, "a", policy=Interval(33))


def test_a_window_above_the_models_positions_is_refused(tmp_path):
    write_tiny_checkpoint(tmp_path, window_tokens=513)

    with pytest.raises(ConfigError, match=r"window_tokens=513.*512 positions.*512 or less"):
        LandmarkEncoder(tmp_path, device="cpu")


def test_values_that_are_not_finite_are_refused(tiny, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(tiny.folder, tmp_path / "model")
    weights = load_file(folder / "model.safetensors")
    for name in weights:
        weights[name] = torch.full_like(weights[name], float("nan"))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})

    with pytest.raises(ModelError, match=r"not finite.*float32"):
        encode(LandmarkEncoder(folder, device="cpu"), "a")


def test_bfloat16_agrees_with_float32(builtin):
    text = "The landmark closes a span. " * 60
    low = LandmarkEncoder(device="cpu", dtype="bfloat16")
    high = LandmarkEncoder(device="cpu", dtype="float32")
    (a,), (b,) = encode(low, text, policy=Sentences(64)), encode(high, text, policy=Sentences(64))

    assert (a.landmark_vectors * b.landmark_vectors).sum(axis=1).min() >= 0.999
    assert a.vector @ b.vector >= 0.9995


def test_bfloat16_does_not_depend_on_the_batch(builtin):
    encoder = LandmarkEncoder(device="cpu", dtype="bfloat16")
    texts = [f"Landmark number {i} closes a span of its own." for i in range(12)]
    together = encode(encoder, *texts, policy=Sentences(64))

    for text, document in zip(texts, together, strict=True):
        (alone,) = encode(encoder, text, policy=Sentences(64))
        assert alone.vector @ document.vector >= 0.9995


def test_the_built_in_model_finds_the_span(builtin):
    """Not a quality figure, but a sign that weights, layout and landmarks belong together."""
    text = (
        "Bread rises because yeast makes gas. "
        "Volcanoes erupt when magma reaches the surface. "
        "The bill was passed by the senate after a long debate. "
    )
    (document,) = encode(builtin, text, policy=Sentences(12))
    queries = ["why does dough grow?", "lava and eruptions", "parliament votes on a law"]
    scores = builtin.encode_query(queries) @ document.landmark_vectors.T

    assert len(document.spans) == 3
    assert scores.argmax(axis=1).tolist() == [0, 1, 2]
    assert builtin.dimension == 384
    assert builtin.max_window == 512


def test_vectors_that_were_cut_are_not_taken_for_whole_ones(tiny, monkeypatch):
    """The mean is of whole states: what was stored of them does not give it back."""
    short = LandmarkEncoder(tiny.folder, device="cpu", settings={"truncate_dim": 8})
    (fresh,) = encode(short, LONG)
    ends = np.cumsum([window.num_landmarks for window in fresh.windows])
    parts = np.split(fresh.landmark_vectors, ends[:-1])
    known = {window.digest: part for window, part in zip(fresh.windows, parts, strict=True)}

    passes = []
    run = Backbone.run
    monkeypatch.setattr(Backbone, "run", lambda *a: passes.append(len(a[1])) or run(*a))
    (again,) = short.encode_document([TextInput(LONG, EIGHT)], known=known)

    assert sum(passes) == fresh.num_windows > 3
    np.testing.assert_allclose(again.vector, fresh.vector, atol=1e-6)


def test_an_edited_text_encodes_only_windows_it_touches(tiny, monkeypatch):
    """The vectors of the rest are taken as stored, in float16; the result is as from nothing."""
    sentences = [f"word{i % 37} told {i * i % 91} things. " for i in range(200)]
    (old,) = encode(tiny, "".join(sentences), policy=Sentences(16))
    stored = old.landmark_vectors.astype(np.float16).astype(np.float32)
    ends = np.cumsum([window.num_landmarks for window in old.windows])
    parts = np.split(stored, ends[:-1])
    known = {window.digest: part for window, part in zip(old.windows, parts, strict=True)}
    sentences[100:100] = ["An insertion of some words. ", "And one more. "]
    text = TextInput("".join(sentences), Sentences(16))
    (fresh,) = tiny.encode_document([text])

    passes = []
    run = Backbone.run
    monkeypatch.setattr(Backbone, "run", lambda *a: passes.append(len(a[1])) or run(*a))
    (mended,) = tiny.encode_document([text], known=known)

    assert old.num_windows > 50
    assert sum(passes) < 0.2 * old.num_windows
    assert mended.windows == fresh.windows
    np.testing.assert_array_equal(mended.spans, fresh.spans)
    assert (mended.landmark_vectors * fresh.landmark_vectors).sum(axis=1).min() > 0.99999
    assert mended.vector @ fresh.vector > 0.99999
