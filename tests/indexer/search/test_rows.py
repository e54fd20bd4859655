"""Documents to find places in: what is derived is what the table holds."""

from indexer.search.rows import RowCache
from indexer.search.snapshot import load_snapshot
from indexer.store.manifest import read_manifest
from indexer.store.tables import Tables


def test_places_and_units_of_landmarks_are_those_of_the_table(index, collection):
    index.add([collection])
    tables = Tables(index.path / read_manifest(index.path).tables)
    snapshot = load_snapshot(tables, 0)
    loaded = RowCache(snapshot, tables).load(range(len(snapshot.documents)))
    columns = ["start", "end", "unit_first", "unit_last", "text"]
    lengths = set()
    for i, entry in enumerate(snapshot.documents):
        read = tables.read_in(tables.landmarks, ["ordinal", *columns], "doc_id", [entry.doc_id])
        stored = read.sort_by("ordinal").to_pydict()
        found = loaded[i].landmarks
        lengths.add(len(found.starts))
        assert list(found.starts) == stored["start"]
        assert list(found.ends) == stored["end"]
        assert list(found.unit_first) == stored["unit_first"]
        assert list(found.unit_last) == stored["unit_last"]
        assert list(found.texts) == stored["text"]
    assert max(lengths) > 1  # else nothing follows anything
