"""Passages put together from rows: the parts that need no index."""

from indexer.search.passages import term_counts


def test_terms_are_counted_whole_in_each_text():
    texts = [" pump valv pump ", " pumphous ", " valv "]
    assert term_counts(texts, ["pump", "valv", "absent"]).tolist() == [
        [2, 0, 0],
        [1, 0, 1],
        [0, 0, 0],
    ]
    assert term_counts(texts, []).shape == (0, 3)
    assert term_counts([], ["pump"]).shape == (1, 0)
