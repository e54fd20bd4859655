"""What holds of every engine: the same suite runs over all of them."""

import numpy as np
import pytest

from tests.indexer.engines.conftest import (
    ENGINES,
    engine_over,
    landmark_table,
    made_up,
    read_rows,
)

ROWS = 2_000
pytestmark = pytest.mark.parametrize("name", ENGINES)


@pytest.fixture
def filled(tables):
    tables.landmarks.add(landmark_table(made_up(ROWS)))
    return tables


def nearest(vectors, query, k):
    return set(np.argsort(-(vectors @ query), kind="stable")[:k].tolist())


def test_recall_at_ten_is_high(name, filled, monkeypatch):
    engine, (rows, *_) = engine_over(name, filled, monkeypatch), read_rows(filled)
    queries = made_up(30, seed=1)
    found = [
        len(nearest(rows[:], q, 10) & set(engine.search(q, 10).rows.tolist())) for q in queries
    ]
    assert sum(found) / 300 >= (1 if name == "exact" else 0.95)


def test_rows_come_nearest_first_with_their_cosines(name, filled, monkeypatch):
    engine, (rows, *_) = engine_over(name, filled, monkeypatch), read_rows(filled)
    query = made_up(1, seed=2)[0]
    found = engine.search(query, 50)
    assert len(set(found.rows.tolist())) == 50
    assert np.all(np.diff(found.cosines) <= 0)
    assert found.cosines == pytest.approx(rows[found.rows] @ query, abs=1e-5)


@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 257])
def test_few_rows_are_all_found(name, count, tables, monkeypatch):
    """faults.md 36: an index needs rows to be trained on; k may be larger than their number."""
    tables.landmarks.add(landmark_table(made_up(count)))
    engine = engine_over(name, tables, monkeypatch)
    found = engine.search(made_up(1, seed=3)[0], count + 5)
    assert sorted(found.rows.tolist()) == list(range(count))


@pytest.mark.parametrize("share", [0.001, 0.02, 0.5])
def test_a_filter_leaves_k_rows_where_k_are_allowed(name, share, filled, monkeypatch):
    """faults.md 39: those allowed are the ones that rank last without the filter."""
    engine, (rows, *_) = engine_over(name, filled, monkeypatch), read_rows(filled)
    query = made_up(1, seed=4)[0]
    cosines = rows[:] @ query
    allowed = cosines <= np.quantile(cosines, share)
    found = engine.search(query, 10, allowed)
    assert len(found.rows) == min(10, int(allowed.sum()))
    assert allowed[found.rows].all()
    best = np.sort(cosines[allowed])[::-1][: len(found.rows)]
    if name == "exact":
        assert found.cosines == pytest.approx(best, abs=1e-5)


def test_nothing_allowed_is_nothing_found(name, filled, monkeypatch):
    engine = engine_over(name, filled, monkeypatch)
    assert len(engine.search(made_up(1)[0], 10, np.zeros(ROWS, dtype=bool)).rows) == 0


def test_new_rows_are_found_and_deleted_ones_are_not(name, filled, monkeypatch):
    """Also where an index was made before: what is asked is the table as it is."""
    engine_over(name, filled, monkeypatch)  # an index, if this engine has one, of the old rows
    added = made_up(5, seed=5)
    filled.landmarks.add(landmark_table(added, first=ROWS))
    gone = made_up(ROWS)[7]
    filled.landmarks.delete("doc_id = '000007'")
    engine, (_, _, documents) = engine_over(name, filled, monkeypatch), read_rows(filled)
    for i, vector in enumerate(added):
        assert documents[engine.search(vector, 1).rows[0]] == f"{ROWS + i:06d}"
    assert documents[engine.search(gone, 1).rows[0]] != "000007"
    filled.optimize()
    engine, (_, _, documents) = engine_over(name, filled, monkeypatch), read_rows(filled)
    assert documents[engine.search(added[0], 1).rows[0]] == f"{ROWS:06d}"


def test_equal_rows_come_in_the_order_of_the_table(name, tables, monkeypatch):
    tables.landmarks.add(landmark_table(np.repeat(made_up(1), 30, axis=0)))
    engine = engine_over(name, tables, monkeypatch)
    assert engine.search(made_up(1)[0], 30).rows.tolist() == list(range(30))
