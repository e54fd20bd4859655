"""faults.md 36, 44, 45: approximate indexes on few rows, a dead text half, work at every query."""

import random
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pytest

from indexer import DocumentIndex
from indexer.analysis import query_terms, search_text
from indexer.config import Settings
from indexer.engines.lance import RowPlaces, lance_engine
from indexer.store.tables import Tables
from indexer.store.vector_index import LIST_ROWS, find_index, train_index
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write
from tests.indexer.engines.conftest import DIMENSION, landmark_table, made_up, read_rows


@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 257])
def test_36_an_index_on_few_rows_finds_all_of_them(count, tmp_path):
    tables = Tables.create(tmp_path / "tables-1", DIMENSION)
    tables.landmarks.add(landmark_table(made_up(count)))
    tables.optimize()
    assert find_index(tables.landmarks) is None  # so few are compared one by one
    train_index(tables.landmarks, at_least=1)
    rows, row_ids, _ = read_rows(tables)
    found = lance_engine(tables, rows, RowPlaces(row_ids)).search(made_up(1, seed=1)[0], count + 10)
    assert sorted(found.rows.tolist()) == list(range(count))


def test_36_an_index_is_trained_anew_when_its_table_has_doubled(tmp_path, monkeypatch):
    tables = Tables.create(tmp_path / "tables-1", DIMENSION)
    monkeypatch.setattr("indexer.store.tables.VECTOR_INDEX_ROWS", LIST_ROWS)
    sizes = []
    for first, count in ((0, LIST_ROWS), (LIST_ROWS, 500), (LIST_ROWS + 500, LIST_ROWS)):
        tables.landmarks.add(landmark_table(made_up(count, seed=first), first=first))
        tables.optimize()
        index = find_index(tables.landmarks)
        sizes.append((index.lists, index.rows))
    assert sizes == [(1, 1000), (1, 1500), (2, 2500)]


@pytest.mark.parametrize("count", [10, 10_000])
def test_44_every_word_of_a_passage_finds_it_by_text_alone(count, tmp_path):
    """Long identifiers and hashes are words as well."""
    drawn = random.Random(44)
    common = [f"word{i}" for i in range(300)]
    texts = [
        f"{' '.join(drawn.choices(common, k=12))} {sha256(str(i).encode()).hexdigest()} "
        f"a_rather_long_identifier_of_module_number_{i:06d} final{i}"
        for i in range(count)
    ]
    tables = Tables.create(tmp_path / "tables-1", DIMENSION)
    rows = landmark_table(np.repeat(made_up(1), count, axis=0))
    column = rows.schema.get_field_index("search_text")
    terms = [search_text(text) for text in texts]
    values = pa.array(terms, pa.large_string())
    tables.landmarks.add(rows.set_column(column, rows.schema.field(column), values))
    tables.optimize()
    assert tables.landmarks.index_stats("search_text_idx").num_unindexed_rows == 0
    for i in drawn.sample(range(count), 5):
        for word in texts[i].split()[12:]:
            best = tables.text_landmarks(query_terms(word), 10).row_ids[:1]
            found = tables.take(tables.landmarks, ["doc_id"], best)["doc_id"].to_pylist()
            assert found == [f"{i:06d}"], word
        for word in texts[i].split()[:12]:
            holders = tables.text_landmarks(query_terms(word), count).row_ids
            found = tables.take(tables.landmarks, ["doc_id"], holders)["doc_id"].to_pylist()
            assert f"{i:06d}" in found, word


def collection(folder, count):
    for i in range(count):
        write(
            folder / f"{i:03d}.txt", f"Lamp {i} of house number{i} burns amber{i} oil on day {i}."
        )
    return folder


def opened(path):
    return DocumentIndex(path, settings=Settings(parse_workers=1), encoder=KeywordEncoder())


def test_44_phrases_find_their_document_and_the_result_says_which_signals_spoke(tmp_path):
    with opened(tmp_path / "index") as index:
        index.add([collection(tmp_path / "files", 30)])
        for i in (0, 17, 29):
            (hit,) = index.search(f'"burns amber{i}"', explain=True)
            assert hit.path.endswith(f"{i:03d}.txt")
            spoke = {score.name: score.value for score in hit.explanation.signals}
            assert spoke["text_places"] > 0
            assert spoke["text_document"] > 0


def test_45_a_query_costs_as_many_calls_in_a_large_collection_as_in_a_small_one(
    tmp_path, monkeypatch
):
    calls = []
    for name in ("read", "stream", "nearest", "_full_text"):
        real = getattr(Tables, name)

        def counted(self, *args, _real=real, _name=name, **kwargs):
            calls.append(_name)
            return _real(self, *args, **kwargs)

        monkeypatch.setattr(Tables, name, counted)
    for count in (40, 120):
        with opened(tmp_path / f"index{count}") as index:
            index.add([collection(tmp_path / f"files{count}", count)])
            index.search("lamp of house number3")  # reads the collection, once
            calls.clear()
            index.encoder.calls = 0
            index.search("amber5 oil")
            assert index.encoder.calls == 1  # the query is encoded once
            # Two full-text searches, and the rows of what is shown: nothing is read anew.
            assert sorted(calls) in (["_full_text"] * 2, ["_full_text"] * 2 + ["read"] * 2)
