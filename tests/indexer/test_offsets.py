"""Offsets: a tuple's manners in a fifth of its memory."""

import copy
import pickle
from bisect import bisect_right

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.offsets import Offsets

NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1))


@given(NUMBERS, st.slices(12))
def test_it_behaves_as_the_tuple_of_its_numbers(numbers, part):
    offsets = Offsets(numbers)
    assert offsets == tuple(numbers)
    assert tuple(numbers) == offsets
    assert list(offsets) == numbers
    assert len(offsets) == len(numbers)
    assert offsets[part] == numbers[part]
    assert isinstance(offsets[part], Offsets)
    assert pickle.loads(pickle.dumps(offsets)) == copy.deepcopy(offsets) == offsets
    assert np.asarray(offsets).tolist() == numbers


def test_it_differs_from_other_numbers_and_other_things():
    offsets = Offsets([0, 5, 9])
    assert offsets != (0, 5)
    assert offsets != (0, 5, 8)
    assert offsets != Offsets([0, 5])
    assert offsets != "059"
    assert offsets[-1] == 9
    assert bisect_right(offsets, 5) == 2
    assert repr(offsets) == "Offsets([0, 5, 9])"


def test_it_cannot_be_changed_or_be_a_key():
    offsets = Offsets([0, 5, 9])
    with pytest.raises(TypeError):
        offsets[0] = 1
    with pytest.raises(TypeError):
        hash(offsets)
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(offsets)[0] = 1
    with pytest.raises(OverflowError):
        Offsets([2**63])


def test_numpy_gets_the_numbers_where_they_lie_or_as_it_wants_them():
    offsets = Offsets(range(1000))
    assert np.shares_memory(np.asarray(offsets), np.asarray(offsets))
    assert np.asarray(offsets, dtype=np.float32).dtype == np.float32
    assert np.searchsorted(np.asarray(offsets), 500, side="right") == 501
