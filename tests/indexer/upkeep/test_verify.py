"""Rows against the files they came from."""

import shutil

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.errors import IndexMismatch
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import TEXTS, write
from tests.indexer.invariants import tables_of


def test_an_index_is_what_its_files_give(index, collection):
    (collection / "page.html").rename(collection / "page-2.html")
    index.add([collection])
    (collection / "page-2.html").rename(collection / "renamed.html")
    index.add([collection])
    found = index.verify(None)
    assert (found.findings, found.compared, found.changed) == ([], len(TEXTS), 0)
    assert index.verify(2).compared == 2


def test_rows_that_are_well_formed_and_wrong_are_found(index, collection):
    index.add([collection])
    tables = tables_of(index)
    width = tables.landmarks.schema.field("vector").type.list_size
    unit = [1.0] + [0.0] * (width - 1)
    tables.landmarks.update(where="text LIKE '%brass%'", values={"vector": unit})
    tables.documents.update(where="kind = 'code'", values={"title": "Another"})
    assert {finding.check for finding in index.doctor()} == {"full text is complete"}
    told = sorted(finding.what for finding in index.verify(None).findings)
    assert told[0].startswith("pump.md: its landmarks: a vector is not what its file gives")
    assert told[1:] == ["tide.py: title is not what its file gives."]


def test_files_that_changed_are_not_compared(index, collection):
    index.add([collection])
    write(collection / "notes/roof.txt", "Other words.\n")
    (collection / "page.html").unlink()
    found = index.verify(None)
    assert (found.findings, found.compared, found.changed) == ([], len(TEXTS) - 2, 2)


@pytest.mark.parametrize("kind", ["zip", "gztar"])
def test_members_of_archives_are_compared(tmp_path, kind):
    def pack(roof: str) -> None:
        write(tmp_path / "source/pump.txt", "The pump leaks.\n")
        write(tmp_path / "source/roof.md", f"# Roof\n\n{roof}.\n")
        shutil.make_archive(str(tmp_path / "in/a"), kind, tmp_path / "source")

    settings = Settings(parse_workers=1, archives=True)
    with DocumentIndex(tmp_path / "x", settings=settings, encoder=KeywordEncoder()) as index:
        pack("Tiles")
        index.add([tmp_path / "in"])
        found = index.verify(None)
        assert (found.findings, found.compared, found.changed) == ([], 2, 0)
        pack("Slate")
        found = index.verify(None)
        assert (found.findings, found.compared, found.changed) == ([], 1, 1)


def test_another_model_cannot_verify(index, collection):
    index.add([collection])
    other = DocumentIndex(
        index.path, settings=Settings(parse_workers=1), encoder=KeywordEncoder(name="other")
    )
    with pytest.raises(IndexMismatch, match="Put that model back"):
        other.verify()
