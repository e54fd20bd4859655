import numpy as np
import pytest
import torch

from lmk_encoder.config import EncoderConfig
from lmk_encoder.landmarks import LandmarkSpan
from lmk_encoder.tokenization import LandmarkTokenizer
from lmk_encoder.training.collate import Collator, text_keys
from lmk_encoder.training.config import ModelSettings
from lmk_encoder.training.examples import Key
from lmk_encoder.training.layouts import TextLayouts, fit_spans
from lmk_encoder.training.sources import open_rows

LANDMARK, START = 3, 2


def random(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture
def layouts(base):
    def make(pooling="landmark", **settings):
        end = "" if pooling == "landmark" else "[SEP]"
        config = EncoderConfig(
            pooling=pooling,
            end_token=end,
            window_tokens=64,
            granularity=8,
            left_context_tokens=8,
            query_tokens=16,
        )
        settings = {"passage_tokens": 20, "query_tokens": 10, "granularity": 4} | settings
        tokenizer = LandmarkTokenizer.load(base, config)
        return TextLayouts(tokenizer, config, ModelSettings(**settings))

    return make


def test_the_papers_layout_is_cut_after_the_landmarks_are_in(layouts):
    """[CLS] and ten tokens cut at 9 ids: LMK after every third, one orphan behind the last."""
    laid_out = layouts(chunks="fixed", granularity=3, passage_tokens=9).passage(
        "abcdefghij", "q", random()
    )

    ids = laid_out.windows[0].ids
    assert [index for index, id_ in enumerate(ids) if id_ == LANDMARK] == [4, 8]
    assert (ids[0], len(ids)) == (START, 9)
    assert laid_out.span_texts == ("abc", "def")


def test_a_landmark_survives_every_cut(layouts):
    """Trap T3: the authors' evaluation fell back to mean pooling where none did."""
    for chunks in ("fixed", "balanced"):
        laid_out = layouts(chunks=chunks, granularity=50, passage_tokens=9).passage(
            "abcdefghijklmnop", "q", random()
        )
        (window,) = laid_out.windows
        assert window.ids[-1] == LANDMARK
        assert window.pooled.tolist() == [8]


def test_our_cut_leaves_no_token_without_a_landmark(layouts):
    """Trap T5: the authors leave up to a span of orphans behind the last landmark."""
    (window,) = layouts(passage_tokens=14).passage("abcdefghijklmnop", "q", random()).windows

    assert len(window.ids) == 14
    assert window.ids[-1] == LANDMARK


def test_fit_spans_shortens_the_last():
    spans = [LandmarkSpan(0, 4, 0, 4), LandmarkSpan(4, 8, 4, 8), LandmarkSpan(8, 12, 8, 12)]

    assert [s.last - s.first for s in fit_spans(spans, 13, 99, 1)] == [4, 4, 2]
    assert [s.last - s.first for s in fit_spans(spans, 11, 99, 1)] == [4, 4]
    assert [s.last - s.first for s in fit_spans(spans, 99, 3, 1)] == [2]


def test_every_text_draws_its_own_granularity(layouts):
    """Trap T19, and the maintainers' finding that drawing per text beats drawing per batch."""
    laid_out = layouts(chunks="fixed", granularity=[2, 5], passage_tokens=40)
    counts = {
        len(laid_out.passage("a" * 20, "q", random(seed)).windows[0].pooled) for seed in range(20)
    }

    assert counts == {4, 10}


def test_an_empty_text_has_one_landmark(layouts):
    """Trap T4: the authors' collator turned it into a lone landmark without [CLS]."""
    (window,) = layouts().passage("", "q", random()).windows

    assert window.ids.tolist() == [START, LANDMARK]
    assert window.pooled.tolist() == [1]


def test_a_special_token_in_a_text_is_text(layouts):
    """Trap T1."""
    (window,) = layouts(passage_tokens=40).passage("a [SEP] b", "q", random()).windows

    assert (window.ids == LANDMARK).sum() == len(window.pooled)


def test_a_long_passage_takes_several_windows(layouts):
    laid_out = layouts(passage_tokens=60, window_tokens=24).passage("abcd " * 30, "q", random())

    assert len(laid_out.windows) > 1
    assert max(len(window.ids) for window in laid_out.windows) <= 24
    assert sum(len(window.landmarks) for window in laid_out.windows) == len(laid_out.span_texts)
    assert len("".join(laid_out.span_texts)) > 24 * 2  # more than one window's worth


def test_mean_pooling_reads_start_and_end_too(layouts):
    """Trap T8: the landmark mean leaves [CLS] out, the mean rival takes [CLS] and [SEP] in."""
    (window,) = layouts(pooling="mean").passage("abcdef", "q", random()).windows

    assert window.ids.tolist()[0] == START
    assert window.pooled.tolist() == list(range(8))


def test_a_batch_has_the_shapes_it_says(layouts, data):
    rows = open_rows(data / "pairs.jsonl")
    collate = Collator([rows], [3], [layouts()], 0, 0)

    batch = collate([Key(0, 2, 0), Key(0, 5, 0)])

    assert batch["label"].tolist() == [[100.0, -100.0, -100.0]] * 2
    assert batch["query_input_ids"].shape[0] == 2
    windows, width = batch["passage_input_ids"].shape
    assert (windows, width % 8) == (6, 0)
    assert batch["passage_pooled"].sum() == len(batch["passage_span_texts"])
    assert not (batch["passage_pooled"] & ~batch["passage_attention_mask"].bool()).any()
    assert batch["passage_keys"][0] == text_keys([rows[2].positives[0]])[0]


def test_a_batch_depends_on_its_keys_only(layouts, data):
    """Trap T19: neither on the worker, nor on what was drawn before."""
    collate = Collator([open_rows(data / "pairs.jsonl")], [3], [layouts(granularity=[4, 8])], 7, 0)
    keys = [Key(0, row, 1) for row in range(3)]

    first = collate(keys)
    collate([Key(0, 9, 0)])
    second = collate(keys)

    assert all(
        torch.equal(first[key], second[key]) if isinstance(first[key], torch.Tensor) else True
        for key in first
    )
    other = collate([key._replace(visit=2) for key in keys])
    assert first["passage_span_texts"] != other["passage_span_texts"]
