"""Vectors in memory, in float32 and in float16, and mapped from files."""

import numpy as np
import pytest

from indexer.engines import mapped, vectors
from indexer.engines.mapped import MappedRows
from indexer.engines.vectors import VectorRows, widened
from tests.indexer.engines.conftest import DIMENSION, made_up


@pytest.fixture(params=["float32", "float16", "mapped"])
def rows(request, monkeypatch):
    if request.param == "mapped":
        monkeypatch.setattr(mapped, "BLOCK_ROWS", 64)
        stored, at = (3 * made_up(200)).astype(np.float16), np.arange(200)[::-1]
        return MappedRows([stored[:50], stored[50:]], at)
    monkeypatch.setattr(vectors, "FLOAT32_ROWS", 1_000 if request.param == "float32" else 0)
    monkeypatch.setattr(vectors, "BLOCK_ROWS", 64)
    return VectorRows.of(3 * made_up(200))


def test_rows_have_unit_length(rows):
    assert np.linalg.norm(rows[:], axis=1) == pytest.approx(1, abs=1e-6)
    assert rows[3] == pytest.approx(rows[np.array([3])][0])
    assert rows[2:5].shape == (3, DIMENSION)


def test_cosines_of_all_and_of_some_agree_with_the_rows(rows):
    query = made_up(1, seed=1)[0]
    some = np.array([150, 3, 77])
    assert rows.cosines(query) == pytest.approx(rows[:] @ query, abs=1e-5)
    assert rows.cosines(query, some) == pytest.approx(rows[some] @ query, abs=1e-5)


def test_float16_takes_half_the_memory(monkeypatch):
    monkeypatch.setattr(vectors, "FLOAT32_ROWS", 100)
    small, large = VectorRows(100, 384), VectorRows(101, 384)
    assert large.nbytes < 0.51 * small.nbytes * 101 / 100


def test_rows_that_were_put_in_any_order_stand_in_their_places():
    stored = made_up(50)
    rows = VectorRows(50, DIMENSION)
    order = np.random.default_rng(0).permutation(50)
    for part in np.split(order, 5):
        rows.put(part, stored[part])
    assert rows[:] == pytest.approx(stored, abs=1e-3)


def test_no_rows():
    rows = VectorRows(0, DIMENSION)
    assert len(rows.cosines(made_up(1)[0])) == 0


def test_every_finite_float16_is_widened_exactly():
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    every = every[np.isfinite(every)]
    assert np.array_equal(widened(every), every.astype(np.float32))
    assert np.array_equal(np.signbit(widened(every)), np.signbit(every))  # of the zeros, too
    assert widened(every.reshape(-1, 2)[:, ::-1][3:5]).shape == (2, 2)


def test_mapped_rows_stand_where_their_places_say():
    one, two = made_up(3).astype(np.float16), made_up(4, seed=1).astype(np.float16)
    rows = MappedRows([one, two], np.array([5, 0, 3]))
    assert rows[:] == pytest.approx(np.stack([two[2], one[0], two[0]]), abs=1e-3)
    assert rows[np.array([], dtype=np.int64)].shape == (0, DIMENSION)
