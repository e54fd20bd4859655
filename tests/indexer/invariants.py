"""What must be true of every index at rest (design: the commit rule)."""

from indexer import DocumentIndex
from indexer.search.snapshot import load_snapshot
from indexer.store.manifest import read_manifest
from indexer.store.tables import Tables


def tables_of(index: DocumentIndex) -> Tables:
    return Tables(index.path / read_manifest(index.path).tables)


def check_shown(index: DocumentIndex) -> int:
    """Every visible document is there once and whole; return how many there are."""
    tables = tables_of(index)
    shown = {record.doc_id for record in index.files() if record.doc_id}
    rows = tables.read(tables.documents, ["doc_id", "n_landmarks", "n_chars"]).to_pylist()
    stored = [row for row in rows if row["doc_id"] in shown]
    assert sorted(row["doc_id"] for row in stored) == sorted(shown)
    for row in stored:
        parts = tables.read_in(
            tables.landmarks, ["ordinal", "start", "end", "text"], "doc_id", [row["doc_id"]]
        ).sort_by("ordinal")
        assert parts["ordinal"].to_pylist() == list(range(row["n_landmarks"]))
        assert len("".join(parts["text"].to_pylist())) == row["n_chars"]
        assert parts["start"].to_pylist() == [0, *parts["end"].to_pylist()[:-1]]
    return len(stored)


def check_whole(index: DocumentIndex) -> int:
    """As ``check_shown``, and nothing invisible is left; return the number of documents."""
    count = check_shown(index)
    tables = tables_of(index)
    assert tables.documents.count_rows() == count
    rows = tables.read(tables.documents, ["n_landmarks"])["n_landmarks"].to_pylist()
    assert tables.landmarks.count_rows() == sum(rows)
    assert tables.unindexed_rows() == 0
    assert not list(index.path.rglob("unfinished"))
    assert len(list(index.path.glob("tables-*"))) == 1
    # What is shown is what is searched.
    shown = {record.doc_id for record in index.files() if record.doc_id}
    assert load_snapshot(tables, 0).position.keys() == shown
    return count


def contents(index: DocumentIndex) -> dict[str, list[object]]:
    """What is stored, by path: ids, spans, texts and vectors."""
    tables = tables_of(index)
    by_doc: dict[str, list[object]] = {}
    for row in tables.read(tables.documents, ["doc_id", "vector", "text_hash"]).to_pylist():
        by_doc[row["doc_id"]] = [row["text_hash"], [round(x, 3) for x in row["vector"]]]
    columns = ["doc_id", "ordinal", "start", "end", "text"]
    rows = tables.read(tables.landmarks, columns)
    for row in rows.sort_by([("doc_id", "ascending"), ("ordinal", "ascending")]).to_pylist():
        by_doc[row["doc_id"]].append((row["start"], row["end"], row["text"]))
    return {r.path: [r.state, r.doc_id, *by_doc.get(r.doc_id or "", [])] for r in index.files()}
