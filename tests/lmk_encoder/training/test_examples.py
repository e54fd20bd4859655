import numpy as np

from lmk_encoder.training.examples import FILLED_SCORE, Key, generator, make_example
from lmk_encoder.training.rows import Pair, Text


class Listed:
    """Rows that are a list."""

    has_queries = True

    def __init__(self, *rows):
        self._rows = rows

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, row):
        return self._rows[row]


def random(seed=0):
    return np.random.default_rng(seed)


def test_negatives_are_drawn_without_replacement_and_keep_their_scores():
    """Trap T14: the authors draw with replacement, and duplicates enter the denominator."""
    negatives = tuple(f"n{i}" for i in range(7))
    row = Pair("q", ("p", "unused"), negatives, (9.0, 8.0), tuple(float(i) for i in range(7)))

    for seed in range(20):
        example = make_example(Listed(row), 0, group_size=8, random=random(seed))
        assert example.passages[0] == "p"
        assert sorted(example.passages[1:]) == sorted(negatives)
        assert example.scores[1:] == tuple(float(text[1:]) for text in example.passages[1:])


def test_a_row_without_negatives_is_filled_up_from_other_rows():
    """Trap T15: a row without negatives broke the fixed group size."""
    rows = Listed(Pair("q", ("p",)), Pair("r", ("s",)), Pair("t", ("u",)), Pair("q", ("v",)))

    example = make_example(rows, 0, group_size=3, random=random())

    assert example.passages[0] == "p"
    assert set(example.passages[1:]) == {"s", "u"}  # not "v", which answers the same query
    assert example.scores == (100.0, FILLED_SCORE, FILLED_SCORE)


def test_unscored_negatives_get_the_papers_scores():
    row = Pair("q", ("p",), ("n",))

    assert make_example(Listed(row), 0, group_size=2, random=random()).scores == (100.0, -100.0)


def test_a_text_has_no_query():
    example = make_example(Listed(Text("t")), 0, group_size=8, random=random())

    assert (example.query, example.passages) == (None, ("t",))


def test_every_use_of_a_row_draws_anew_whoever_draws():
    """Trap T19: workers forked with one global generator repeat each other's draws."""
    keys = [Key(0, row, visit) for row in range(20) for visit in range(2)]
    drawn = [generator(5, key, 0).integers(10**9) for key in keys]

    assert len(set(drawn)) == len(keys)
    assert drawn[7] == generator(5, keys[7], 0).integers(10**9)
    assert drawn[7] != generator(6, keys[7], 0).integers(10**9)
