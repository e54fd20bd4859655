import pytest

from lmk_encoder.training.rows import Pair, Text, parse_row


def test_pairs_and_triples():
    assert parse_row({"query": "q", "positive": "p", "source": "x"}) == Pair("q", ("p",))
    triple = {"anchor": "q", "positive": "p", "negative": "n"}
    assert parse_row(triple) == Pair("q", ("p",), ("n",))


def test_a_row_of_flagembedding_keeps_its_scores():
    row = {"query": "q", "pos": ["p"], "neg": ["n", "m"], "pos_scores": [9], "neg_scores": [1, 2.5]}

    assert parse_row(row) == Pair("q", ("p",), ("n", "m"), (9.0,), (1.0, 2.5))


def test_null_negatives_are_none_at_all():
    """Trap T15: a null list of negatives led to an undefined variable in the authors' collator."""
    assert parse_row({"query": "q", "pos": ["p"], "neg": None}) == Pair("q", ("p",))


def test_a_null_score_counts_as_zero_and_missing_ones_unscore_the_row():
    row = {"query": "q", "pos": ["p"], "neg": ["n"], "pos_scores": [None], "neg_scores": [2]}

    assert parse_row(row).positive_scores == (0.0,)
    assert parse_row({**row, "neg_scores": None}).positive_scores is None


def test_a_plain_text():
    assert parse_row({"text": "long", "kind": "prose"}) == Text("long")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({}, "neither 'query' nor 'text'"),
        ({"query": "q"}, "no 'positive'"),
        ({"query": "  ", "positive": "p"}, "'query' should be a text"),
        ({"query": "q", "positive": 7}, "'positive' should be a text or a list"),
        ({"query": "q", "pos": ["p", ""]}, r"pos\[1\] should be a text"),
        ({"query": "q", "pos": ["p"], "pos_scores": [1, 2]}, "2 scores for 1 texts"),
        # Trap T21: negatives added without scores no longer match the list of scores.
        (
            {"query": "q", "pos": ["p"], "neg": ["n", "m"], "pos_scores": [1], "neg_scores": [2]},
            "1 scores for 2 texts",
        ),
        ({"query": "q", "pos": ["p"], "pos_scores": ["high"]}, "'high', which is no number"),
    ],
)
def test_a_broken_row_names_its_key(row, message):
    with pytest.raises(ValueError, match=message):
        parse_row(row)
