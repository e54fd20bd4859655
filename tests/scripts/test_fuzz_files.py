"""The fuzzer: the same seed spoils alike, and faults are told from errors in words."""

import random

import pytest

from indexer.errors import GivenUp, ParseError, Unsupported
from scripts import fuzz


@pytest.mark.parametrize("name", ["a.pdf", "a.html", "a.epub"])
def test_one_seed_spoils_alike(name):
    once, again, other = (
        [fuzz.spoiled(name, fuzz.SEEDS[name], chance) for _ in range(5)]
        for chance in (random.Random(1), random.Random(1), random.Random(2))
    )
    if name != "a.epub":  # a zip file holds the time
        assert once == again
    assert once != other
    assert fuzz.SEEDS[name] not in once


def test_what_is_a_fault():
    assert fuzz.outcome_of(Unsupported("binary.", "Leave it.")) == "error"
    assert fuzz.outcome_of(GivenUp("too slow.", "Wait.")) == "FAULT"
    assert fuzz.outcome_of(ParseError("KeyError.", f"Leave it out; {fuzz.OURS}.")) == "FAULT"
