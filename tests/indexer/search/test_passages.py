"""Passages put together from rows: the parts that need no index."""

import time

import pytest

from indexer.documents import Section, Units
from indexer.search.localise import Peak
from indexer.search.passages import blanked, passage_of, term_counts
from indexer.search.rows import Landmarks

TEXTS = ("x = 1\n", "\n    y = 2\n", "\n\n", "z\n")
STARTS = (0, 6, 17, 19)
LANDMARKS = Landmarks(
    STARTS, (6, 17, 19, 21), (1, 2, 4, 6), (1, 3, 5, 6), TEXTS, ("",) * 4, ("",) * 4
)
ROW = {
    "unit": "line",
    "unit_starts": [0, 6, 7, 17, 18, 19],
    "unit_labels": [],
    "sections": [],
    "furniture": [],
}


def passage(first, last, best, score=0.5, kind="code"):
    return passage_of(Peak(first, last, best, score), LANDMARKS, ROW, frozenset(), (), kind)


def test_a_passage_knows_its_best_landmark_without_the_blanks_around_it():
    whole = passage(0, 3, 1)
    assert (whole.start, whole.end, whole.best) == (0, 20, (7, 16))
    assert "".join(TEXTS)[slice(*whole.best)] == "    y = 2"  # code keeps its indentation
    assert "".join(TEXTS)[slice(*passage(0, 3, 1, kind="text").best)] == "y = 2"
    assert passage(3, 3, 3).best == (19, 20)


def test_a_best_landmark_of_blanks_is_no_narrower_place():
    assert passage(1, 3, 2).best == (7, 20)
    assert passage(2, 2, 2) is None


def test_the_section_and_units_are_those_of_the_best_landmark():
    """The first section is long, so that the middle of the passage lies in it."""
    row = ROW | {
        "unit": "sheet",
        "unit_starts": [0, 17],
        "unit_labels": ["First", "Last"],
        "sections": [Section("Seal", 0, 17, 1), Section("Alarm", 17, 21, 1)],
    }
    found = passage_of(Peak(0, 3, 3, 0.5), LANDMARKS, row, frozenset(), (), "xlsx")
    assert (found.first, found.last, found.label) == (1, 2, "First")
    assert (found.section, found.best_units) == ("Alarm", Units(2, 2, "Last"))


def test_running_heads_are_neither_shown_at_the_ends_nor_marked():
    """The first landmark and the ``y`` of the second are furniture."""
    row = ROW | {"furniture": [(0, 6), (11, 12)]}
    found = passage_of(Peak(0, 3, 3, 0.5), LANDMARKS, row, frozenset("xyz"), (), "code")
    assert (found.start, found.text) == (7, "    y = 2\n\n\nz")
    assert found.highlights == ((19, 20),)


def test_a_score_stays_within_one():
    assert passage(0, 0, 0, score=1.18).score == 1.0
    assert passage(0, 0, 0, score=0.3).score == 0.3


def test_terms_are_counted_whole_in_each_text():
    texts = [" pump valv pump ", " pumphous ", " valv "]
    assert term_counts(texts, ["pump", "valv", "absent"]).tolist() == [
        [2, 0, 0],
        [1, 0, 1],
        [0, 0, 0],
    ]
    assert term_counts(texts, []).shape == (0, 3)
    assert term_counts([], ["pump"]).shape == (1, 0)


@pytest.mark.parametrize(
    ("offset", "expected"), [(0, "  cde  h"), (1, " cde  h"), (2, "cde  h"), (6, " h"), (7, "h")]
)
def test_furniture_is_blanked_in_any_part_of_a_text(offset, expected):
    assert blanked("abcdefgh"[offset:], offset, [(0, 2), (5, 7), (8, 9)]) == expected


def test_a_book_with_a_running_head_on_every_page_is_blanked_at_once():
    pages, words = 3_000, "x" * 1_000
    begun = time.thread_time()
    text = blanked(f"Head{words}" * pages, 0, [(1_004 * n, 1_004 * n + 4) for n in range(pages)])
    assert text == f"    {words}" * pages
    assert time.thread_time() - begun < 0.3
