"""Faults that users of other systems met in their stores: one test a row of the list, by number.

Each builds its own input. What is checked elsewhere in depth is checked here in its plain form.
"""

from pathlib import Path

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write
from tests.indexer.invariants import check_whole


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
