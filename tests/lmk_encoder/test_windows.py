"""Windows: hand-worked plans, and the promise that every span is kept exactly once."""

import random
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmk_encoder.errors import ConfigError
from lmk_encoder.landmarks import LandmarkSpan
from lmk_encoder.windows import Window, plan_windows


def spans_of(*lengths):
    return [LandmarkSpan(a, b, a, b) for a, b in pairwise(accumulate(lengths, initial=0))]


def ids_in(window, spans):
    kept = [(span.first, span.last) for span in spans[window.first : window.last]]
    return 1 + sum(stop - start + 1 for start, stop in [*window.context, *kept])


def test_a_text_that_fits_is_one_window():
    """[CLS] + 4 LMK + 4 LMK are eleven ids."""
    assert plan_windows(spans_of(4, 4), max_length=11, left_context=2) == [Window(0, 2)]


def test_one_id_more_makes_two_windows_with_context():
    """Eleven ids do not fit ten: one span each, and the tail of the first before the second."""
    assert plan_windows(spans_of(4, 4), max_length=10, left_context=2) == [
        Window(0, 1),
        Window(1, 2, context=((2, 4),)),
    ]


def test_context_is_whole_spans_as_far_as_they_fit():
    """Six tokens of context: the spans of two and three before; the next of four is too much."""
    plan = plan_windows(spans_of(4, 3, 2, 9), max_length=20, left_context=6)

    assert plan == [Window(0, 3), Window(3, 4, context=((4, 7), (7, 9)))]


def test_context_gives_way_so_that_ids_are_a_multiple():
    """[CLS], five and LMK, nine and LMK are 17 ids; one token of context less makes 16."""
    spans = spans_of(4, 6, 9)
    plan = plan_windows(spans, max_length=17, left_context=5, multiple=4)

    assert plan == [Window(0, 2), Window(2, 3, context=((6, 10),))]
    assert ids_in(plan[1], spans) == 16


def test_context_that_cannot_give_enough_stays():
    """[CLS], two and LMK, nine and LMK are 14 ids: two over twelve, and two is all there is."""
    plan = plan_windows(spans_of(4, 6, 9), max_length=17, left_context=2, multiple=4)

    assert plan[1] == Window(2, 3, context=((8, 10),))


def test_the_last_two_windows_are_even():
    """Six spans of ten ids into windows of 51: three and three, not five and one."""
    plan = plan_windows(spans_of(*[9] * 6), max_length=51, left_context=0)

    assert plan == [Window(0, 3), Window(3, 6)]


def test_an_empty_text_has_one_window():
    assert plan_windows(spans_of(0), max_length=8, left_context=2) == [Window(0, 1)]


def test_a_span_longer_than_the_window_is_refused():
    with pytest.raises(ConfigError, match=r"span of 7 tokens.*window of 8.*smaller"):
        plan_windows(spans_of(7), max_length=8, left_context=2)


@given(
    lengths=st.lists(st.integers(1, 20), min_size=1, max_size=200),
    max_length=st.integers(40, 120),
    left_context=st.integers(0, 10),
)
def test_every_span_is_kept_once_and_every_window_fits(lengths, max_length, left_context):
    spans = spans_of(*lengths)
    plan = plan_windows(spans, max_length=max_length, left_context=left_context)

    assert [i for window in plan for i in range(window.first, window.last)] == list(
        range(len(spans))
    )
    for window in plan:
        assert ids_in(window, spans) <= max_length
        context = [token for start, stop in window.context for token in range(start, stop)]
        before = spans[window.first].first
        assert context == list(range(before - len(context), before))
        assert len(context) <= left_context
        assert bool(context) == (window.first > 0 and left_context > 0)


@given(st.lists(st.tuples(st.integers(1, 64), st.integers(0, 9)), min_size=1, max_size=400))
def test_windows_are_filled_to_two_thirds_at_least(spans):
    lengths, keys = zip(*spans, strict=True)
    plan = plan_windows(spans_of(*lengths), max_length=1000, left_context=64, keys=keys)

    needed = sum(length + 1 for length in lengths) / ((999 - 65) * 2 / 3 - 64)
    assert len(plan) <= needed + 1


def test_a_window_ends_where_the_least_key_is():
    """Ten ids a span, room for nine: of the borders before spans 6 to 9 the one before 7."""
    keys = [5, 5, 5, 0, 5, 5, 3, 1, 2, 4, *[5] * 20]
    plan = plan_windows(spans_of(*[9] * 30), max_length=91, left_context=0, keys=keys)

    assert plan[0] == Window(0, 7)


@pytest.mark.parametrize("inserted", [1, 7, 30])
def test_an_edit_moves_only_borders_near_to_it(inserted):
    rng = random.Random(inserted)
    before = [(rng.randint(10, 60), rng.random()) for _ in range(600)]
    new = [(rng.randint(10, 60), rng.random()) for _ in range(inserted)]
    after = [*before[:300], *new, *before[300:]]

    kept = windows_by_content(before) & windows_by_content(after)
    assert len(kept) > 0.8 * len(windows_by_content(before))


def windows_by_content(spans):
    lengths, keys = zip(*spans, strict=True)
    plan = plan_windows(spans_of(*lengths), max_length=512, left_context=64, keys=keys)
    return {tuple(spans[window.first : window.last]) for window in plan}
