"""Batches: every window once, within the budget."""

from hypothesis import given
from hypothesis import strategies as st

from lmk_encoder.batching import plan_batches


def test_equal_lengths_are_never_mixed():
    assert plan_batches([5, 3, 5, 3, 5], token_budget=10, equal_lengths=True) == [
        (0, 2),
        (4,),
        (1, 3),
    ]


def test_mixed_lengths_count_their_padding():
    """5 + 3 padded is 10 of 12; a third would make 15."""
    assert plan_batches([3, 5, 3], token_budget=12, equal_lengths=False) == [(1, 0), (2,)]


def test_a_window_above_the_budget_goes_alone():
    assert plan_batches([9, 9], token_budget=4, equal_lengths=True) == [(0,), (1,)]


def test_nothing_to_do():
    assert plan_batches([], token_budget=4, equal_lengths=True) == []


@given(st.lists(st.integers(1, 50), max_size=80), st.integers(1, 200), st.booleans())
def test_each_window_once_within_the_budget(lengths, budget, equal):
    batches = plan_batches(lengths, token_budget=budget, equal_lengths=equal)

    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        sizes = [lengths[i] for i in batch]
        assert len(batch) == 1 or len(batch) * max(sizes) <= budget
        assert not equal or len(set(sizes)) == 1
