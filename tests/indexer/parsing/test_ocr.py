"""Scanned pages, read by the real engine (extra `ocr`), offline: its models are in its wheel."""

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.documents import unit_at
from indexer.ingest import feed
from indexer.parsing import ParserPool
from indexer.parsing.options import ParseOptions
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write
from tests.indexer.parsing.pdfs import draw, draw_scan, draw_scanned_text, join

pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
pytest.importorskip("onnxruntime", reason="the extra ocr is not installed")

pytestmark = pytest.mark.slow
LINES = ["The harbour pump stops at noon", "Valve seven stays open"]
MIXED = join(draw([["A page of letters"]]), draw_scanned_text(LINES), draw_scan(1))


def open_index(tmp_path, **settings):
    chosen = Settings(parse_workers=1, **settings)
    return DocumentIndex(tmp_path / "x", settings=chosen, encoder=KeywordEncoder())


def test_a_scanned_page_is_read_and_the_coverage_says_how(tmp_path, capfd):
    path = write(tmp_path / "a.pdf", MIXED)
    with ParserPool(options=ParseOptions(ocr_pages=10)) as pool:
        document = next(iter(pool.map([path])))[1]

    for line in LINES:
        assert unit_at(document.unit_starts, document.text.index(line)) == 2
    assert document.coverage.ocr == (2,)
    assert document.coverage.no_text == (3,)  # a grey picture
    assert document.coverage.with_text == 2
    assert capfd.readouterr() == ("", "")


def test_states_with_ocr(tmp_path):
    write(tmp_path / "d/read.pdf", draw_scanned_text(LINES))
    write(tmp_path / "d/mixed.pdf", MIXED)
    write(tmp_path / "d/grey.pdf", draw_scan(1))
    with open_index(tmp_path) as index:
        index.add([tmp_path / "d"])
        told = {record.path.rpartition("/")[2]: record for record in index.files()}
        hit = index.search("harbour", k=1)[0]
        again = index.add([tmp_path / "d"])

    assert told["read.pdf"].state == "indexed"
    assert told["mixed.pdf"].state == "partly read"
    assert told["mixed.pdf"].reason == "1 of 3 pages have no text layer, and OCR found none"
    assert told["grey.pdf"].state == "no text"
    assert "OCR found no text on it either" in told["grey.pdf"].reason
    assert LINES[0] in hit.passages[0].text
    assert again.documents == 0  # nothing is tried twice


def test_what_was_not_read_is_tried_again_once_ocr_is_there(tmp_path, monkeypatch):
    write(tmp_path / "d/scan.pdf", draw_scanned_text(LINES))
    write(tmp_path / "d/mixed.pdf", MIXED)
    write(tmp_path / "d/copy.pdf", MIXED)
    with monkeypatch.context() as without:
        without.setattr(feed, "can_read_images", lambda: False)
        with open_index(tmp_path) as index:
            index.add([tmp_path / "d"])
            before = {record.path: record for record in index.files()}
            assert index.search('"harbour"') == []
    assert [record.state for record in before.values()] == [
        "partly read",
        "partly read",
        "no text",
    ]
    assert all("lmk[ocr]" in record.reason for record in before.values())

    write(tmp_path / "d/later.pdf", MIXED)
    with open_index(tmp_path) as index:
        report = index.add([tmp_path / "d"])
        after = {record.path: record for record in index.files()}
        names = [path.rpartition("/")[2] for hit in index.search('"harbour"') for path in hit.paths]
        assert index.status().documents == 2
        assert index.verify(None).findings == []
        again = index.add([tmp_path / "d"])

    assert report.documents == 2
    assert sorted(names) == ["copy.pdf", "later.pdf", "mixed.pdf", "scan.pdf"]
    mixed = [record for path, record in after.items() if not path.endswith("scan.pdf")]
    assert len({record.doc_id for record in mixed}) == 1
    assert mixed[0].doc_id not in {record.doc_id for record in before.values()}
    assert {record.state for record in mixed} == {"partly read"}
    assert again.documents == 0
