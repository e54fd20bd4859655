import json

import numpy as np
import pytest

from lmk_encoder.errors import DataError
from lmk_encoder.training.mining import (
    MiningSettings,
    bm25_neighbours,
    choose_negatives,
    mine_negatives,
)
from lmk_encoder.training.rows import parse_row
from lmk_encoder.training.sources import open_rows

SCORES = np.array([0.9, 0.89, 0.5, 0.8, 0.1, 0.7], dtype=np.float32)


def choose(**settings):
    random = np.random.default_rng(0)
    return choose_negatives(SCORES, [0], MiningSettings(**settings), random)


def test_the_best_that_are_clearly_worse_than_the_answer():
    """Of ranks 1 to 4 (0.89, 0.8, 0.7, 0.5) the margin of 0.95 leaves out what is above 0.855."""
    assert choose(count=9, last=4) == ([3, 5, 2], 1)
    assert choose(count=9, last=4, margin=1.0) == ([1, 3, 5, 2], 0)


def test_ranks_are_counted_without_the_answers():
    assert choose(count=9, first=2, last=3) == ([3, 5], 0)


def test_few_are_drawn_among_the_ranks():
    chosen, _ = choose(count=2)

    assert len(chosen) == 2
    assert set(chosen) <= {3, 5, 2, 4}


def test_a_margin_below_a_negative_score_is_lower_still():
    scores = np.array([-0.5, -0.51, -0.6], dtype=np.float32)

    assert choose_negatives(scores, [0], MiningSettings(count=9), np.random.default_rng(0)) == (
        [2],
        1,
    )


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    rows = [
        ("what eats the owl", "The owl eats mice at night."),
        ("what eats the owl", "Owls are eaten by the eagle owl."),
        ("where sleeps the bat", "The bat sleeps in caves, where no owl comes."),
        ("price of coal", "Coal costs ten pounds."),
    ]
    lines = [json.dumps({"query": query, "positive": positive}) + "\n" for query, positive in rows]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_mined_rows_are_read_by_training(pairs, tmp_path, base):
    """Trap T21: the authors' miner writes keys that their collator does not read."""
    for by in ("bm25", str(base)):
        report = mine_negatives(pairs, tmp_path / "out.jsonl", MiningSettings(by, 2, margin=1.0))
        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]

        assert report.queries == len(rows) == 3
        first = parse_row(rows[0])
        assert len(first.positives) == 2
        assert not set(first.negatives) & set(first.positives)
        assert (first.negative_scores is None) is (by == "bm25")
    assert report.negatives == sum(len(row["neg"]) for row in rows)


def test_texts_without_queries_have_no_negatives(tmp_path):
    (tmp_path / "texts.jsonl").write_text('{"text": "a"}\n')

    with pytest.raises(DataError, match="texts without queries"):
        mine_negatives(tmp_path / "texts.jsonl", tmp_path / "out.jsonl", MiningSettings())


def test_neighbours_are_hard_and_answer_another_query(pairs, tmp_path):
    near = bm25_neighbours(open_rows(pairs), count=3)

    assert near.shape == (4, 3)
    assert near[0, 0] == 2  # the owl comes in the caves; row 1 has the same query
    assert near[2, :2].tolist() == [0, 1]
    assert (near != np.arange(4)[:, None]).all()
    assert near[0].tolist() == [2, 3, -1]

    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "Owls."}\n', encoding="utf-8")
    with pytest.raises(DataError, match="have no neighbours"):
        bm25_neighbours(open_rows(texts), count=3)
