"""The walk: every file once, and the rule that left a file out."""

import os
import subprocess
from pathlib import Path

import pytest

from indexer.sources.files import content_hash, is_under, path_key
from indexer.sources.walk import walk


def names(folder, found):
    return sorted(os.path.relpath(item.path, folder) for item in found if item.file)


def excluded(folder, found):
    return {os.path.relpath(f.path, folder): f.excluded for f in found if f.excluded}


def write(path, text="x"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_ignore_files_hold_below_their_folder_and_deeper_ones_win(tmp_path):
    for name in ("a.log", "keep.log", "src/b.log", "src/c.txt", "src/deep/d.tmp"):
        write(tmp_path / name)
    write(tmp_path / ".gitignore", "*.log\n!keep.log\n")
    write(tmp_path / "src/.gitignore", "!b.log\n*.tmp\n")
    found = list(walk([tmp_path]))
    assert names(tmp_path, found) == ["keep.log", "src/b.log", "src/c.txt"]
    assert excluded(tmp_path, found)["a.log"] == f".gitignore in {tmp_path}"
    assert excluded(tmp_path, found)["src/deep/d.tmp"] == f".gitignore in {tmp_path / 'src'}"


def test_the_files_are_those_that_git_lists(tmp_path):
    for name in ("a.py", "build/x.o", "docs/b.md", "docs/out/c.html", "lib/out/d.txt"):
        write(tmp_path / name)
    write(tmp_path / ".gitignore", "build/\n/docs/out\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    listed = subprocess.run(
        ["git", "-C", str(tmp_path), "ls-files", "-o", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert names(tmp_path, walk([tmp_path])) == sorted(set(listed) - {".gitignore"})


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfdrafts/\n", b"\xef\xbb\xbfdrafts/\r\n#\r\n"])
def test_the_first_pattern_behind_a_byte_order_mark_counts_as_in_git(tmp_path, content):
    for name in ("drafts/a.md", "b.md"):
        write(tmp_path / name)
    (tmp_path / ".gitignore").write_bytes(content)
    assert names(tmp_path, walk([tmp_path])) == ["b.md"]


def test_patterns_of_names_that_are_no_utf8_hold(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("x")
    write(tmp_path / "b.txt")
    (tmp_path / ".gitignore").write_bytes(b"caf\xe9.txt\n")
    assert names(tmp_path, walk([tmp_path])) == ["b.txt"]


@pytest.mark.parametrize("name", [".gitignore", ".lmkignore"])
def test_an_ignore_file_that_is_a_pipe_is_not_waited_for(tmp_path, name):
    write(tmp_path / "a.txt")
    os.mkfifo(tmp_path / name)
    assert names(tmp_path, walk([tmp_path])) == ["a.txt"]


def test_links_that_lead_outside_are_not_read_unless_they_are_named(tmp_path):
    root = tmp_path / "root"
    write(tmp_path / "elsewhere/secret.txt")
    write(root / "a.txt")
    (root / "in.txt").symlink_to("a.txt")
    (root / "out.txt").symlink_to(tmp_path / "elsewhere/secret.txt")
    (root / "folder").symlink_to(tmp_path / "elsewhere")
    (root / "nowhere.txt").symlink_to(tmp_path / "gone.txt")
    found = list(walk([root]))
    assert names(root, found) == ["a.txt", "in.txt"]
    assert excluded(root, found) == {
        "folder": "link to a folder",
        "out.txt": "link that leads outside (name it to index it)",
    }
    assert [f.error for f in found if f.error] == ["does not exist"]

    # Both paths were named: it leads from one into the other.
    both = names(root, walk([root, tmp_path / "elsewhere"]))
    assert both == ["../elsewhere/secret.txt", "a.txt", "in.txt", "out.txt"]
    assert names(root, walk([root / "out.txt"])) == ["out.txt"]
    assert names(root, walk([root, root / "out.txt"])) == ["a.txt", "in.txt", "out.txt"]
    (tmp_path / "alias").symlink_to(root)
    aliased = names(tmp_path, walk([tmp_path / "alias"]))
    assert aliased == ["alias/a.txt", "alias/in.txt"]


def test_hidden_files_tools_and_nested_checkouts_are_left_out_with_their_rule(tmp_path):
    for name in (".env", "node_modules/a.js", "sub/.git/HEAD", "sub/b.py", "c.py"):
        write(tmp_path / name)
    found = list(walk([tmp_path]))
    assert names(tmp_path, found) == ["c.py"]
    rules = excluded(tmp_path, found)
    assert rules[".env"] == "hidden"
    assert rules["node_modules"] == "folder node_modules"
    assert rules["sub"].startswith("a checkout of its own")
    assert ".env" in names(tmp_path, walk([tmp_path], hidden=True))


def test_a_file_named_itself_is_read_whatever_the_rules_say(tmp_path):
    write(tmp_path / ".gitignore", "*.log\n")
    write(tmp_path / "a.log")
    assert names(tmp_path, walk([tmp_path / "a.log"])) == ["a.log"]


def test_link_loops_end_and_overlapping_paths_give_each_file_once(tmp_path):
    write(tmp_path / "a/b.txt")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    found = list(walk([tmp_path, tmp_path / "a", tmp_path / "a/b.txt"]))
    assert names(tmp_path, found) == ["a/b.txt"]
    assert excluded(tmp_path, found)["a/loop"] == "link to a folder"


def test_a_missing_path_is_an_error_and_the_walk_goes_on(tmp_path):
    write(tmp_path / "a.txt")
    found = list(walk([tmp_path / "nowhere", tmp_path]))
    assert [f.error for f in found if f.error] == ["does not exist"]
    assert names(tmp_path, found) == ["a.txt"]


def test_special_files_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert excluded(tmp_path, walk([tmp_path])) == {"pipe": "not a regular file"}


def test_names_that_are_no_utf8_have_a_key_and_open(tmp_path):
    raw = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(raw)).write_text("x")
    (found,) = walk([tmp_path])
    assert found.path.endswith("/caf\\xe9.txt")
    assert len(content_hash(found.file.open_path())) == 64


def test_deep_trees_are_walked(tmp_path):
    folder = tmp_path
    for _ in range(300):
        folder = folder / "d"
        folder.mkdir()
    write(folder / "deep.txt")
    assert len(names(tmp_path, walk([tmp_path]))) == 1


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/a/b", "/a", True),
        ("/a", "/a", True),
        ("/ab", "/a", False),
        ("/aXb/c", "/a_b", False),
        ("/a/b", "/", True),
        ("/a/b", "/a/", True),
    ],
)
def test_a_folder_holds_whole_path_parts_only(path, folder, expected):
    assert is_under(path, folder) is expected


def test_keys_are_composed(tmp_path):
    assert path_key(tmp_path / "o\u0301") == path_key(tmp_path / "\u00f3")
