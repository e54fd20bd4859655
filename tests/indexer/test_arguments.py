"""Wrong arguments of the Python door: the error names the argument, and no index is touched."""

import numpy as np
import pytest

from indexer.errors import SourceNotFound

CALLS = {
    "search": lambda index, **given: index.search(**{"query": "pump", **given}),
    "search_page": lambda index, **given: index.search_page(**{"query": "pump", **given}),
    "similar": lambda index, **given: index.similar(**{"doc_id": "d", **given}),
    "similar_page": lambda index, **given: index.similar_page(**{"doc_id": "d", **given}),
    "grep": lambda index, **given: index.grep(**{"pattern": "a", **given}),
    "context": lambda index, **given: index.context(**{"query": "pump", **given}),
    "recall": lambda index, **given: index.recall(**given),
    "document": lambda index, **given: index.document(**given),
    "passages": lambda index, **given: index.passages(**{"query": "a", "doc_id": "d", **given}),
    "heat": lambda index, **given: index.heat(**{"query": "a", "doc_id": "d", **given}),
    "page_image": lambda index, **given: index.page_image(**{"doc_id": "d", **given}),
    "verify": lambda index, **given: index.verify(**given),
}
TEXTS = [("search", "query"), ("search_page", "query"), ("context", "query"), ("heat", "query")]
TEXTS += [("passages", "query"), ("grep", "pattern"), ("similar", "doc_id")]
TEXTS += [("document", "doc_id"), ("passages", "doc_id"), ("heat", "doc_id")]
NUMBERS = [(call, name) for call in ("search", "similar") for name in ("k", "passages", "offset")]
NUMBERS += [("context", "k"), ("context", "token_budget"), ("grep", "limit"), ("recall", "k")]
NUMBERS += [("similar_page", "k"), ("passages", "limit"), ("page_image", "page")]


@pytest.mark.parametrize(("call", "name"), TEXTS)
@pytest.mark.parametrize("value", [None, 123, b"pump"])
def test_what_must_be_a_string(index, call, name, value):
    with pytest.raises(TypeError, match=rf"^{name} must be a string, not "):
        CALLS[call](index, **{name: value})


@pytest.mark.parametrize("call", ["search", "search_page", "similar", "grep", "context"])
@pytest.mark.parametrize("value", [{"type": "pdf"}, "type:pdf", ("type", "pdf"), {}, ""])
def test_filters_are_filters(index, call, value):
    with pytest.raises(TypeError, match=r"^filters must be of the type Filters, not "):
        CALLS[call](index, filters=value)


@pytest.mark.parametrize("value", [["places"], "places", 1, []])
def test_weights_are_a_mapping(index, value):
    with pytest.raises(TypeError, match=r"^weights must be of the type Mapping, not "):
        index.search("pump", weights=value)


@pytest.mark.parametrize("value", [5, True, b"landmarks"])
def test_a_second_look_has_a_name(index, value):
    with pytest.raises(TypeError, match=r"^rerank must be a string, not "):
        index.search("pump", rerank=value)


@pytest.mark.parametrize(("call", "name"), NUMBERS)
@pytest.mark.parametrize("value", [None, "a", 1.5, True])
def test_what_must_be_a_whole_number(index, call, name, value):
    with pytest.raises(TypeError, match=rf"^{name} must be a whole number, not "):
        CALLS[call](index, **{name: value})


@pytest.mark.parametrize(("call", "name"), NUMBERS)
def test_what_is_too_small(index, call, name):
    with pytest.raises(ValueError, match=rf"^{name} must be at least [01], not -1$"):
        CALLS[call](index, **{name: -1})


@pytest.mark.parametrize("name", ["k", "passages"])
def test_none_of_nothing_is_asked_for(index, name):
    with pytest.raises(ValueError, match=rf"^{name} must be at least 1, not 0$"):
        index.search("pump", **{name: 0})


def test_numbers_of_numpy_are_numbers(index, collection):
    index.add([collection])
    assert len(index.search("pump", k=np.int64(1))) == 1


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e13, -1])
def test_a_time_is_finite(index, value):
    with pytest.raises(ValueError, match=r"^timeout_s must be from 0 to 1e"):
        index.grep("a", timeout_s=value)


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_a_scale_is_above_nothing(index, value):
    with pytest.raises(ValueError, match=r"^scale must be from 0\.01 to 100"):
        index.page_image("d", 1, scale=value)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_are_finite(index, value):
    with pytest.raises(ValueError, match=r"^weights\['places'\] must be from"):
        index.search("pump", weights={"places": value})


@pytest.mark.parametrize("value", [(10, 2), (5, 5), (-1, 2)])
def test_a_place_has_an_end_behind_its_start(index, value):
    with pytest.raises(ValueError, match=r"^place"):
        index.similar("d", place=value)


@pytest.mark.parametrize("name", ["timeout_s", "scale", "weights", "place"])
def test_what_must_be_numbers(index, name):
    calls = {
        "timeout_s": lambda: index.grep("a", timeout_s="5"),
        "scale": lambda: index.page_image("d", 1, scale=None),
        "weights": lambda: index.search("a", weights={"places": "1"}),
        "place": lambda: index.similar("d", place=5),
    }
    with pytest.raises(TypeError, match=f"^{name}.* must be "):
        calls[name]()


@pytest.mark.parametrize("paths", ["", [""], ["notes", ""]])
@pytest.mark.parametrize("door", ["add", "rebuild", "remove", "watch"])
def test_an_empty_path_is_not_the_working_folder(door, paths, index, collection, monkeypatch):
    index.add(collection)
    monkeypatch.chdir(collection)
    with pytest.raises(SourceNotFound, match='paths: "" names no file'):
        getattr(index, door)(paths)
    assert index.status().documents == 4
