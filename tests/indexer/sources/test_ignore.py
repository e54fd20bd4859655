"""Ignore files decide as git does: over small random trees and patterns, and line by line."""

import os
import random
import shutil
import subprocess
import time

import pytest

from indexer.sources.ignore import IgnoreRules
from indexer.sources.walk import walk
from tests.indexer.conftest import write

NAMES = ["a", "b", "ab", "a.b", "b.a", "[a", "a]"]
ATOMS = [
    "a",
    "b",
    "*",
    "**",
    "/",
    "/",
    "**/",
    "/**",
    "*.b",
    ".",
    "?",
    "!",
    "#",
    " ",
    "\\",
    "[",
    "]",
]
ATOMS += ["[ab]", "[!a]", "[^b]", "[b-a]", "[a-]", "[]a]", "[\\a]", "[[:alpha:]]", "[[:x:]]"]


def pattern(draw):
    sign = "!" if draw.random() < 0.35 else ""
    return sign + "".join(draw.choices(ATOMS, k=draw.randint(1, 5))) + "\n"


@pytest.mark.parametrize("seed", range(3))
def test_the_files_of_any_tree_under_any_patterns_are_those_that_git_lists(tmp_path, seed):
    draw = random.Random(seed)
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    for _ in range(40):
        for entry in tmp_path.iterdir():
            if entry.is_file():
                entry.unlink()
            elif entry.name != ".git":
                shutil.rmtree(entry)
        for _ in range(12):
            path = tmp_path.joinpath(*draw.choices(NAMES, k=draw.randint(1, 4)))
            above = [p for p in path.parents if p.is_relative_to(tmp_path)]
            if not path.exists() and not any(p.is_file() for p in above):
                write(path, "x")
        told = {}
        for folder in [tmp_path, *(e for e in tmp_path.iterdir() if e.name in "a b ab")]:
            if folder.is_dir():
                told[folder.name] = "".join(pattern(draw) for _ in range(draw.randint(1, 4)))
                (folder / ".gitignore").write_text(told[folder.name])
        listed = subprocess.run(
            [*git, "ls-files", "-o", "-z", "--exclude-standard"], check=True, capture_output=True
        ).stdout.decode()
        wanted = {p for p in listed.split("\0") if p and not p.endswith(".gitignore")}
        found = {os.path.relpath(item.path, tmp_path) for item in walk([tmp_path]) if item.file}
        assert found == wanted, told


@pytest.mark.parametrize("rules", ["*\n!*/\n!*.md\n", "data/**\n!data/**/\n!data/**/*.md\n"])
def test_what_is_let_in_again_below_folders_is_found(rules):
    told = IgnoreRules(rules)
    assert told.leaves_out("data/sub", is_folder=True) is False
    assert told.leaves_out("data/sub/a.md", is_folder=False) is False
    assert told.leaves_out("data/sub/a.txt", is_folder=False) is True


@pytest.mark.parametrize("line", ["!", "foo\\", "[", "[[:nothing:]]", "/", "\\", "\ud800[", ""])
def test_a_line_that_is_no_pattern_leaves_the_others_in_force(line, caplog):
    caplog.set_level("INFO", "indexer.sources.ignore")
    rules = IgnoreRules(f"secret.txt\n{line}\n*.key\n", "/r/.gitignore")
    assert rules.leaves_out("secret.txt", is_folder=False)
    assert rules.leaves_out("sub/a.key", is_folder=False)
    assert rules.leaves_out("foo", is_folder=False) is None
    assert ("/r/.gitignore: the line" in caplog.text) is bool(line)


def test_a_range_that_ends_before_it_begins_is_no_error():
    rules = IgnoreRules("[z-a]\n*.log\n")
    assert [rules.leaves_out(name, is_folder=False) for name in ("m", "x.log")] == [None, True]


@pytest.mark.parametrize(
    ("line", "path"),
    [("*a" * 40 + "b", "a" * 250), ("**/a/" * 30 + "b", "a/" * 500 + "c")],
)
def test_many_stars_take_no_longer_than_few(line, path):
    begun = time.process_time()
    assert IgnoreRules(line).leaves_out(path, is_folder=False) is None
    assert time.process_time() - begun < 1
