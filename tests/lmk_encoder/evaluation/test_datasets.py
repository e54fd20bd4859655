"""Reading sets: what a model is shown, where answers stand, and what is wrong with a file."""

import gzip

import pytest

from lmk_encoder.errors import DataError
from lmk_encoder.evaluation.datasets import Evidence, RetrievalSet, load_set
from tests.lmk_encoder.evaluation.conftest import CORPUS, QRELS, QUERIES, write_set


def test_title_and_text_are_joined_by_a_space(set_folder):
    data = load_set(set_folder)
    assert data.name == "small"
    assert data.documents["pump"].startswith("Cellar The pump")
    assert data.documents["roof"].startswith("The roof")


def test_queries_without_a_relevant_document_are_left_out(set_folder):
    data = load_set(set_folder)
    assert list(data.queries) == ["q1", "q2", "q3"]
    assert data.qrels == {"q1": {"pump": 1}, "q2": {"roof": 2, "pump": 0}, "q3": {"tide": 1}}


def test_answer_ranges_count_in_what_the_model_is_shown(set_folder):
    """The title shifts the offsets, which count in the text alone."""
    data = load_set(set_folder)
    ((start, end),) = data.evidence["q1"].ranges
    assert data.documents["pump"][start:end] == "March"
    assert data.evidence["q2"] == Evidence("roof", ((4, 8), (20, 33)))
    assert "q3" not in data.evidence


def test_packed_files_and_a_folder_of_qrels_are_read(set_folder):
    for name in ("corpus", "queries"):
        plain = set_folder / f"{name}.jsonl"
        (set_folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    (set_folder / "qrels").mkdir()
    (set_folder / "qrels.tsv").rename(set_folder / "qrels/test.tsv")
    assert len(load_set(set_folder).documents) == 3


def test_qrels_may_lack_a_header_and_end_lines_as_windows_does(set_folder):
    (set_folder / "qrels.tsv").write_bytes(b"q1\tpump\t1.0\r\n")
    assert load_set(set_folder).qrels == {"q1": {"pump": 1}}


@pytest.mark.parametrize(
    ("corpus", "queries", "qrels", "said"),
    [
        ([*CORPUS, {"text": "x"}], QUERIES, QRELS, "corpus.jsonl:4: _id is None"),
        ([*CORPUS, {"_id": "x"}], QUERIES, QRELS, "corpus.jsonl:4: text is None"),
        ([*CORPUS, CORPUS[0]], QUERIES, QRELS, "corpus.jsonl:4: the _id 'pump' occurs twice"),
        ([*CORPUS, ["x"]], QUERIES, QRELS, "corpus.jsonl:4: no JSON object"),
        (CORPUS, [{"_id": "q1", "text": " "}], QRELS, "queries.jsonl:1: the query is blank"),
        (CORPUS, QUERIES, QRELS + "q1\tpump\n", "qrels.tsv:6: 'q1\\tpump' is no judgement"),
        (CORPUS, QUERIES, QRELS + "q1\tpump\tyes\n", "qrels.tsv:6"),
        (CORPUS, QUERIES, "q1\tnowhere\t1\n", "no query has a relevant document"),
        (CORPUS, [QUERIES[0] | {"answer_start": 999}], QRELS, "queries.jsonl:1: the answer range"),
        (CORPUS, [QUERIES[1] | {"spans": [[5, 5]]}], QRELS, "queries.jsonl:1: the answer range"),
        (CORPUS, [QUERIES[1] | {"depth": 7}], QRELS, "queries.jsonl:1: depth is 7"),
    ],
)
def test_a_broken_row_is_named_with_file_and_line(tmp_path, corpus, queries, qrels, said):
    with pytest.raises(DataError) as error:
        load_set(write_set(tmp_path / "broken", corpus, queries, qrels))
    assert said in str(error.value)


def test_a_line_that_is_no_json_is_named(set_folder):
    with (set_folder / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{"_id": "x", \n')
    with pytest.raises(DataError, match=r"corpus\.jsonl:5: not JSON"):
        load_set(set_folder)


def test_a_cut_file_is_named(set_folder):
    packed = gzip.compress((set_folder / "corpus.jsonl").read_bytes())
    (set_folder / "corpus.jsonl.gz").write_bytes(packed[:-20])
    with pytest.raises(DataError, match=r"corpus\.jsonl\.gz cannot be read"):
        load_set(set_folder)


def test_bytes_that_are_no_utf8_are_named(set_folder):
    with (set_folder / "queries.jsonl").open("ab") as file:
        file.write(b'{"_id": "x", "text": "\xff"}\n')
    with pytest.raises(DataError, match=r"queries\.jsonl:5: not UTF-8"):
        load_set(set_folder)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(set_folder, name):
    (set_folder / name).unlink()
    with pytest.raises(DataError, match=rf"{name}"):
        load_set(set_folder)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(DataError, match="nowhere is no folder"):
        load_set(tmp_path / "nowhere")


def test_a_reduced_set_keeps_answers_first():
    data = RetrievalSet(
        "s",
        documents={"a": "a", "b": "b", "c": "c", "d": "d"},
        queries={"q1": "1", "q2": "2", "q3": "3"},
        qrels={"q1": {"d": 1}, "q2": {"c": 1, "b": 1}, "q3": {"a": 1}},
        evidence={"q3": Evidence("a", ((0, 1),)), "q1": Evidence("d", ((0, 1),))},
    )
    small = data.reduced(2)
    assert list(small.documents) == ["c", "d"]
    assert small.qrels == {"q1": {"d": 1}, "q2": {"c": 1}}
    assert list(small.queries) == ["q1", "q2"]
    assert list(small.evidence) == ["q1"]
    assert data.reduced(4) is data
