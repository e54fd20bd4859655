"""Folders that may not be entered: listed, and the run goes on. Root may enter all, so the walk
is looked at by a process that is somebody else."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Everything is imported before the rights are dropped: Python itself may lie in root's folder.
SCRIPT = """
import json, os, sys
from pathlib import Path
from indexer.access.named import require_all, require_some
from indexer.errors import SourceNotFound
from indexer.documents import FileRecord
from indexer.ingest.projects import Projects
from indexer.sources.archives import split_member
from indexer.sources.walk import walk

folder = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
try:
    os.listdir(folder / "locked")
except PermissionError:
    pass
else:
    print("null")
    sys.exit()
locked = folder / "locked"
readme = FileRecord(
    str(locked / "README.md"), os.fsencode(locked / "README.md"), "id", 1, 1, "hash", "indexed",
    None, str(folder), 1,
)
def refusal(check, *arguments):
    try:
        check(*arguments)
    except SourceNotFound as error:
        return error.what
print(json.dumps({
    "below": [(f.path, f.error or f.excluded) for f in walk([folder])],
    "named": [(f.path, f.error or f.excluded) for f in walk([locked / "a.txt", folder / "b.txt"])],
    "member": split_member(os.fsencode(locked / "a.zip!/x")),
    "context": Projects.of([readme]).context(str(locked / "a.txt")),
    "some": refusal(require_some, [locked / "a.txt"]),
    "all": refusal(require_all, [locked / "a.txt"], [], folder),
}))
"""


@pytest.fixture
def told():
    """What the walk and its neighbours say of a folder that they may not enter."""
    with tempfile.TemporaryDirectory() as name:  # not tmp_path, which others may not enter
        folder = Path(name).resolve()
        folder.chmod(0o755)
        (folder / "locked").mkdir()
        for file in ("locked/a.txt", "locked/README.md", "locked/a.zip", "b.txt"):
            (folder / file).write_text("Words.")
        (folder / "link").symlink_to(folder / "locked/a.txt")
        (folder / "locked").chmod(0)
        try:
            done = subprocess.run(
                [sys.executable, "-c", SCRIPT, str(folder)],
                capture_output=True,
                text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                timeout=120,
            )
        finally:
            (folder / "locked").chmod(0o755)
        assert done.returncode == 0, done.stderr
        answers = json.loads(done.stdout)
        if answers is None:
            pytest.skip("whoever runs this may enter every folder")
        yield folder, answers


def test_a_folder_that_may_not_be_entered_is_listed_and_the_walk_goes_on(told):
    folder, answers = told
    assert answers["below"] == [
        [str(folder / "b.txt"), None],
        [str(folder / "link"), "permission denied"],
        [str(folder / "locked"), "permission denied"],
    ]
    assert answers["named"] == [
        [str(folder / "locked/a.txt"), "permission denied"],
        [str(folder / "b.txt"), None],
    ]


def test_what_lies_behind_it_is_not_there_and_said_to_be_denied(told):
    folder, answers = told
    assert answers["member"] is None
    assert answers["context"] == ""
    hidden = f"{folder / 'locked/a.txt'} cannot be read (permission denied)"
    assert answers["some"] == f"Nothing to index: {hidden}."
    assert answers["all"] == f"{hidden}."
