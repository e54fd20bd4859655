"""From landmark scores to passages: hand-made curves with one right answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search.localise import (
    MAX_LANDMARKS,
    Peak,
    blend,
    find_peaks,
    lifted,
    meaning_curve,
    word_curve,
)


def test_rare_words_of_the_document_decide_the_place():
    """Term 0 is everywhere, term 1 only in landmark 3: that is the place."""
    counts = np.array([[1, 1, 1, 1, 1], [0, 0, 0, 2, 0]])
    assert int(np.argmax(word_curve(counts))) == 3


def test_words_spread_over_neighbours_beat_one_word_alone():
    counts = np.array([[1, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]])
    curve = word_curve(counts)
    assert curve[4] > curve[0]
    assert curve[5] > curve[0]


def test_a_word_said_again_says_little_more_and_beside_a_place_half():
    curve = word_curve(np.array([[1, 0, 0, 4, 0, 0, 2]]))
    assert curve == pytest.approx([0.75, 0.5, 0.5, 1.0, 0.5, 0.5, 1.0])


def test_words_in_the_titles_above_help_and_count_less():
    counts = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]])
    headed = np.array([[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0]])
    curve = word_curve(counts, headed)
    assert curve[5] > word_curve(counts)[5] == 0
    assert curve[0] > curve[5]


def test_a_common_word_weighs_no_more_in_a_title():
    """In five of six landmarks it weighs ln(7/5.5), however rare it is in titles; the other word,
    in one of six, ln(7/1.5). A title gives 0.7 of the weight."""
    counts = np.array([[1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1]])
    headed = np.array([[0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0]])
    gain = word_curve(counts, headed) - word_curve(counts)
    assert gain == pytest.approx([0, 0, 0, 0, 0, 0.7 * 0.24116 / (0.24116 + 1.54045)], abs=1e-5)


def test_words_of_the_title_tell_little():
    """Both terms are equally rare; the one that only names the document loses."""
    counts = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]])
    assert word_curve(counts)[0] == word_curve(counts)[5]
    curve = word_curve(counts, naming=np.array([True, False]))
    assert curve[5] > 2 * curve[0]


def test_words_the_document_lacks_make_words_tell_less():
    counts = np.array([[1, 0, 0]])
    assert word_curve(counts, missing=3).max() < word_curve(counts).max()


def test_the_topic_of_the_document_tells_nothing_of_the_place():
    """Landmark 0 is the topic itself, landmark 1 has a little of the query's own direction."""
    document = np.array([1.0, 0.0, 0.0], dtype=np.float32)
    query = np.array([0.8, 0.6, 0.0], dtype=np.float32)
    landmarks = np.array([[1, 0, 0], [0.6, 0.8, 0], [0.6, 0, 0.8]], dtype=np.float32)
    assert int(np.argmax(landmarks @ query)) == 1
    curve = meaning_curve(landmarks, document, query)
    assert curve.tolist() == [0.0, 1.0, 0.0]


def test_what_holds_what_was_asked_for_exactly_stands_above_all_else():
    curve = lifted(np.array([1.0, 0.0, 0.4]), np.array([False, True, True]))
    assert curve.tolist() == [0.5, 0.5, 0.7]


def test_without_matching_words_meaning_alone_decides():
    cosines = np.array([0.1, 0.8, 0.2])
    curve = blend(cosines, np.zeros(3))
    assert int(np.argmax(curve)) == 1


def test_a_single_landmark_is_the_place():
    curve = blend(np.array([1.0]), np.zeros(1))
    (peak,) = find_peaks(curve, [1], limit=3)
    assert (peak.first, peak.last) == (0, 0)


def test_passages_never_run_over_a_page():
    curve = np.array([0.2, 0.9, 1.0, 0.95, 0.1])
    (peak, *_) = find_peaks(curve, [1, 1, 2, 2, 2], limit=1)
    assert (peak.first, peak.last, peak.best) == (2, 3, 2)


def test_a_peak_grows_to_the_whole_function_around_it_if_that_is_short():
    curve = np.array([0.0, 0.1, 1.0, 0.1, 0.1, 0.0, 0.0])

    def first_peak(*wholes):
        (peak, *_) = find_peaks(curve, [0] * 7, limit=1, wholes=wholes)
        return peak.first, peak.last

    assert first_peak() == (2, 2)
    assert first_peak((0, 6), (1, 3), (4, 5)) == (1, 3)  # the innermost around the peak
    assert first_peak((0, 6), (0, 4)) == (2, 2)  # five landmarks are too many to quote
    assert first_peak((1, 4)) == (1, 4)


def test_a_document_no_longer_than_a_passage_is_one():
    """Three landmarks, the first far above the rest; over a page border they stay apart."""
    curve = np.array([1.0, 0.1, 0.0])
    assert find_peaks(curve, [0, 0, 0], limit=3) == [Peak(0, 2, 0, 1.0)]
    assert find_peaks(curve, [0, 1, 1], limit=3) == [Peak(0, 0, 0, 1.0)]
    assert find_peaks(np.append(curve, [0.0, 0.0]), [0] * 5, limit=3) == [Peak(0, 0, 0, 1.0)]


def test_what_stands_next_to_a_passage_is_no_passage_of_its_own():
    """Landmarks 1 and 3 are too weak to join the peak, and good enough to be shown elsewhere."""
    curve = np.array([0.0, 0.6, 1.0, 0.6, 0.0, 0.55, 0.0])
    assert find_peaks(curve, [0] * 7, limit=3) == [Peak(2, 2, 2, 1.0), Peak(5, 5, 5, 0.55)]


def test_weak_peaks_are_not_shown():
    curve = np.array([1.0, 0.0, 0.0, 0.3])
    assert len(find_peaks(curve, [0] * 4, limit=3)) == 1


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=40),
    st.integers(1, 6),
    st.integers(1, 5),
)
def test_passages_are_disjoint_ordered_and_short(scores, limit, page_length):
    groups = [i // page_length for i in range(len(scores))]
    peaks = find_peaks(np.array(scores), groups, limit=limit)
    assert 1 <= len(peaks) <= limit
    covered = [i for peak in peaks for i in range(peak.first, peak.last + 1)]
    assert len(covered) == len(set(covered))
    assert [p.score for p in peaks] == sorted((p.score for p in peaks), reverse=True)
    for peak in peaks:
        assert peak.first <= peak.best <= peak.last < peak.first + MAX_LANDMARKS
        assert groups[peak.first] == groups[peak.last]
