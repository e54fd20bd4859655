"""An index in one file and out of it again."""

import errno
from dataclasses import replace

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.errors import DiskFull
from indexer.store.manifest import read_manifest, write_manifest
from indexer.upkeep.archive import _read_tables
from lmk_encoder.errors import ConfigError, ModelError
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import TEXTS
from tests.indexer.invariants import check_whole


def at(path):
    return DocumentIndex(path, settings=Settings(parse_workers=1), encoder=KeywordEncoder())


def test_an_index_travels_in_one_file(index, collection, tmp_path):
    index.add([collection])
    index.export(tmp_path / "all.lmkx")
    other = at(tmp_path / "other.lmk")
    other.import_from(tmp_path / "all.lmkx")
    assert check_whole(other) == len(TEXTS)
    assert other.doctor() == []
    assert other.verify(None).findings == []
    assert other.files() == index.files()
    assert other.search("pump replaced") == index.search("pump replaced")
    assert other.add([collection]).added == []
    with pytest.raises(ConfigError, match="is there already"):
        index.export(tmp_path / "all.lmkx")
    with pytest.raises(ConfigError, match="There is an index"):
        other.import_from(tmp_path / "all.lmkx")


@pytest.mark.parametrize("damage", ["cut", "flipped", "no archive"])
def test_a_damaged_file_makes_no_index(index, collection, tmp_path, damage):
    index.add([collection])
    file = tmp_path / "all.lmkx"
    index.export(file)
    data = bytearray(file.read_bytes())
    if damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "flipped":
        data[len(data) // 3] ^= 0xFF
    else:
        data = bytearray(b"no zip at all")
    file.write_bytes(data)
    other = at(tmp_path / "other.lmk")
    with pytest.raises(ConfigError, match="cannot be read as an exported index"):
        other.import_from(file)
    assert not other.exists
    assert not list(other.path.glob("tables-*"))

    index.export(tmp_path / "whole.lmkx")
    other.import_from(tmp_path / "whole.lmkx")  # it can be tried again
    assert check_whole(other) == len(TEXTS)


def test_what_a_killed_import_left_is_no_hindrance(index, collection, tmp_path):
    index.add([collection])
    file = tmp_path / "all.lmkx"
    index.export(file)
    other = at(tmp_path / "other.lmk")
    other.path.mkdir()
    _read_tables(file, other.path)  # killed before index.json
    other.import_from(file)
    assert check_whole(other) == len(TEXTS)


def test_a_full_disk_names_the_file_and_leaves_nothing(index, collection, tmp_path, monkeypatch):
    index.add([collection])

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pyarrow.ipc.RecordBatchStreamWriter.write_batch", full)
    with pytest.raises(DiskFull, match=r"all\.lmkx cannot be written: the disk is full"):
        index.export(tmp_path / "all.lmkx")
    assert not list(tmp_path.glob("all*"))


@pytest.mark.parametrize("name", ["nobody/nothing", "nobody", "~/nowhere"])
def test_a_model_that_only_the_index_names_is_not_fetched(collection, tmp_path, monkeypatch, name):
    def asked(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr("lmk_encoder.hub._fetched", asked)
    path = tmp_path / "i.lmk"
    at(path).add([collection])
    write_manifest(path, replace(read_manifest(path), model_path=name))
    for use in (lambda index: index.search("pump"), lambda index: index.add([collection])):
        with DocumentIndex.open(path) as index, pytest.raises(ModelError, match=f"--model {name}"):
            use(index)
    with DocumentIndex.open(path) as index:
        assert index.status().documents == len(TEXTS)
        assert index.doctor() == []


def test_a_file_that_is_not_there_makes_no_folder(tmp_path):
    with pytest.raises(ConfigError, match=r"all\.lmkx is no file"):
        at(tmp_path / "other.lmk").import_from(tmp_path / "all.lmkx")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(index, collection, tmp_path):
    index.add([collection])
    with pytest.raises(ConfigError, match=r"nowhere/all\.lmkx cannot be written: No such file"):
        index.export(tmp_path / "nowhere/all.lmkx")
