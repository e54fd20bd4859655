"""What is tracked: nothing tied to one machine or one registry, nothing too large to clone."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MIB = 2**20
MAX_FILE_BYTES = 50 * MIB
MAX_TOTAL_BYTES = 120 * MIB
# Written in pieces, so that this file does not find itself.
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:" + "|".join(("work", "root", "farm")) + r")/")
REGISTRIES = re.compile(
    "|".join(
        (
            r"index" + r"[-_]url",
            r"find" + r"[-_]links",
            r"pypi" + r"\.org",
            r"python" + r"hosted\.org",
            r"download\.py" + r"torch\.org",
            r"registry\.np" + r"mjs\.org",
        )
    ),
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Every file under version control that is there."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z"]
    try:
        listing = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listing.decode("utf-8").split("\0") if name]
    return [path for path in paths if path.is_file()]


def places(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    """``file:line`` of every match in the files that are text."""
    found = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        lines = enumerate(text.splitlines(), start=1)
        found += [f"{path.relative_to(ROOT)}:{n}: {s}" for n, s in lines if pattern.search(s)]
    return found


def test_no_path_of_one_machine(tracked):
    assert places(MACHINE_PATHS, tracked) == []


def test_no_registry_is_named(tracked):
    """Where packages come from is the user's setting (pip's, uv's), never the repository's."""
    assert places(REGISTRIES, tracked) == []


def test_a_clone_is_small(tracked):
    sizes = {path.relative_to(ROOT).as_posix(): path.stat().st_size for path in tracked}
    assert {name: size for name, size in sizes.items() if size > MAX_FILE_BYTES} == {}
    assert sum(sizes.values()) < MAX_TOTAL_BYTES


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (MACHINE_PATHS, "open('/" + "work/main/a.pdf')"),
        (REGISTRIES, "pip install --extra-index" + "-url x"),
        (REGISTRIES, "https://PyPI" + ".org/simple"),
    ],
)
def test_the_checks_bite(pattern, line):
    assert pattern.search(line)
    assert not pattern.search("a frame/work/bench, the working index, pypi")
