"""Which documents meet conditions on fields, and at which of their paths."""

import numpy as np
import pytest

from indexer.query.parse import parse
from indexer.search.masks import Masks, paths_meeting
from indexer.search.snapshot import CatalogueEntry, Snapshot
from indexer.store.tables import Tables

TURBINE = ("/bk/backup/copy.txt", "/bk/backup/turbine.txt", "/bk/docs/turbine.txt")
OLD = ("/bk/backup/old.md", "/bk/backup/old.txt")
ENTRIES = tuple(
    CatalogueEntry(str(i), "text", "", "en", str(i), 0, paths)
    for i, paths in enumerate((TURBINE, OLD, ("/bk/docs/pump.txt",)))
)
NOBODY = np.zeros(0, dtype=np.int64)


@pytest.fixture
def masks(tables: Tables) -> Masks:
    position = {entry.doc_id: i for i, entry in enumerate(ENTRIES)}
    nothing = (NOBODY,) * 5  # vectors and numbers of rows: fields are asked of the catalogue
    return Masks(Snapshot(0, ENTRIES, position, *nothing), tables)


@pytest.fixture
def tables(tmp_path) -> Tables:
    """Empty tables: no text holds anything."""
    return Tables.create(tmp_path / "tables-1", 4)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", {0: TURBINE, 1: OLD, 2: ENTRIES[2].paths}),
        ("-path:backup", {0: TURBINE[2:], 2: ENTRIES[2].paths}),
        ("path:docs -path:backup", {0: TURBINE[2:], 2: ENTRIES[2].paths}),
        ("path:docs path:copy.txt", {}),
        ("path:backup path:copy.txt", {0: TURBINE[:1]}),
        ("type:md path:old.txt", {}),
        ("-type:md", {0: TURBINE, 1: OLD[1:], 2: ENTRIES[2].paths}),
        ("type:md type:text path:old.txt", {1: OLD[1:]}),
        ("path:docs OR path:old.md", {0: TURBINE[2:], 1: OLD[:1], 2: ENTRIES[2].paths}),
        ("title:copy -path:docs", {0: TURBINE[:1]}),  # without a title the name of the file counts
        ("title:copy path:docs", {}),
        ("lang:en path:docs OR lang:de -path:turbine.txt", {2: ENTRIES[2].paths}),
        ('-path:backup path:copy.txt OR "what no text holds"', {}),
    ],
)
def test_a_document_meets_all_conditions_at_one_path(masks, query, found):
    conditions = parse(query).conditions
    allowed = np.flatnonzero(masks.allowed(conditions)).tolist()
    assert allowed == list(found)
    assert {i: paths_meeting(ENTRIES[i], conditions) for i in allowed} == found


def test_nothing_is_allowed_of_nothing(tables):
    nothing = Masks(Snapshot(0, (), {}, *(NOBODY,) * 5), tables)
    assert nothing.allowed(parse("path:docs").conditions).tolist() == []
