"""Faults that users of other tools met with tokens, windows and vectors: a test each, by number."""

import numpy as np
import pytest
import torch

from indexer import DocumentIndex
from lmk_encoder.borders import is_grapheme_border
from lmk_encoder.checkpoint import BUILTIN_FOLDER
from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.landmarks import Interval, Sentences, Syntax
from lmk_encoder.testing import KeywordEncoder, tiny_encoder
from lmk_encoder.types import TextInput

CJK = "検索する文書は長い。" * 40
CODE = "def f(x):\n    return [i ** 2 for i in range(x) if i % 3]\n\n\n" * 20


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Windows of 64 ids; a word of n ASCII letters is n tokens."""
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def builtin():
    if not (BUILTIN_FOLDER / "model.safetensors").exists():
        pytest.skip("the built-in weights are not in this checkout")
    return LandmarkEncoder()


def encode(encoder, text, policy):
    (document,) = encoder.encode_document([TextInput(text, policy)])
    return document


def test_22_the_end_of_a_long_document_is_found(builtin):
    """Ten times the model's window: every token is in a window, and the last words are found."""
    filler = "The committee met on Monday and talked about the minutes of the last meeting. "
    fact = "The violet heron nests beneath the copper bridge."
    text = filler * 350 + fact
    document = encode(builtin, text, Sentences(64))
    scores = document.landmark_vectors @ builtin.encode_query(["where does the heron nest?"])[0]

    assert document.num_tokens == builtin.count_tokens(text) > 10 * builtin.max_window
    assert document.num_windows > 10
    assert document.spans[-1][1] == len(text)
    start, end = document.spans[int(scores.argmax())]
    assert "violet heron" in text[start:end]


@pytest.mark.parametrize("text", [CJK, CODE, "Naïve café — “quoted”. " * 30, "😀👨‍👩‍👧 " * 60])
@pytest.mark.parametrize("policy", [Interval(16), Sentences(16), Syntax((), 16)])
def test_23_limits_are_tokens_of_the_model_in_use(builtin, text, policy):
    """Not characters, and not another model's tokens: no span of 16 holds 17."""
    document = encode(builtin, text, policy)
    counts = [builtin.count_tokens(text[start:end]) for start, end in document.spans]

    assert max(counts) <= 16
    assert sum(counts) == document.num_tokens


def test_23_a_budget_of_tokens_counts_citations_too(tmp_path):
    for number in range(8):
        (tmp_path / f"{number}.md").write_text(f"# Pumps {number}\n\n" + "The pump runs dry. " * 40)
    encoder = KeywordEncoder()
    index = DocumentIndex.open(tmp_path / "index", encoder=encoder)
    index.add([tmp_path])
    blocks = index.context("pump", token_budget=120)

    assert blocks
    assert sum(encoder.count_tokens(str(block)) for block in blocks) <= 120


def test_24_a_vector_does_not_depend_on_its_batch(tiny, monkeypatch):
    """Long beside short, in any order, padded and not, where the pad id is the landmark's, too."""
    texts = ["a", "ab cd ef. " * 30, "", "words of some length", "b c"]
    alone = [encode(tiny, text, Interval(8)) for text in texts]
    monkeypatch.setattr(tiny._backbone, "pad_id", tiny._preparation._tokenizer.landmark_id)
    monkeypatch.setattr(
        "lmk_encoder.encoder.plan_batches", lambda lengths, **_: [tuple(range(len(lengths)))]
    )
    order = [3, 0, 4, 2, 1]
    together = tiny.encode_document([TextInput(texts[i], Interval(8)) for i in order])

    for place, index in enumerate(order):
        np.testing.assert_allclose(together[place].vector, alone[index].vector, atol=1e-5)
        np.testing.assert_allclose(
            together[place].landmark_vectors, alone[index].landmark_vectors, atol=1e-5
        )


@pytest.mark.parametrize(
    "text",
    [
        "ＦＵＬＬ　ｗｉｄｔｈ ｔｅｘｔ ",
        "cafe\u0301 nai\u0308ve a\u0300\u0301\u0302 ",
        "👨‍👩‍👧‍👦 flags 🇫🇷🇩🇪 ok 👍🏽 ",
        "한국어 한국어 ",
        "…… ﬁne ﬂow ⭢ ヿ ㍿ ",
        "नमस्ते दुनिया ไทยแลนด์ ",
    ],
)
@pytest.mark.parametrize("policy", [Interval(8), Sentences(8)])
def test_25_passages_are_slices_of_the_text_and_cut_no_character(builtin, text, policy):
    text = text * 12
    spans = encode(builtin, text, policy).spans

    assert "".join(text[start:end] for start, end in spans) == text
    for start, end in spans:
        assert start < end
        assert start == 0 or is_grapheme_border(text, int(start))


def test_26_a_sentence_a_thousand_times_has_a_thousand_places(tiny):
    """Positions come from the cut, never from looking the words up."""
    sentence = "Chunk chunk. "
    spans = encode(tiny, sentence * 1000, Sentences(12)).spans

    assert len(spans) == 1000
    assert spans[:, 0].tolist() == [13 * number for number in range(1000)]
    assert (np.diff(spans[:, 0]) > 0).all()


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "[SEP]"])
def test_27_a_text_of_nothing_has_a_vector_of_length_one(tiny, text):
    document = encode(tiny, text, Interval(8))

    assert np.isfinite(document.vector).all()
    np.testing.assert_allclose(np.linalg.norm(document.vector), 1, rtol=1e-5)


def test_27_a_blank_query_finds_nothing_and_raises_nothing(tmp_path):
    (tmp_path / "blank.md").write_text("\n \n")
    (tmp_path / "pump.md").write_text("The pump runs dry.")
    index = DocumentIndex.open(tmp_path / "index", encoder=KeywordEncoder())
    index.add([tmp_path])

    assert [index.search(blank) for blank in ("", " ", "\n\t")] == [[], [], []]
    assert [hit.title for hit in index.search("pump")] == ["pump.md"]


def test_27_vectors_that_are_no_numbers_are_refused(tiny, monkeypatch):
    from lmk_encoder.errors import ModelError

    def broken(ids, mask=None, read=None):
        return torch.full((*ids.shape, tiny.dimension), float("nan"))

    monkeypatch.setattr(tiny._backbone, "run", broken)
    with pytest.raises(ModelError, match="not finite"):
        encode(tiny, "a", Interval(8))
    with pytest.raises(ModelError, match="not finite"):
        tiny.encode_query(["a"])
