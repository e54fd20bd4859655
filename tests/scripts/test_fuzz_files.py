"""The fuzzer: the same seed spoils alike, and faults are told from errors in words."""

import importlib.util
import random

import pytest

from indexer.documents import Document, Section
from indexer.errors import GivenUp, ParseError, Unsupported
from scripts import fuzz, guided_fuzz


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"unit_starts": (0, 3, 3)},
        {"unit_starts": (1,)},
        {"unit_starts": (0, 9)},
        {"sections": (Section("a", 2, 9, 1),)},
        {"breaks": (5,)},
    ],
)
def test_places_outside_the_text_are_a_fault(wrong):
    whole = {"unit_starts": (0, 3), "sections": (Section("a", 0, 5, 1),), "breaks": (3,)}
    guided_fuzz.check_places(Document("ab\ncd", "text", "", "line", **whole))

    with pytest.raises(AssertionError):
        guided_fuzz.check_places(Document("ab\ncd", "text", "", "line", **(whole | wrong)))


@pytest.mark.skipif(importlib.util.find_spec("atheris") is not None, reason="atheris is installed")
def test_without_atheris_it_says_what_to_install(tmp_path):
    with pytest.raises(SystemExit, match="pip install atheris"):
        guided_fuzz.fuzz_all(["a.md"], 1, 1, tmp_path)
