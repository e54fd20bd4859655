"""scripts/pin.py lists what can be reached from the requirements, and nothing else."""

import pytest
from packaging.requirements import Requirement

from scripts import pin


def test_dependencies_of_dependencies_are_found():
    versions = pin.reachable([Requirement("pypdf[crypto]>=6")])
    assert {"pypdf", "cryptography", "cffi"} <= set(versions)
    assert "pytest" not in versions


def test_an_extra_counts_only_where_it_is_asked_for():
    assert "cryptography" not in pin.reachable([Requirement("pypdf")])


def test_versions_name_no_build():
    assert "+" not in pin.reachable([Requirement("torch")])["torch"]


def test_what_is_not_installed_is_named():
    with pytest.raises(SystemExit, match="no-such-distribution"):
        pin.reachable([Requirement("no-such-distribution>=1")])
