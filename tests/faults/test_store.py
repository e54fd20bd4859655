"""Faults that users of other systems met in their stores: one test a row of the list, by number.

Each builds its own input. What is checked elsewhere in depth is checked here in its plain form.
"""

import os
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.errors import DiskFull, IndexBusy, IndexMismatch
from indexer.store.tables import Tables
from lmk_encoder.errors import LmkError
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write
from tests.indexer.invariants import check_shown, check_whole, contents, tables_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def index(tmp_path: Path):
    opened = DocumentIndex(
        tmp_path / "index.lmk", settings=Settings(parse_workers=1), encoder=KeywordEncoder()
    )
    yield opened
    opened.close()


def on_disk(index: DocumentIndex) -> dict[str, tuple[int, int]]:
    """Size and time stamp of everything in the folder of the index."""
    return {
        str(file): (file.stat().st_size, file.stat().st_mtime_ns)
        for file in [index.path, *index.path.rglob("*")]
    }


def test_12_no_file_is_left_out_without_a_word(index, tmp_path):
    folder = tmp_path / "d"
    write(folder / "one-line.txt", "word " * 60_000)
    write(folder / "package.lock", "lock " * 1000)
    write(folder / "empty.txt", "")
    write(folder / "noise.bin", bytes(range(256)) * 20)
    write(folder / ".hidden.txt", "Hidden text.")
    write(folder / "logs/today.txt", "Ignored text.")
    write(folder / ".gitignore", "logs/\n")
    write(folder / "broken.pdf", b"%PDF-1.7\nbroken")
    report = index.add([folder])
    told = {Path(record.path).name: record for record in index.files()}
    assert told["one-line.txt"].state == told["package.lock"].state == "indexed"
    assert told["empty.txt"].state == "no text"
    assert told["broken.pdf"].state == "failed"
    for name, rule in (
        ("noise.bin", "not a text"),
        (".hidden.txt", "hidden"),
        ("logs", ".gitignore"),
    ):
        assert told[name].state == "excluded"
        assert rule in told[name].reason
    counts = index.status().files
    assert sum(counts.values()) == len(told)
    assert counts["excluded"] == len(report.excluded)
    assert counts["indexed"] == len(report.added)


def test_34_a_second_run_writes_nothing(index, tmp_path):
    folder = tmp_path / "d"
    write(folder / "a.txt", "A text about pumps.\n")
    write(folder / "fresh.txt", "Written just now.\n", age_s=0)
    write(folder / "broken.pdf", b"%PDF-1.7\nbroken")
    write(folder / "empty.txt", "")
    first = index.add([folder])
    before = on_disk(index)
    second = index.add([folder])
    assert on_disk(index) == before
    assert (second.added, second.changed, second.documents) == ([], [], 0)
    assert len(second.unchanged) == len(first.added) == 2
    assert [record.path for record in second.failed] == [str(folder / "broken.pdf")]


def test_38_near_duplicates_share_one_place(index, tmp_path):
    """Equal bytes are one document; equal words in other bytes are shown as one."""
    folder = tmp_path / "d"
    write(folder / "a.txt", "The cellar pump was replaced in March.\n")
    write(folder / "copy.txt", "The cellar pump was replaced in March.\n")
    write(folder / "dos.txt", "The cellar pump\r\nwas replaced in March.\r\n")
    write(folder / "other.txt", "A pump of another make.\n")
    index.add([folder])
    assert check_whole(index) == 3
    hits = index.search("cellar pump", k=10)
    assert len(hits) == 2
    assert {*hits[0].paths, *hits[0].duplicates} == {
        str(folder / name) for name in ("a.txt", "copy.txt", "dos.txt")
    }
    assert hits[1].duplicates == ()
    assert len(index.search("cellar pump", k=1)) == 1
    index.remove([folder / "a.txt", folder / "copy.txt"])
    (first, _) = index.search("cellar pump", k=10)
    assert (first.paths, first.duplicates) == ((str(folder / "dos.txt"),), ())


def test_14_a_loop_of_links_ends_and_a_link_outside_is_not_followed(index, tmp_path):
    write(tmp_path / "d/a/b/deep.txt", "A text in the depth.\n")
    write(tmp_path / "elsewhere/secret.txt", "Outside of the root.\n")
    (tmp_path / "d/a/b/loop").symlink_to(tmp_path / "d/a")
    (tmp_path / "d/out").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "d/secret.txt").symlink_to(tmp_path / "elsewhere/secret.txt")
    report = index.add([tmp_path / "d"])
    assert [Path(path).name for path in report.added] == ["deep.txt"]
    assert not [r for r in index.files() if r.doc_id and "secret" in r.path]


def test_15_a_checkout_inside_a_checkout_is_left_out_by_a_stated_rule(index, tmp_path):
    write(tmp_path / "d/main.py", "value = 1\n")
    write(tmp_path / "d/worktree/.git", "gitdir: /elsewhere/.git/worktrees/w\n")
    write(tmp_path / "d/worktree/main.py", "value = 1\n")
    index.add([tmp_path / "d"])
    (hit,) = index.search("value")
    assert hit.paths == (str(tmp_path / "d/main.py"),)
    told = {record.path: record for record in index.files()}
    assert told[str(tmp_path / "d/worktree")].state == "excluded"
    assert told[str(tmp_path / "d/worktree")].reason


def test_28_names_with_quotes_are_indexed_found_and_removed_alone(index, tmp_path):
    names = ["O'Brien.txt", "x' OR 1=1 --.txt", 'say "x".txt', "100%_a.txt", "new\nline.txt"]
    for i, name in enumerate([*names, "back\\slash.txt"]):
        write(tmp_path / "d" / name, f"Document number{i} of a strange name.\n")
    index.add([tmp_path / "d"])
    left = len(names) + 1
    assert len(index.files()) == left
    for name in names:
        left -= 1
        assert index.remove([tmp_path / "d" / name]) == 1
        assert len(index.files()) == left
    assert check_whole(index) == 1


def test_29_a_folder_name_is_no_wildcard(index, tmp_path):
    for folder in ("a_b", "aXb", "a_bc", "dir_%1", "dirXX1"):
        write(tmp_path / "d" / folder / "x.txt", f"A text in {folder}.\n")
    index.add([tmp_path / "d"])
    assert index.remove([tmp_path / "d/a_b"]) == 1
    assert index.remove([tmp_path / "d/dir_%1"]) == 1
    left = {Path(record.path).parent.name for record in index.files()}
    assert left == {"aXb", "a_bc", "dirXX1"}


def test_30_new_rows_are_found_by_text_at_once(index, tmp_path):
    for i in range(3):
        write(tmp_path / f"d/{i}.txt", f"A zeppelin numbered zq{i} passed.\n")
        index.add([tmp_path / "d"])
        status = index.status()
        assert status.unindexed_rows == 0
        assert index.search(f"zq{i}", k=1)[0].path.endswith(f"/{i}.txt")
        tables = tables_of(index)
        assert len(tables.text_documents([f"zq{i}"], 5).row_ids) == 1
        assert len(tables.text_landmarks([f"zq{i}"], 5).row_ids) == 1


@pytest.mark.slow
def test_31_many_small_updates_leave_a_small_index(tmp_path, monkeypatch):
    """Every batch is one file: what compaction during the run keeps low."""
    monkeypatch.setattr("indexer.store.tables.KEEP_VERSIONS", timedelta(0))
    settings = Settings(parse_workers=1, batch_chars=1)
    index = DocumentIndex(tmp_path / "i", settings=settings, encoder=KeywordEncoder())
    for i in range(250):
        write(tmp_path / f"d/{i:03d}.txt", f"Text number{i} of many. " * 20)
    index.add([tmp_path / "d"])
    for turn in range(5):
        write(tmp_path / "d/000.txt", f"Changed in turn{turn}. " * 20, age_s=50 - turn)
        index.add([tmp_path / "d"])
    check_whole(index)
    files = [file for file in index.path.rglob("*") if file.is_file()]
    rows = [tables_of(index).read(t, t.schema.names) for t in tables_of(index).all()]
    raw = sum(table.nbytes for table in rows)
    assert len(files) < 200
    assert sum(file.stat().st_size for file in files) < 3 * raw
    index.close()


def test_32_of_two_writers_one_waits_or_is_told(index, tmp_path):
    """Two runs at once, from two processes' worth of handles: nothing is there twice."""
    for i in range(30):
        write(tmp_path / f"d/{i}.txt", f"Text number{i}.\n")
    other = DocumentIndex(index.path, settings=index.settings, encoder=KeywordEncoder())
    told: list[str] = []

    def add(one: DocumentIndex) -> None:
        try:
            one.add([tmp_path / "d"])
            told.append("done")
        except IndexBusy as error:
            told.append(str(error))

    index.add([tmp_path / "d/0.txt"])
    threads = [threading.Thread(target=add, args=(one,)) for one in (index, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "done" in told
    assert all(t == "done" or "Another process is writing" in t for t in told)
    assert check_whole(index) == 30


def test_33_what_is_deleted_is_found_by_nothing(index, tmp_path):
    for name in ("keep", "gone"):
        write(tmp_path / f"d/{name}.txt", f"A zeppelin called {name} passed.\n")
    index.add([tmp_path / "d"])
    (doc_id,) = [r.doc_id for r in index.files() if "gone" in r.path]
    (tmp_path / "d/gone.txt").unlink()
    index.add([tmp_path / "d"])
    assert [Path(hit.path).name for hit in index.search("gone zeppelin")] == ["keep.txt"]
    with pytest.raises(KeyError):
        index.document(doc_id)
    tables = tables_of(index)
    for table in tables.all():
        column = "doc_id"
        assert doc_id not in tables.read(table, [column])[column].to_pylist()


def test_35_another_model_is_refused_with_both_names_and_the_way_out(index, tmp_path):
    write(tmp_path / "d/a.txt", "A text.\n")
    index.add([tmp_path / "d"])
    before = on_disk(index)
    for encoder in (KeywordEncoder(name="other"), KeywordEncoder(32)):
        other = DocumentIndex(index.path, settings=index.settings, encoder=encoder)
        for work in (lambda o: o.search("text"), lambda o: o.add([tmp_path / "d"])):
            with pytest.raises(IndexMismatch, match=r"keywords.*--rebuild") as caught:
                work(other)
            assert encoder.name in str(caught.value)
    assert {k: v for k, v in on_disk(index).items() if "write.lock" not in k} == {
        k: v for k, v in before.items() if "write.lock" not in k
    }


def test_37_a_killed_run_is_gone_on_with(index, tmp_path):
    for i in range(40):
        write(tmp_path / f"d/{i}.txt", f"Text number{i} of many. " * 10)
    run = (
        "import sys; from indexer import DocumentIndex; from indexer.config import Settings;"
        "from lmk_encoder.testing import KeywordEncoder;"
        "s = Settings(parse_workers=1, batch_chars=600);"
        "i = DocumentIndex(sys.argv[1], settings=s, encoder=KeywordEncoder());"
        "i.add([sys.argv[2]], progress=lambda now: print(now.documents, flush=True))"
    )
    command = [sys.executable, "-c", run, str(index.path), str(tmp_path / "d")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        next(line for line in process.stdout if int(line) >= 10)
        process.kill()
    shown = check_shown(index)
    report = index.add([tmp_path / "d"])
    assert len(report.unchanged) == shown
    assert len(report.added) == 40 - shown
    assert check_whole(index) == 40
    assert index.doctor() == []


def test_54_a_missing_model_is_named_at_once(tmp_path):
    """Nothing is asked of a network: the folder that was looked at is what the message names."""
    write(tmp_path / "d/a.txt", "A text.\n")
    index = DocumentIndex.open(tmp_path / "i", model=str(tmp_path / "no-such-model"))
    begun = time.process_time()
    with pytest.raises(LmkError, match="no-such-model"):
        index.add([tmp_path / "d"])
    assert time.process_time() - begun < 5
    assert not index.exists


def test_55_indexing_with_workers_after_a_search_in_the_same_process(tmp_path):
    settings = Settings(parse_workers=3)
    index = DocumentIndex(tmp_path / "i", settings=settings, encoder=KeywordEncoder())
    write(tmp_path / "d/a.txt", "A first text.\n")
    index.add([tmp_path / "d"])
    index.search("first")
    for i in range(12):
        write(tmp_path / f"d/{i}.txt", f"Text number{i}.\n")
    assert len(index.add([tmp_path / "d"]).added) == 12
    assert check_whole(index) == 13
    index.close()


def test_56_a_run_holds_a_batch_and_no_more(tmp_path, monkeypatch):
    """Rows are written as they come: no list of all of them is ever made."""
    held: list[int] = []
    publish = Tables.publish

    def counted(self, files, documents, landmarks):
        held.append(landmarks.num_rows)
        publish(self, files, documents, landmarks)

    monkeypatch.setattr(Tables, "publish", counted)
    settings = Settings(parse_workers=1, batch_chars=2000)
    index = DocumentIndex(tmp_path / "i", settings=settings, encoder=KeywordEncoder())
    for i in range(60):
        write(tmp_path / f"d/{i}.txt", f"Text number{i} of many. " * 20)
    index.add([tmp_path / "d"])
    assert sum(held) > 100
    assert max(held) < sum(held) / 4
    index.close()


def test_57_one_worker_and_many_give_the_same_index(tmp_path):
    for i in range(25):
        write(tmp_path / f"d/{i}.txt", f"Text number{i} of many. " * (i + 1))
    write(tmp_path / "d/bad.pdf", b"%PDF-1.7\nbroken")
    stored = []
    for workers in (1, 4):
        settings = Settings(parse_workers=workers, batch_chars=2000)
        index = DocumentIndex(tmp_path / f"i{workers}", settings=settings, encoder=KeywordEncoder())
        report = index.add([tmp_path / "d"])
        assert [Path(record.path).name for record in report.failed] == ["bad.pdf"]
        stored.append(contents(index))
        index.close()
    assert stored[0] == stored[1]


def test_a_full_disk_is_told_and_loses_nothing(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk takes root")
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)]).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        settings = Settings(parse_workers=1, batch_chars=20_000)
        index = DocumentIndex(disk / "i", settings=settings, encoder=KeywordEncoder(384))
        write(tmp_path / "d/000.txt", "A zeppelin passed.\n")
        index.add([tmp_path / "d"])
        for i in range(1, 120):
            words = " ".join(f"word{i}x{k}" for k in range(800))
            write(tmp_path / f"d/{i:03d}.txt", words)
        with pytest.raises(DiskFull, match="Make room"):
            index.add([tmp_path / "d"])
        assert check_shown(index) >= 1
        assert index.search("zeppelin", k=1)[0].path.endswith("000.txt")
        for file in sorted((tmp_path / "d").iterdir())[3:]:
            file.unlink()
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        index.add([tmp_path / "d"])
        assert check_whole(index) == 3
        assert index.doctor() == []
        index.close()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_readers_during_writes_and_compaction_see_whole_documents(index, tmp_path):
    for i in range(10):
        write(tmp_path / f"d/{i}.txt", f"Text number{i} of a thing.\n")
    index.add([tmp_path / "d"])
    reader = DocumentIndex(index.path, settings=index.settings, encoder=KeywordEncoder())
    done, faults = threading.Event(), []

    def read() -> None:
        while not done.is_set():
            try:
                hits = reader.search("thing", k=50)
                assert len(hits) >= 9
                assert all(hit.passages for hit in hits)
            except Exception as error:
                faults.append(error)
                return

    thread = threading.Thread(target=read)
    thread.start()
    for turn in range(4):
        write(tmp_path / f"d/{turn}.txt", f"Changed number{turn} of a thing.\n", age_s=50 - turn)
        write(tmp_path / f"d/new{turn}.txt", f"New number{turn} of a thing.\n")
        index.add([tmp_path / "d"])
        tables_of(index).optimize()
    done.set()
    thread.join()
    assert faults == []
