"""Documents too long for memory: in pieces, and the same document all the same."""

import gc

import numpy as np
import pytest

from indexer.documents import Document, line_starts, unit_at
from indexer.ingest import pieces
from indexer.ingest.pieces import is_long, pieces_of
from indexer.store.tables import Tables
from tests.indexer.conftest import write
from tests.indexer.invariants import check_whole, tables_of


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_CHARS", 1000)
    monkeypatch.setattr(pieces, "LONG_CHARS", 2000)


def document(text, **more):
    return Document(text, "text", "", "line", line_starts(text), **more)


@pytest.mark.parametrize(
    "text",
    [
        "A line of words.\n" * 400,
        "one line without an end " * 400,
        "x" * 7000,
        "short\n" + "y" * 5000 + "\nshort\n" * 300,
    ],
)
def test_pieces_tile_the_text_and_know_their_units(text):
    whole = document(text, breaks=(500, 1500, 2500), furniture=((10, 20), (900, 1100)))
    assert is_long(whole)
    found = list(pieces_of(whole))
    assert "".join(piece.document.text for piece in found) == text
    for piece in found:
        assert 0 < len(piece.document.text) <= pieces.LONG_CHARS
        for i, start in enumerate(piece.document.unit_starts):
            assert unit_at(whole.unit_starts, piece.start + start) == piece.unit + i
    marked = [(p.start + a, p.start + b) for p in found for a, b in p.document.furniture]
    assert sum(b - a for a, b in marked) == 210
    assert [p.start + b for p in found for b in p.document.breaks if p.start + b < 400] == []


def test_a_long_document_is_indexed_found_and_replaced(index, tmp_path):
    lines = [f"Line {i} tells of thing{i}.\n" for i in range(400)]
    path = write(tmp_path / "d/long.txt", "".join(lines))
    write(tmp_path / "d/short.txt", "A short one.\n")
    report = index.add([tmp_path / "d"])
    assert (len(report.added), report.documents) == (2, 2)
    assert check_whole(index) == 2
    assert index.doctor() == []
    assert index.verify(None).findings == []
    hit = index.search("thing399", k=1)[0]
    assert hit.passages[0].first <= 400 <= hit.passages[0].last
    tables = tables_of(index)
    rows = tables.read_in(tables.documents, ["vector"], "doc_id", [hit.doc_id])
    parts = tables.read_in(tables.landmarks, ["vector"], "doc_id", [hit.doc_id])
    mean = np.array(parts["vector"].to_pylist(), dtype=np.float32).mean(axis=0)
    assert np.array(rows["vector"][0].as_py()) @ (mean / np.linalg.norm(mean)) > 0.999

    write(path, "".join([*lines, "One more line.\n"]), age_s=40)
    assert len(index.add([tmp_path / "d"]).changed) == 1
    assert check_whole(index) == 2


def test_a_stop_within_a_long_document_leaves_nothing(index, tmp_path):
    write(tmp_path / "d/long.txt", "A line of words.\n" * 400)
    report = index.add([tmp_path / "d"], should_stop=lambda: index.encoder.calls > 2)
    assert report.interrupted
    assert check_whole(index) == 0
    assert len(index.add([tmp_path / "d"]).added) == 1
    assert check_whole(index) == 1


def test_progress_never_goes_back_in_a_long_document(index, tmp_path):
    """The share of a piece was taken for that of the whole, so the end came near and went."""
    write(tmp_path / "d/long.txt", "A line of words.\n" * 400)
    write(tmp_path / "d/short.txt", "A short one.\n")
    told = []
    index.add([tmp_path / "d"], progress=told.append)
    done = [progress.bytes_done for progress in told]
    assert done == sorted(done)
    assert done[-1] == told[-1].bytes_total == 400 * 17 + 13
    assert len(set(done)) > 5  # pieces are told of one by one


def test_no_text_lies_beside_its_rows_while_they_are_written(index, tmp_path, monkeypatch):
    """A text of 200 MB would be held twice over, beside what the engine makes of its rows."""
    write(tmp_path / "d/long.txt", "A line of words.\n" * 400)
    write(tmp_path / "d/short.txt", "A short one.\n")
    held = []
    publish = Tables.publish

    def watched(self, files, documents, landmarks):
        held.append([len(d.text) for d in gc.get_objects() if isinstance(d, Document)])
        publish(self, files, documents, landmarks)

    monkeypatch.setattr(Tables, "publish", watched)
    gc.collect()
    before = sum(isinstance(found, Document) for found in gc.get_objects())
    index.add([tmp_path / "d"])

    assert held
    assert [len(lengths) - before for lengths in held] == [0] * len(held)
