import gzip
import json
import lzma
import pickle

import pytest

from lmk_encoder.errors import DataError
from lmk_encoder.training.lines import JsonLines
from lmk_encoder.training.rows import Pair, Text
from lmk_encoder.training.sources import open_rows, passage_texts


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("suffix", "pack"), [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)]
)
def test_lines_are_read_by_number_compressed_or_not(tmp_path, suffix, pack):
    path = tmp_path / f"rows.jsonl{suffix}"
    path.write_bytes(pack('{"n": 1}\n\n{"n": "é"}'.encode()))

    lines = pickle.loads(pickle.dumps(JsonLines(path)))  # as a worker process gets it

    assert [lines[1], lines[0], len(lines)] == [{"n": "é"}, {"n": 1}, 2]
    assert lines.where(1) == f"{path}:3"  # blank lines count in the file


def test_a_broken_row_is_named_with_file_and_line(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"query": "q", "positive": "p"}\n\n{"query": "q"}\n', encoding="utf-8")

    with pytest.raises(DataError, match=r"rows\.jsonl:3 cannot be used: it has no 'positive'"):
        open_rows(path)


def test_a_line_that_is_no_json_is_named(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "a"}\n{"text": \n', encoding="utf-8")

    with pytest.raises(DataError, match=r"rows\.jsonl:2 is no JSON"):
        open_rows(path)


def test_pairs_and_texts_do_not_mix_in_one_source(tmp_path):
    path = write_lines(tmp_path / "rows.jsonl", [{"text": "a"}, {"query": "q", "positive": "p"}])

    with pytest.raises(DataError, match=r"rows\.jsonl:2 is of another kind"):
        open_rows(path)


@pytest.mark.parametrize("content", [None, b"", b"not packed"])
def test_a_file_that_is_absent_empty_or_damaged(tmp_path, content):
    path = tmp_path / "rows.jsonl.xz"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(DataError, match=r"rows\.jsonl\.xz"):
        open_rows(path)


def test_a_folder_is_its_files_in_order(tmp_path):
    write_lines(tmp_path / "b.jsonl", [{"text": "second"}, {"text": "third"}])
    write_lines(tmp_path / "a.jsonl", [{"text": "first"}])

    rows = open_rows(tmp_path)

    assert [rows[i] for i in range(len(rows))] == [Text("first"), Text("second"), Text("third")]
    with pytest.raises(IndexError):
        rows[3]


def write_beir(folder, qrels):
    folder.mkdir()
    corpus = [{"_id": "d1", "title": "T", "text": "one"}, {"_id": "d2", "text": "two"}]
    write_lines(folder / "corpus.jsonl", corpus)
    write_lines(folder / "queries.jsonl", [{"_id": "q1", "text": "which"}])
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + qrels, encoding="utf-8")
    return folder


def test_a_beir_folder_gives_a_row_for_every_relevant_document(tmp_path):
    rows = open_rows(write_beir(tmp_path / "set", "q1\td2\t1\nq1\td1\t2\nq1\td1\t0\n"))

    assert [rows[i] for i in range(len(rows))] == [
        Pair("which", ("two",)),
        Pair("which", ("T one",)),
    ]
    assert passage_texts(rows) == ["two", "T one"]


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("q1\td9\t1\n", r"qrels\.tsv:2 names the document 'd9'"),
        ("q7\td1\t1\n", r"qrels\.tsv:2 names the query 'q7'"),
        ("q1 d1 1\n", r"qrels\.tsv:2 is no judgement"),
        ("q1\td1\t0\n", "judges nothing"),
    ],
)
def test_broken_judgements_are_named(tmp_path, qrels, message):
    with pytest.raises(DataError, match=message):
        open_rows(write_beir(tmp_path / "set", qrels))


def test_rows_can_be_chosen_and_clustered_by_their_other_keys(tmp_path):
    rows = [
        {"query": "a", "positive": "p", "type": "x", "source": "s1"},
        {"query": "b", "positive": "p", "type": "y"},
        {"query": "c", "positive": "p", "type": "x", "source": "s2"},
        {"query": "d", "positive": "p", "type": "x", "source": "s1"},
    ]
    path = write_lines(tmp_path / "rows.jsonl", rows)

    chosen = open_rows(path, {"type": "x"})

    assert [chosen[i].query for i in range(len(chosen))] == ["a", "c", "d"]
    one, other, same = chosen.clusters("source")
    assert one == same != other
    with pytest.raises(DataError, match=r"no rows with \{'type': 'z'\}"):
        open_rows(path, {"type": "z"})
