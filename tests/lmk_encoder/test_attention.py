"""Sequences one after another: each attends to itself, and to nothing else."""

import pytest
import torch

from lmk_encoder.attention import attend, attend_nested

LENGTHS = [4, 4, 1, 7, 4]


@pytest.fixture
def parts():
    """Queries, keys, values of two heads of four dimensions, three rows of junk behind."""
    return torch.randn(3, sum(LENGTHS) + 3, 2, 4, generator=torch.Generator().manual_seed(0))


def by_hand(queries, keys, values):
    """One sequence: softmax of scaled products, head by head."""
    heads = []
    for head in range(queries.shape[1]):
        scores = queries[:, head] @ keys[:, head].T / 4**0.5
        heads.append(scores.softmax(dim=1) @ values[:, head])
    return torch.cat(heads, dim=1)


def test_each_sequence_attends_to_itself(parts):
    mixed = attend(*parts, num_queries=LENGTHS, num_keys=LENGTHS)

    expected = [by_hand(*sequence) for sequence in parts[:, :-3].split(LENGTHS, dim=1)]
    torch.testing.assert_close(mixed[:-3], torch.cat(expected))
    assert not mixed[-3:].any()


def test_some_queries_of_each_sequence(parts):
    """Two, none, one, three and one of them; the first is missing where it is asked for none."""
    queries, keys, values = parts
    counts = [2, 0, 1, 3, 1]
    wanted = torch.tensor([0, 3, 8, 9, 12, 15, 17])

    mixed = attend(queries[wanted], keys, values, num_queries=counts, num_keys=LENGTHS)

    everything = attend(*parts, num_queries=LENGTHS, num_keys=LENGTHS)
    torch.testing.assert_close(mixed, everything[wanted])


def test_the_call_for_gpus_gives_the_same(parts):
    mixed = attend(*parts, num_queries=LENGTHS, num_keys=LENGTHS)

    torch.testing.assert_close(attend_nested(*parts, LENGTHS), mixed[:-3])
