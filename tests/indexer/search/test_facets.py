"""Counts beside the results, and which conditions are alternatives."""

import numpy as np

from indexer.query.language import Condition, Field
from indexer.query.parse import parse
from indexer.search.facets import condition_of, count_facets, year_of
from indexer.search.masks import groups
from indexer.search.snapshot import CatalogueEntry

DAY = 86_400_000_000_000
DOCUMENTS = [
    CatalogueEntry("1", "pdf", "A", "en", "t1", 19_782 * DAY, ("/srv/docs/a/1.pdf",)),  # 2024-02-29
    CatalogueEntry("2", "html", "A", "en", "t1", 19_000 * DAY, ("/srv/docs/a/1.html",)),  # 2022
    CatalogueEntry("3", "pdf", "B", "de", "t3", 19_782 * DAY, ("/srv/docs/b/c/3.pdf",)),
    CatalogueEntry("4", "code", "", "python", "t4", 0, ("/srv/docs/4.py",)),
]
SAME = np.array([0, 0, 1, 2])


class FieldMasks:
    """Masks without an index behind them: fields only."""

    def allowed(self, conditions):
        from indexer.query.fields import meets

        left = np.ones(len(DOCUMENTS), dtype=bool)
        for group in groups(conditions):
            met = [
                any(any(meets(d, a) for a in c.alternatives) != c.negated for c in group)
                for d in DOCUMENTS
            ]
            left &= met
        return left


def counts(query: str) -> dict[str, dict[str, int]]:
    facets = count_facets(DOCUMENTS, SAME, parse(query).conditions, FieldMasks())
    return {name: {c.value: c.count for c in values} for name, values in facets.items()}


def test_every_text_is_counted_once_for_each_value():
    assert counts("pump") == {
        "type": {"pdf": 2, "code": 1, "html": 1},
        "language": {"de": 1, "en": 1, "python": 1},
        "year": {"2024": 2, "2022": 1},
        "folder": {"a": 1, "b": 1},
    }


def test_what_was_chosen_does_not_hide_its_alternatives():
    chosen = counts("type:pdf after:2024 before:2025")

    assert chosen["type"] == {"pdf": 2}
    assert chosen["year"] == {"2024": 2}
    assert counts("type:html")["type"] == {"pdf": 2, "code": 1, "html": 1}
    assert counts("type:html")["year"] == {"2022": 1}


def test_folders_go_deeper_with_the_results():
    assert counts("path:docs/b")["folder"] == {}
    assert counts("type:pdf")["folder"] == {"a": 1, "b": 1}


def test_a_folder_that_is_added_keeps_only_its_results():
    query = parse("path:*.pdf OR path:*.html")
    for count in count_facets(DOCUMENTS, SAME, query.conditions, FieldMasks())["folder"]:
        more = query.adding(*parse(count.condition).conditions)
        kept = FieldMasks().allowed(parse(str(more)).conditions)
        assert len(set(SAME[kept])) == count.count


def test_conditions_of_facets_can_be_written():
    assert condition_of("type", "pdf") == "type:pdf"
    assert condition_of("year", "2024") == "after:2024 before:2025"
    assert condition_of("folder", "/srv/my docs") == 'path:"/srv/my docs"'
    odd = condition_of("folder", '/srv/a"b\nc')
    assert parse(odd).conditions == (Condition((Field("path", "/srv/a?b?c"),)),)


def test_years():
    assert year_of(19_782 * DAY) == "2024"
    assert year_of(0) == ""


def test_several_types_are_alternatives_and_the_rest_is_not():
    conditions = parse("type:pdf -type:x title:a type:md title:b").conditions

    assert [[str(c) for c in group] for group in groups(conditions)] == [
        ["type:pdf", "type:md"],
        ["-type:x"],
        ["title:a"],
        ["title:b"],
    ]
