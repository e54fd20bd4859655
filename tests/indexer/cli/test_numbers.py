import pytest

from indexer.cli.numbers import spread


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("--lengths 1 2 3", "--lengths 1 --lengths 2 --lengths 3"),
        ("--lengths 1 --lengths 2", "--lengths 1 --lengths 2"),
        ("a --lengths 1 2 b 3", "a --lengths 1 --lengths 2 b 3"),
        ("--lengths 1 2 --seed 3 4", "--lengths 1 --lengths 2 --seed 3 4"),
        ("--lengths=1 2", "--lengths=1 2"),
        ("--lengths x 2", "--lengths x 2"),
    ],
)
def test_every_number_gets_its_option(given, read):
    assert spread(given.split(), {"--lengths"}) == read.split()
