"""The ids of a window, written out by hand for every pooling and every published layout."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmk_encoder.landmarks import LandmarkSpan
from lmk_encoder.layout import Layout

CLS, SEP = 101, 102
LANDMARK = Layout(pooling="landmark", start=CLS, end=None, mark=SEP)
A, B = (Layout("landmark", CLS, None, SEP, variant=variant) for variant in "AB")
C = Layout("landmark", CLS, SEP, SEP, variant="C")
MULTICLS = Layout("multicls", CLS, SEP, CLS)
PLAIN = {
    pooling: Layout(pooling, CLS, SEP, SEP, every=3)
    for pooling in ("cls", "mean", "latent", "every_k", "last")
}


def slices(count, size):
    """Spans of ``size`` tokens, a character each."""
    edges = [*range(0, count, size), count] if count else [0, 0]
    return [LandmarkSpan(a, b, a, b) for a, b in pairwise(edges)]


def window_of(layout, count, size=4, **settings):
    """Content ids are 1, 2, 3 ..."""
    options = {"max_length": 1000, "left_context": 0} | settings
    (window,) = layout.windows(np.arange(1, count + 1), slices(count, size), **options)
    return window


@pytest.mark.parametrize(
    ("layout", "count", "ids", "pooled"),
    [
        *(
            (layout, count, ids, pooled)
            for layout in (LANDMARK, A, B)
            for count, ids, pooled in [
                (1, [CLS, 1, SEP], [2]),
                (3, [CLS, 1, 2, 3, SEP], [4]),
                (4, [CLS, 1, 2, 3, 4, SEP], [5]),
                (5, [CLS, 1, 2, 3, 4, SEP, 5, SEP], [5, 7]),
            ]
        ),
        (LANDMARK, 0, [CLS, SEP], [1]),
        (A, 0, [SEP], [0]),
        (B, 0, [CLS, SEP], [1]),
        (C, 0, [CLS, SEP, SEP], [1, 2]),
        (C, 1, [CLS, 1, SEP, SEP], [2, 3]),
        (C, 3, [CLS, 1, 2, 3, SEP, SEP], [4, 5]),
        (C, 4, [CLS, 1, 2, 3, 4, SEP, SEP], [5, 6]),
        (C, 5, [CLS, 1, 2, 3, 4, SEP, 5, SEP, SEP], [5, 7, 8]),
        (MULTICLS, 0, [CLS, SEP], [0]),
        (MULTICLS, 5, [CLS, 1, 2, 3, 4, CLS, 5, SEP], [0, 5]),
        (PLAIN["cls"], 0, [CLS, SEP], [0]),
        (PLAIN["cls"], 5, [CLS, 1, 2, 3, 4, 5, SEP], [0]),
        (PLAIN["last"], 5, [CLS, 1, 2, 3, 4, 5, SEP], [6]),
        (PLAIN["mean"], 0, [CLS, SEP], [0, 1]),
        (PLAIN["mean"], 5, [CLS, 1, 2, 3, 4, 5, SEP], [0, 1, 2, 3, 4, 5, 6]),
        (PLAIN["latent"], 5, [CLS, 1, 2, 3, 4, 5, SEP], [0, 1, 2, 3, 4, 5, 6]),
        (PLAIN["every_k"], 5, [CLS, 1, 2, 3, 4, 5, SEP], [0, 3, 6]),
    ],
)
def test_golden_sequences(layout, count, ids, pooled):
    """n = 0, 1, g - 1, g, g + 1 at g = 4."""
    window = window_of(layout, count, local=False)

    assert window.ids.tolist() == ids
    assert window.pooled.tolist() == pooled


@pytest.mark.parametrize(
    ("layout", "max_length", "ids", "pooled"),
    [
        # [CLS] 1 2 3 4 LMK 5 6 7 8 LMK 9 LMK, and for C another [SEP]: 13 and 14 ids.
        (B, 13, [CLS, 1, 2, 3, 4, SEP, 5, 6, 7, 8, SEP, 9, SEP], [5, 10, 12]),
        (B, 12, [CLS, 1, 2, 3, 4, SEP, 5, 6, 7, 8, SEP, 9], [5, 10]),
        (B, 10, [CLS, 1, 2, 3, 4, SEP, 5, 6, 7, 8], [5]),
        (B, 6, [CLS, 1, 2, 3, 4, SEP], [5]),
        (B, 5, [CLS, 1, 2, 3, SEP], [4]),
        (C, 13, [CLS, 1, 2, 3, 4, SEP, 5, 6, 7, 8, SEP, 9, SEP], [5, 10, 12]),
        (C, 12, [CLS, 1, 2, 3, 4, SEP, 5, 6, 7, 8, SEP, 9], [5, 10]),
        (C, 5, [CLS, 1, 2, 3, SEP], [4]),
        (MULTICLS, 8, [CLS, 1, 2, 3, 4, CLS, 5, SEP], [0, 5]),
        (PLAIN["mean"], 5, [CLS, 1, 2, 3, SEP], [0, 1, 2, 3, 4]),
        (PLAIN["cls"], 5, [CLS, 1, 2, 3, SEP], [0]),
        (PLAIN["last"], 5, [CLS, 1, 2, 3, SEP], [4]),
        (PLAIN["every_k"], 6, [CLS, 1, 2, 3, 4, SEP], [0, 3]),
    ],
)
def test_golden_sequences_at_the_cut(layout, max_length, ids, pooled):
    cut = layout.cut(window_of(layout, 9, local=False), max_length)

    assert cut.ids.tolist() == ids
    assert cut.pooled.tolist() == pooled


@pytest.mark.parametrize(
    ("length", "interval", "landmarks", "orphans"),
    [(512, 32, 15, 16), (512, 256, 1, 254), (8192, 64, 126, 1), (32768, 128, 254, 1)],
)
def test_landmarks_and_orphans_at_the_limit(length, interval, landmarks, orphans):
    """The arithmetic of the paper for a text that is longer than the limit."""
    cut = LANDMARK.cut(window_of(LANDMARK, length, interval, max_length=99_999), length)

    assert len(cut.ids) == length
    assert len(cut.pooled) == landmarks
    assert length - 1 - cut.pooled[-1] == orphans


def test_local_vectors_of_each_pooling():
    """Spans of tokens 1-4 and 5: the landmark, the token before, or the tokens themselves."""
    assert window_of(LANDMARK, 5).landmarks.tolist() == [[5, 6], [7, 8]]
    assert window_of(MULTICLS, 5).landmarks.tolist() == [[0, 1], [5, 6]]
    for pooling in ("mean", "latent", "every_k"):
        assert window_of(PLAIN[pooling], 5).landmarks.tolist() == [[1, 5], [5, 6]]
        assert window_of(PLAIN[pooling], 0).landmarks.tolist() == [[0, 2]]


@pytest.mark.parametrize(("pooling", "read"), [("cls", [0, 1]), ("last", [-1, 0])])
def test_spans_are_encoded_apart_where_one_state_speaks_for_all(pooling, read):
    whole, *parts = PLAIN[pooling].windows(
        np.arange(1, 6), slices(5, 4), max_length=99, left_context=0
    )

    assert (len(whole.landmarks), len(whole.pooled)) == (0, 1)
    assert [part.ids.tolist() for part in parts] == [[CLS, 1, 2, 3, 4, SEP], [CLS, 5, SEP]]
    for part in parts:
        (place,) = part.landmarks.tolist()
        assert place == ([0, 1] if pooling == "cls" else [len(part.ids) - 1, len(part.ids)])
        assert len(part.pooled) == 0


def test_the_context_of_a_window_is_read_and_not_kept():
    """Ten ids a window: the second begins with the last two tokens of the first."""
    first, second = PLAIN["mean"].windows(
        np.arange(1, 11), slices(10, 5), max_length=10, left_context=2
    )

    assert first.ids.tolist() == [CLS, 1, 2, 3, 4, 5, SEP]
    assert second.ids.tolist() == [CLS, 4, 5, 6, 7, 8, 9, 10, SEP]
    assert second.pooled.tolist() == [0, 3, 4, 5, 6, 7, 8]
    assert second.landmarks.tolist() == [[3, 8]]

    first, second = LANDMARK.windows(np.arange(1, 5), slices(4, 2), max_length=6, left_context=1)
    assert second.ids.tolist() == [CLS, 2, SEP, 3, 4, SEP]
    assert second.pooled.tolist() == [5]


def test_every_window_begins_with_the_prompt():
    """Two tokens of prompt, eight of text: 1 2 | 3 4 5 6 and 7 8 9 10."""
    first, second = PLAIN["mean"].windows(
        np.arange(1, 11), slices(10, 6), max_length=10, left_context=0, prompt=2
    )

    assert first.ids.tolist() == [CLS, 1, 2, 3, 4, 5, 6, SEP]
    assert second.ids.tolist() == [CLS, 1, 2, 7, 8, 9, 10, SEP]
    assert second.pooled.tolist() == [0, 3, 4, 5, 6, 7]


def test_a_prompt_may_be_read_and_not_counted():
    """As include_prompt = false has it: the start token and the prompt are left out."""
    window = window_of(PLAIN["mean"], 5, prompt=2, read_prompt=False)

    assert window.pooled.tolist() == [3, 4, 5, 6]


def test_a_model_may_have_no_special_tokens():
    bare = Layout("last", None, None, 7)

    assert window_of(bare, 3, local=False).ids.tolist() == [1, 2, 3]
    assert window_of(bare, 0, local=False).ids.tolist() == [7]


@given(
    pooling=st.sampled_from([LANDMARK, C, MULTICLS, *PLAIN.values()]),
    count=st.integers(0, 100),  # CLS is 101
    size=st.integers(1, 16),
    max_length=st.integers(34, 60),
    context=st.integers(0, 8),
    prompt=st.integers(0, 4),
)
def test_every_token_is_kept_once_and_every_window_fits(
    pooling, count, size, max_length, context, prompt
):
    ids, spans = np.arange(1, count + 1), slices(count, size)
    windows = pooling.windows(
        ids,
        spans,
        max_length=max_length,
        left_context=context,
        prompt=min(prompt, count, size),
    )
    assert sum(len(window.landmarks) for window in windows) == len(spans)
    assert all(len(window.ids) <= max_length for window in windows)
    for window in windows:
        for start, stop in window.landmarks:
            assert 0 <= start < stop <= len(window.ids)
        assert sorted(set(window.pooled)) == window.pooled.tolist()
    if pooling.pooling == "mean":
        read = [i for window in windows for i in window.ids[window.pooled] if i <= count]
        assert read == ids.tolist()
