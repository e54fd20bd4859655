import numpy as np

from lmk_encoder.training.stretches import best_stretch, random_stretch

TEXT = " ".join(f"word{number:03}" for number in range(200))  # eight characters each


def test_the_best_part_shares_the_rarest_words():
    text = TEXT.replace("word120", "Zebra").replace("5 ", "the ")

    part = best_stretch(text, "the zebra", 80)

    assert "Zebra" in part
    assert len(part) == 80


def test_without_shared_words_the_beginning_is_taken():
    assert best_stretch(TEXT, "nothing of it", 80) == TEXT[:80]


def test_short_texts_are_taken_whole():
    assert best_stretch("short", "q", 80) == random_stretch("short", 80, None) == "short"


def test_a_random_part_starts_at_a_word():
    parts = {random_stretch(TEXT, 80, np.random.default_rng(seed)) for seed in range(30)}

    assert len(parts) > 10
    assert all(part in TEXT and part.startswith("word") for part in parts)
