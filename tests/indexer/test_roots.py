"""What an index remembers of the paths that were named: enough to open them again."""

import os
import shutil
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.errors import SourceNotFound
from indexer.sources.files import merged_roots, path_key
from indexer.store.manifest import read_manifest, write_manifest
from tests.indexer.conftest import write

DECOMPOSED = unicodedata.normalize("NFD", "B\u00fccher").encode()


def folder_of(parent: Path, name: bytes) -> Path:
    return Path(os.fsdecode(os.fsencode(parent) + b"/" + name))


@pytest.mark.parametrize("name", [DECOMPOSED, b"B\xfccher"], ids=["decomposed", "latin-1"])
def test_a_folder_is_found_again_however_its_name_is_spelt(index, tmp_path, name):
    folder = folder_of(tmp_path, name)
    write(folder / "a.txt", "The cellar pump.\n")
    index.add([folder])
    write(folder / "b.txt", "A brass valve.\n")
    assert (index.pending().new, index.pending().gone) == (1, 0)
    assert len(index.rebuild().added) == 2
    index.add([folder])
    assert len(read_manifest(index.path).roots) == 1

    assert index.remove([folder]) == 2
    assert read_manifest(index.path).roots == ()


def test_a_manifest_that_holds_keys_is_set_right_when_the_folder_is_named_again(index, tmp_path):
    folder = folder_of(tmp_path, DECOMPOSED)
    write(folder / "a.txt", "The cellar pump.\n")
    index.add([folder])
    old = replace(read_manifest(index.path), roots=(path_key(folder),))
    write_manifest(index.path, old)
    assert len(index.rebuild([folder]).added) == 1
    assert read_manifest(index.path).roots == (str(folder),)


def test_of_one_key_there_is_one_root(tmp_path):
    folder = folder_of(tmp_path, DECOMPOSED)
    assert merged_roots(["/x", path_key(folder)], [folder, Path("/y/../z")]) == (
        "/x",
        str(folder),
        "/z",
    )


def test_only_roots_that_still_hold_something_are_missed(index, tmp_path):
    a = write(tmp_path / "d/a.txt", "The cellar pump.\n")
    b = write(tmp_path / "d/b.txt", "A brass valve.\n")
    index.add([a, b])
    a.unlink()
    index.add([tmp_path / "d"])
    assert [record.path for record in index.files()] == [str(b)]

    with pytest.raises(SourceNotFound, match=r"a\.txt does not exist\. Check"):
        index.rebuild([tmp_path / "other/a.txt"])
    assert len(index.rebuild().added) == 1
    assert str(a) not in read_manifest(index.path).roots

    shutil.rmtree(tmp_path / "d")
    with pytest.raises(SourceNotFound, match="its documents would be lost"):
        index.rebuild()


def test_what_was_named_itself_stays_when_the_folder_around_it_is_named(index, tmp_path):
    write(tmp_path / "p/.notes/a.txt", "A hidden note.\n")
    write(tmp_path / "p/sub/.git/HEAD", "ref: refs/heads/main\n")
    write(tmp_path / "p/sub/b.txt", "A nested checkout.\n")
    write(tmp_path / "p/.gitignore", "c.txt\n")
    write(tmp_path / "p/c.txt", "An ignored file.\n")
    write(tmp_path / "p/d.txt", "A plain one.\n")
    index.add([tmp_path / "p/.notes", tmp_path / "p/sub", tmp_path / "p/c.txt"])
    report = index.add([tmp_path / "p"])

    assert report.removed == []
    assert names(report.added) == ["d.txt"]
    indexed = {record.path for record in index.files() if record.doc_id}
    assert names(indexed) == ["a.txt", "b.txt", "c.txt", "d.txt"]
    pending = index.pending()
    assert (pending.new, pending.changed, pending.gone) == (0, 0, 0)
    assert index.add([tmp_path / "p"]).added == []
    index.rebuild()
    assert {record.path for record in index.files() if record.doc_id} == indexed
    shutil.rmtree(tmp_path / "p/.notes")
    # With it goes the row that said why the folder itself had been left out.
    assert names(index.add([tmp_path / "p"]).removed) == [".notes", "a.txt"]


def names(paths):
    return sorted(Path(path).name for path in paths)
