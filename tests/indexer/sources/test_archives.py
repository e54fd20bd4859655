"""Archives as folders: members and limits. Names that lead out: tests/faults, number 58."""

import io
import tarfile
import zipfile

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.sources import archives
from indexer.sources.archives import ArchiveRefused, is_archive, members, split_member
from indexer.sources.files import is_under
from indexer.sources.unpacking import Unpacker
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write


def make_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def make_tar(path, files, mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content.encode()))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return path


@pytest.fixture
def collection(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


@pytest.fixture
def add(tmp_path, collection):
    """Index the collection; give states and reasons by what follows the folder's name."""

    def add(**settings):
        chosen = Settings(parse_workers=1, **settings)
        with DocumentIndex(tmp_path / "x", settings=chosen, encoder=KeywordEncoder()) as index:
            index.add([collection])
            return {
                r.path.removeprefix(f"{collection}/"): (r.state, r.reason) for r in index.files()
            }

    return add


FILES = {"docs/pump.txt": "the pump leaks\n", "roof.md": "# Roof\n\ntiles\n"}


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_members_are_files_with_paths_of_their_own(collection, add, make):
    name = "a.zip" if make is make_zip else "a.tar.gz"
    path = make(collection / name, FILES)

    found = add(archives=True)
    assert found[f"{name}!/docs/pump.txt"] == ("indexed", None)
    assert found[f"{name}!/roof.md"] == ("indexed", None)
    assert name not in found
    again = add(archives=True)
    assert again == found

    make(path, {"roof.md": FILES["roof.md"]})
    assert f"{name}!/docs/pump.txt" not in add(archives=True)
    assert add()[name][0] == "excluded"  # without the switch, the archive is one file again


def test_members_are_found_like_files(tmp_path, collection):
    make_zip(collection / "a.zip", FILES)
    settings = Settings(parse_workers=1, archives=True)
    with DocumentIndex(tmp_path / "x", settings=settings, encoder=KeywordEncoder()) as index:
        index.add([collection])
        (hit, *_) = index.search("pump leaks")
        assert hit.path == f"{collection}/a.zip!/docs/pump.txt"
        assert index.document(hit.doc_id).text == "the pump leaks\n"
        pending = index.pending()
        assert (pending.gone, pending.retry) == (0, 0)
        assert index.remove([collection / "a.zip"]) == 2
        assert index.files() == []


def test_bombs_and_damaged_archives_are_excluded_with_the_reason(collection, add, monkeypatch):
    make_zip(collection / "bomb.zip", {"big.txt": "0" * (11 << 20), "a.txt": "words"})
    make_zip(collection / "outer.zip", {"inner.zip": "PK", "a.txt": "other words"})
    (collection / "broken.zip").write_bytes(b"PK\x03\x04 and no more")
    found = add(archives=True)

    assert found["bomb.zip!/big.txt"] == ("excluded", "packed too tightly to be true")
    assert found["bomb.zip!/a.txt"][0] == "indexed"
    assert "archive within an archive" in found["outer.zip!/inner.zip"][1]
    assert "damaged archive" in found["broken.zip"][1]

    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 10)
    with pytest.raises(ArchiveRefused, match="unpacks to more than 10 bytes"):
        members(collection / "outer.zip")


def test_a_tar_that_ends_with_an_office_file_is_read_as_a_tar(tmp_path, collection, add):
    book = make_zip(tmp_path / "report.docx", {"word/document.xml": "<x/>"})
    with tarfile.open(collection / "backup.tar", "w") as archive:
        for name, content in FILES.items():
            write(tmp_path / name, content)
            archive.add(tmp_path / name, name)
        archive.add(book, "report.docx")
    assert zipfile.is_zipfile(collection / "backup.tar"), "the premise: it could pass for a zip"

    assert [m.name for m in members(collection / "backup.tar")] == [*FILES, "report.docx"]
    found = add(archives=True)
    assert found["backup.tar!/docs/pump.txt"] == ("indexed", None)
    assert found["backup.tar!/roof.md"] == ("indexed", None)
    assert "backup.tar!/report.docx" in found


def test_a_zip_behind_a_program_is_a_zip_still(tmp_path):
    inside = make_zip(tmp_path / "inside.zip", FILES).read_bytes()
    path = tmp_path / "a.zip"
    path.write_bytes(b"#!/bin/sh\n" + inside)
    assert [m.name for m in members(path)] == list(FILES)


@pytest.mark.parametrize("name", ["empty.zip", "empty.tar", "folders.zip", "folders.tar"])
def test_an_archive_without_files_is_listed(collection, add, name):
    if name.endswith(".zip"):
        make_zip(collection / name, {"docs/": ""} if name == "folders.zip" else {})
    else:
        with tarfile.open(collection / name, "w") as archive:
            if name == "folders.tar":
                folder = tarfile.TarInfo("docs")
                folder.type = tarfile.DIRTYPE
                archive.addfile(folder)
    assert add(archives=True) == {name: ("excluded", "an archive without files")}


def test_paths_of_members(collection):
    path = make_zip(collection / "a.zip", FILES)
    assert split_member(f"{path}!/docs/pump.txt".encode()) == (path, "docs/pump.txt")
    assert split_member(str(path).encode()) is None
    assert split_member(f"{collection}/no.zip!/x".encode()) is None
    assert is_under(f"{path}!/docs/pump.txt", str(path))
    assert not is_under(f"{path}x", str(path))
    assert is_archive("A.TAR.GZ")
    assert not is_archive("a.docx")


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_members_are_unpacked_in_any_order_and_an_archive_is_opened_once(
    tmp_path, make, monkeypatch
):
    path = make(tmp_path / ("a.zip" if make is make_zip else "a.tar.gz"), FILES)
    opened = []
    monkeypatch.setattr(
        "indexer.sources.unpacking.OpenArchive",
        lambda path: opened.append(path) or archives.OpenArchive(path),
    )
    with Unpacker() as unpacker:
        for name in (*FILES, *FILES):
            out = unpacker.path_of(f"{path}!/{name}".encode())
            assert out.read_text() == FILES[name]
            unpacker.forget(out)
            assert not out.exists()
        with pytest.raises(OSError, match="there is no x"):
            unpacker.path_of(f"{path}!/x".encode())
        assert opened == [path]
        assert unpacker.path_of(str(path).encode()) == path
        unpacker.forget(path)
        assert path.exists()

        make(path, {"x": "another archive now"})
        out = unpacker.path_of(f"{path}!/x".encode())
        assert out.read_text() == "another archive now"
    assert not out.exists()
