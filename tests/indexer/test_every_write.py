"""A writer that dies at any single write: before, nothing is half shown; after, all is mended.

Every call that changes an index on disk is counted, and the run dies at the n-th, for all n.
"""

import shutil
from pathlib import Path

import lancedb.table
import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.store import session
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import TEXTS, write
from tests.indexer.invariants import check_shown, check_whole

MOST_WRITES = 60


class Died(BaseException):
    """Stands for SIGKILL: nothing on the way may catch it."""


class Countdown:
    """Lets so many writes pass, then dies at every further one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = 10**9
        for name in ("add", "delete", "optimize", "merge_insert", "create_index"):
            self.wrap(monkeypatch, lancedb.table.LanceTable, name)
        for name in ("write_manifest", "remove_other_tables"):
            self.wrap(monkeypatch, session, name)

    def wrap(self, monkeypatch, owner, name):
        original = getattr(owner, name)

        def counted(*arguments, **options):
            if self.left <= 0:
                raise Died
            self.left -= 1
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, counted)


def opened(path: Path) -> DocumentIndex:
    return DocumentIndex(path, settings=Settings(parse_workers=1), encoder=KeywordEncoder())


def change(collection: Path) -> None:
    write(collection / "notes/pump.md", "A pump with other words.\n", age_s=40)
    write(collection / "new.txt", "New words came.\n", age_s=40)
    (collection / "page.html").rename(collection / "moved.html")
    (collection / "notes/roof.txt").unlink()


OPERATIONS = {
    "create": lambda index, collection: index.add([collection]),
    "update": lambda index, collection: index.add([collection]),
    "remove": lambda index, collection: index.remove([collection / "notes"]),
    "rebuild": lambda index, collection: index.rebuild([collection]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_dying_at_any_write(name, collection, tmp_path, monkeypatch):
    base = tmp_path / "base"
    if name != "create":
        opened(base).add([collection])
    if name == "update":
        change(collection)
    countdown = Countdown(monkeypatch)
    for n in range(MOST_WRITES):
        path = tmp_path / f"i{n}"
        if base.exists():
            shutil.copytree(base, path)
        countdown.left = n
        try:
            OPERATIONS[name](opened(path), collection)
            break
        except Died:
            pass
        countdown.left = 10**9
        if opened(path).exists:
            check_shown(opened(path))
            opened(path).search("pump")
        OPERATIONS[name](opened(path), collection)
        expected = 2 if name == "remove" else len(TEXTS)
        assert check_whole(opened(path)) == expected, f"after dying at write {n}"
    else:
        pytest.fail("the operation never ran to its end")
    assert n >= 4, "the operation must have several writes to die at"
