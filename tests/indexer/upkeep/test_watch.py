"""A watched folder: edits, saves by rename, moves and deletions reach the index by themselves."""

import contextlib
import queue
import shutil
import threading

import pytest
from watchfiles import Change

from indexer.errors import SourceNotFound
from indexer.ingest.report import IngestReport
from indexer.store.lock import write_lock
from indexer.upkeep.watch import _OurChanges, _update
from lmk_encoder.errors import LmkError
from tests.indexer.conftest import TEXTS, write
from tests.indexer.invariants import check_whole

WAIT_S = 120


@contextlib.contextmanager
def watching(index, path):
    """The reports of an index that is watching ``path``."""
    told: queue.Queue[IngestReport | LmkError] = queue.Queue()
    stop = threading.Event()
    thread = threading.Thread(
        target=index.watch,
        args=([path],),
        kwargs={"quiet_s": 0.3, "on_update": told.put, "stop": stop},
    )
    thread.start()
    try:
        yield told
    finally:
        stop.set()
        thread.join(WAIT_S)
    assert not thread.is_alive()


@pytest.fixture
def watched(index, collection):
    """The reports of an index that is watching the collection."""
    with watching(index, collection) as told:
        yield told


def until_told(told, seen, change):
    """Wait for ``change``; that the folder is not there for a moment may be told before."""
    while change not in seen:
        report = told.get(timeout=WAIT_S)
        if isinstance(report, IngestReport):
            seen += [("added", path) for path in report.added]


def until(told, is_done):
    """Wait for reports until ``is_done`` says that what they told together is enough."""
    changes = []
    while not is_done(changes):
        report = told.get(timeout=WAIT_S)
        assert isinstance(report, IngestReport), report
        changes += [("added", p) for p in report.added]
        changes += [("changed", p) for p in report.changed]
        changes += [("moved", p) for p in report.moved]
        changes += [("removed", p) for p in report.removed]


def test_the_index_follows_its_folder(index, collection, watched):
    until(watched, lambda done: len(done) == len(TEXTS))

    new = write(collection / "notes/new.txt", "A zeppelin passed.\n", age_s=0)
    until(watched, lambda done: ("added", str(new)) in done)
    assert index.search("zeppelin", k=1)[0].path == str(new)

    draft = write(collection / "notes/.new.txt.swp", "A balloon passed.\n", age_s=0)
    draft.replace(new)  # as editors save
    until(watched, lambda done: ("changed", str(new)) in done)
    assert index.search("balloon", k=1)[0].path == str(new)

    moved = new.rename(collection / "moved.txt")
    until(watched, lambda done: ("moved", str(moved)) in done)

    moved.unlink()
    until(watched, lambda done: ("removed", str(moved)) in done)
    assert check_whole(index) == len(TEXTS)


@pytest.mark.parametrize("how", ["moved", "removed"])
def test_a_folder_that_is_replaced_is_watched_on(index, collection, watched, how):
    until(watched, lambda done: len(done) == len(TEXTS))
    if how == "moved":
        collection.rename(collection.with_name("old"))
    else:
        shutil.rmtree(collection)
    first = write(collection / "first.txt", "A zeppelin passed.\n", age_s=0)
    seen = []
    until_told(watched, seen, ("added", str(first)))
    second = write(collection / "second.txt", "A balloon passed.\n", age_s=0)
    until_told(watched, seen, ("added", str(second)))


def test_the_target_of_a_named_link_is_watched(index, tmp_path):
    target = write(tmp_path / "there/target.txt", "A zeppelin passed.\n")
    (tmp_path / "here").mkdir()
    link = tmp_path / "here/link.txt"
    link.symlink_to(target)
    with watching(index, link) as told:
        until(told, lambda done: ("added", str(link)) in done)
        write(target, "A balloon passed by.\n", age_s=0)
        until(told, lambda done: ("changed", str(link)) in done)
        other = write(tmp_path / "other/target.txt", "A glider passed by.\n", age_s=50)
        link.unlink()
        link.symlink_to(other)
        until(told, lambda done: ("changed", str(link)) in done)
        write(other, "A kite passed by, too.\n", age_s=0)
        until(told, lambda done: ("changed", str(link)) in done)


def test_a_busy_index_is_tried_again(index, collection, watched, monkeypatch):
    until(watched, lambda done: len(done) == len(TEXTS))
    monkeypatch.setattr("indexer.upkeep.watch._BUSY_PAUSE_S", 0.1)
    with write_lock(index.path):
        new = write(collection / "new.txt", "A zeppelin passed.\n", age_s=0)
        with pytest.raises(queue.Empty):
            watched.get(timeout=2)
    until(watched, lambda done: ("added", str(new)) in done)


@pytest.mark.parametrize("where", ["node_modules/pkg", ".venv/lib/site-packages", ".git/x"])
def test_a_named_folder_is_watched_wherever_it_lies(tmp_path, where):
    root, index_path = tmp_path / where, tmp_path / where / "index.lmk"
    is_ours = _OurChanges([root], index_path)
    assert is_ours(Change.added, str(root / "notes/new.txt"))
    assert is_ours(Change.deleted, str(root / "node_modules"))
    assert not is_ours(Change.added, str(root / "node_modules/a/b.js"))
    assert not is_ours(Change.modified, str(index_path / "tables-1/x"))
    assert not is_ours(Change.modified, str(tmp_path / "beside.txt"))


def test_an_error_of_the_disk_is_told_and_does_not_end_the_watch():
    def add():
        raise PermissionError(13, "Permission denied", "/disk")

    told = []
    assert _update(add, told.append, threading.Event())
    assert [str(error) for error in told] == [
        "The files cannot be read: [Errno 13] Permission denied: '/disk'. "
        "The next change tries again."
    ]


def test_a_path_that_was_never_there_is_only_missing(index, tmp_path):
    with pytest.raises(SourceNotFound) as caught:
        index.watch([tmp_path / "nowhere"])
    assert "lost" not in str(caught.value)
    assert "nowhere does not exist" in str(caught.value)
