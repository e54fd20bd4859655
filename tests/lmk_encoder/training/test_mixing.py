from itertools import islice

import numpy as np

from lmk_encoder.training.mixing import Mix, MixedBatches, epoch_batches


def test_every_batch_is_of_one_source_and_devices_share_it():
    batches = list(MixedBatches([Mix(9, 1.0, 2), Mix(50, 1.0, 3)], rounds=30, devices=2, seed=1))

    assert len(batches) == 60
    for first, second in zip(batches[::2], batches[1::2], strict=True):
        assert len({key.source for key in first + second}) == 1
        assert len(first) == (2, 3)[first[0].source]


def test_no_row_comes_twice_in_an_epoch():
    batches = list(MixedBatches([Mix(6, 1.0, 2)], rounds=6, devices=1, seed=3))
    first = [key.row for batch in batches[:3] for key in batch]

    assert sorted(first) == list(range(6))
    assert [key.visit for batch in batches for key in batch] == [0] * 6 + [1] * 6
    assert first != [key.row for batch in batches[3:] for key in batch]


def test_what_does_not_fill_a_batch_is_left_out_of_the_epoch():
    assert [len(b) for b in epoch_batches(Mix(7, 1.0, 3), np.random.default_rng(0))] == [3, 3]
    assert [len(b) for b in epoch_batches(Mix(2, 1.0, 3), np.random.default_rng(0))] == [2]


def test_half_of_the_rows_come_with_their_like():
    clusters = np.arange(400) % 4
    batches = epoch_batches(Mix(400, 1.0, 10, clusters), np.random.default_rng(0))

    pure = sum(len(set(clusters[batch])) == 1 for batch in batches)

    assert sorted(row for batch in batches for row in batch) == list(range(400))
    assert 16 <= pure <= 20  # 200 rows in batches of ten, but for the rests of four clusters


def test_half_of_the_rows_come_with_their_neighbours():
    # Rows on a line, each with the two on either side of it.
    places = np.arange(200)
    near = np.stack([places + 1, places - 1, places + 2, places - 2], axis=1)
    near[(near < 0) | (near >= 200)] = -1
    batches = epoch_batches(Mix(200, 1.0, 5, neighbours=near), np.random.default_rng(0))

    close = sum(max(batch) - min(batch) < 20 for batch in batches)

    assert sorted(row for batch in batches for row in batch) == list(range(200))
    assert 18 <= close <= 21  # a batch at random is that close once in ten thousand


def test_rows_without_neighbours_come_at_random():
    none = np.full((20, 3), -1)

    batches = epoch_batches(Mix(20, 1.0, 5, neighbours=none), np.random.default_rng(0))

    assert sorted(row for batch in batches for row in batch) == list(range(20))


def test_sources_are_drawn_by_weight():
    batches = MixedBatches([Mix(9, 3.0, 1), Mix(9, 1.0, 1)], rounds=2000, devices=1, seed=0)

    share = sum(batch[0].source == 0 for batch in batches) / 2000

    assert abs(share - 0.75) < 0.03  # three standard deviations


def test_the_seed_decides_and_an_iterator_can_start_anew():
    mixed = MixedBatches([Mix(100, 1.0, 4), Mix(70, 2.0, 4)], rounds=20, devices=1, seed=7)
    other = MixedBatches([Mix(100, 1.0, 4), Mix(70, 2.0, 4)], rounds=20, devices=1, seed=8)

    assert list(mixed) == list(mixed)
    assert list(islice(mixed, 5)) == list(mixed)[:5]
    assert list(mixed) != list(other)
