"""Sets in BEIR layout: titles stand before the text, and places move with them."""

import json

import pytest

from benchmarks.harness.sets import load_set


def write(folder, rows, asked):
    folder.mkdir()
    for name, lines in (("corpus", rows), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    pairs = "".join(f"{q['_id']}\t{q['right']}\t1\n" for q in asked)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{pairs}", encoding="utf-8")
    return folder


ROWS = [
    {"_id": "a", "title": "", "text": "No question asks for this one, long as it is."},
    {"_id": "b", "title": "Pumps", "text": "Mended in March."},
    {"_id": "c", "title": "", "text": "x = 1\n"},
]
ASKED = [
    {"_id": "1", "text": "when?", "right": "b", "answer": "March", "answer_start": 10},
    {"_id": "2", "text": "what?", "right": "c", "spans": [[0, 5]]},
]


def test_answers_are_found_in_the_text_as_it_is_written(tmp_path):
    data = load_set(write(tmp_path / "prose", ROWS, ASKED))
    assert len(data.texts) == 3
    for query, shown in zip(data.queries, ("March", "x = 1"), strict=True):
        (right,) = query.right
        start, end = query.answer or query.spans[0]
        assert data.texts[right][start:end] == shown
        assert query.is_held_by(start, end)
    paths = data.write(tmp_path / "files")
    assert [path.read_text() for path in paths] == data.texts


def test_a_cut_set_keeps_the_documents_that_answer(tmp_path):
    data = load_set(write(tmp_path / "prose", ROWS, ASKED), chars=30)
    assert data.texts == ["Pumps\n\nMended in March.", "x = 1\n"]
    assert len(data.queries) == 2


def test_queries_are_cut_evenly_and_code_sets_hold_python(tmp_path):
    data = load_set(write(tmp_path / "pyset", ROWS, ASKED), queries=1)
    assert [query.text for query in data.queries] == ["when?"]
    assert all(name.endswith(".py") for name in data.names)


def test_judgements_may_lie_where_beir_puts_them(tmp_path):
    folder = write(tmp_path / "prose", ROWS, ASKED)
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels/test.tsv")
    assert len(load_set(folder).queries) == 2


def test_a_missing_set_is_named(tmp_path):
    with pytest.raises(SystemExit, match="nowhere is no folder"):
        load_set(tmp_path / "nowhere")
