"""Recall is measured on the index itself, and a bad engine is seen by it."""

import numpy as np
import pytest

from indexer import DocumentIndex
from indexer.engines.base import Nearest
from indexer.search.recall import measure_recall


class Blind:
    """Finds rows that have nothing to do with the query."""

    name = "blind"

    def search(self, query, k, allowed=None):
        return Nearest(np.zeros(0, dtype=np.int64), np.zeros(0, np.float32))


def test_exact_search_finds_everything(index, collection):
    index.add([collection])
    measured = index.recall()
    assert (measured.engine, measured.k, measured.found) == ("exact", 10, 1.0)
    assert measured.queries == 4  # one for each document


@pytest.mark.parametrize("engine", ["lance", "faiss"])
def test_other_engines_find_as_much_and_answer_alike(engine, index, collection):
    if engine == "faiss":
        pytest.importorskip("faiss", reason="extra faiss")
    index.add([collection])
    settings = index.settings.model_copy(update={"engine": engine})
    with DocumentIndex(index.path, settings=settings, encoder=index.encoder) as other:
        assert other.recall().found >= 0.95
        for query in ("cellar pump", "high water", "roof tiles"):
            found = [(hit.path, hit.passages) for hit in other.search(query)]
            assert found == [(hit.path, hit.passages) for hit in index.search(query)]


def test_a_blind_engine_is_seen(index, collection):
    index.add([collection])
    index.search("pump")
    searcher = index._reader.ask(lambda searcher: searcher)
    measured = measure_recall(searcher.tables, searcher.snapshot, Blind(), index.encoder, k=3)
    assert (measured.engine, measured.found) == ("blind", 0.0)


def test_an_empty_index_lacks_nothing(index, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "x.bin").write_bytes(b"\0\1\2")
    index.add([tmp_path / "empty"])
    assert (index.recall().queries, index.recall().found) == (0, 1.0)
