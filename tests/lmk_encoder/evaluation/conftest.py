"""A small set in BEIR layout, and a tiny base model."""

import json
from pathlib import Path

import pytest

from lmk_encoder.testing import write_tiny_checkpoint

CORPUS = [
    {"_id": "pump", "title": "Cellar", "text": "The pump was replaced in March. It is red."},
    {"_id": "roof", "title": "", "text": "The roof leaks above the library."},
    {"_id": "tide", "text": "High water comes twice a day; low water, too."},
]
QUERIES = [
    {"_id": "q1", "text": "pump replaced", "doc_id": "pump", "answer": "March", "answer_start": 25},
    {"_id": "q2", "text": "roof leaks", "doc_id": "roof", "spans": [[4, 8], [20, 33]]},
    {"_id": "q3", "text": "high water"},
    {"_id": "q4", "text": "nobody judged this"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\tpump\t1\nq2\troof\t2\nq2\tpump\t0\nq3\ttide\t1\n"


def write_set(folder: Path, corpus=CORPUS, queries=QUERIES, qrels=QRELS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("corpus", corpus), ("queries", queries)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder


@pytest.fixture
def set_folder(tmp_path: Path) -> Path:
    return write_set(tmp_path / "small")


@pytest.fixture(scope="session")
def base_model_folder(tmp_path_factory) -> Path:
    """The tiny checkpoint with the file that names its special tokens."""
    folder = tmp_path_factory.mktemp("base")
    write_tiny_checkpoint(folder)
    tokens = {"cls_token": "[CLS]", "sep_token": {"content": "[SEP]"}}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokens), encoding="utf-8")
    return folder
