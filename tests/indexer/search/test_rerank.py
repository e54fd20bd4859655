"""The second look, on values that can be worked out with a pencil."""

import numpy as np
import pytest

from indexer.search.rerank import gains, max_similarity, pieces


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("cellar pump", ["cellar pump"]),
        ("which pump failed, and who replaced it?", ["which pump failed", "and who replaced it?"]),
        ("one two and three four", ["one two", "three four"]),
        ("a b c d e f g h i j", ["a b c d e f g h", "i j"]),
        ("a, b, c", ["a, b, c"]),
    ],
)
def test_pieces(query, found):
    assert pieces(query) == found


def test_each_piece_looks_for_its_own_landmark():
    """The whole query finds 0.6; the pieces find 1 and 0.8: 0.5 * 0.6 + 0.5 * 0.9."""
    landmarks = np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    whole = np.array([[0.6, 0.0]], dtype=np.float32)
    parts = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)

    assert max_similarity(landmarks, whole, parts) == pytest.approx(0.75)


def test_no_document_loses_by_the_second_look():
    """(1, 3) stands for z of -1 and 1; the worst gains nothing."""
    assert gains([1.0, 3.0], 0.5).tolist() == [0.0, 1.0]
    assert gains([2.0], 1.0).tolist() == [0.0]
