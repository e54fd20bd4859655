"""Vectors in memory, in float32 and in float16."""

import numpy as np
import pytest

from indexer.engines import vectors
from indexer.engines.vectors import VectorRows
from tests.indexer.engines.conftest import DIMENSION, made_up


@pytest.fixture(params=["float32", "float16"])
def rows(request, monkeypatch):
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
    assert rows.mean() == pytest.approx(rows[:].mean(axis=0), abs=1e-5)


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
    assert rows.mean() == pytest.approx(0)
