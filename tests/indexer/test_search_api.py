"""Search from Python beyond the plain question: pages, filters, exact places, resemblance."""

from datetime import date
from pathlib import Path

import pytest

from indexer import Filters
from indexer.errors import QueryError


def names(hits) -> list[str]:
    return [Path(hit.path).name for hit in hits]


@pytest.fixture
def filled(index, collection):
    """The four documents of the collection, indexed."""
    index.add([collection])
    return index


def test_pages_continue_one_another(filled):
    whole = filled.search("pump roof water bread")
    pages = [filled.search("pump roof water bread", k=3, offset=n) for n in (0, 3, 6)]

    assert [hit for page in pages for hit in page] == whole
    assert [hit.rank for hit in pages[1]] == [4]
    assert filled.search_page("pump", k=1, offset=9).total == 4
    with pytest.raises(ValueError, match="offset"):
        filled.search("pump", offset=-1)


def test_filters_as_values_and_in_the_query_are_the_same(filled):
    for filters, written in (
        (Filters(type="py"), "type:py"),
        (Filters(type=["py", "md"]), "type:py type:md"),
        (Filters(path="notes", title="Pump"), "path:notes title:Pump"),
        (Filters(after="2001", before=date(2002, 1, 1)), "after:2001 before:2002"),
        (Filters(lang="python"), "lang:python"),
    ):
        assert names(filled.search("water", filters=filters)) == names(
            filled.search(f"water {written}")
        )
    assert names(filled.search("", filters=Filters(type=["py", "html"]))) == [
        "tide.py",
        "page.html",
    ]
    assert filled.search("", filters=Filters()) == []
    with pytest.raises(QueryError, match="after='soon'"):
        filled.search("water", filters=Filters(after="soon"))


def test_a_phrase_is_shown_where_it_stands(filled):
    (hit,) = filled.search('"brass  VALVE"')
    best = hit.passages[0]
    (mark,) = best.highlights

    assert filled.document(hit.doc_id).text[slice(*mark)] == "brass valve"
    assert best.first <= 7 <= best.last
    assert filled.search('"valve brass"') == []


def test_near_is_shown_over_many_short_headings(index, tmp_path):
    numbers = "one two three four five six seven eight nine".split()
    file = tmp_path / "heads.md"
    file.write_text("\n\n".join(f"# Heading {number}" for number in numbers) + "\n")
    index.add([file])
    (hit,) = index.search("one NEAR/11 seven")
    text = index.document(hit.doc_id).text
    marks = [text[a:b] for passage in hit.passages for a, b in passage.highlights]
    assert sorted(marks) == ["one", "seven"]


def test_menus_meet_no_condition(index, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(
        "<h1>Pumps</h1><div class=sidebar><a href=b>Opening hours</a></div>"
        "<p>The cellar pump is replaced in March.</p>"
    )
    index.add([file])
    assert "Opening hours" in index.document(index.search("pump")[0].doc_id).text
    assert names(index.search('/in March/ -/Opening/ -"opening hours"')) == ["page.html"]
    assert index.search("/Opening/") == []


def test_each_condition_leaves_documents_out(filled):
    assert names(filled.search("water -valve -roof -bread")) == ["tide.py"]
    assert set(names(filled.search("lisbon OR valves"))) == {"roof.txt", "pump.md"}
    assert names(filled.search("pump NEAR/1 replaced")) == ["pump.md"]
    assert filled.search("cellar NEAR/1 march") == []
    assert names(filled.search("/return day \\* [3-9]/")) == ["tide.py"]
    assert filled.search("pump /RETURN/") == []
    assert names(filled.search("pump /RETURN/i")) == ["tide.py"]
    assert names(filled.search('"high_water" -/no such/')) == ["tide.py"]


def test_a_pattern_without_an_end_is_told(filled, tmp_path, monkeypatch):
    from indexer.search import masks

    monkeypatch.setattr(masks, "SECONDS", 0.2)
    (tmp_path / "collection" / "long.txt").write_text("a" * 5000 + "b\n")
    filled.add([tmp_path / "collection"])
    with pytest.raises(QueryError, match="took more than"):
        filled.search("/(a|aa)+$(?<=c)/")


def test_ways_of_fusion_have_names(filled):
    assert names(filled.search("roof tiles", fusion="rank"))[0] == "roof.txt"
    with pytest.raises(ValueError, match="there are z, rank"):
        filled.search("roof", fusion="best")


def test_what_resembles_a_document_leaves_itself_out(filled):
    doc_id = filled.search("pump", k=1)[0].doc_id

    assert len(filled.similar(doc_id)) == 3
    assert doc_id not in {hit.doc_id for hit in filled.similar(doc_id)}
    assert names(filled.similar(doc_id, filters=Filters(type="py"))) == ["tide.py"]
    for wrong, fault in (("none", KeyError), (doc_id, ValueError)):
        with pytest.raises(fault):
            filled.similar(wrong, place=(10**6, 10**7))


def test_the_file_of_a_document(filled, collection):
    assert filled.doc_id_of(collection / "notes/roof.txt") == filled.search("roof", k=1)[0].doc_id
    assert filled.doc_id_of(collection / "none.txt") is None


def test_context_takes_filters(filled):
    blocks = filled.context("water", filters=Filters(type="md"))
    assert {Path(block.path).name for block in blocks} == {"pump.md"}
