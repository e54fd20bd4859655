"""The place in the URL: nonsense does no harm, and a place survives its own link."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.state import MAX_SHOWN, Place, href, parameters, parse

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(str.strip)
PLACES = st.builds(
    Place,
    query=TEXTS,
    doc_id=st.text("0123456789abcdef", max_size=32),
    at=st.none() | st.tuples(st.integers(0, 999), st.integers(1000, 9999)),
    unit=st.none() | st.integers(1, 10_000),
    shown=st.none() | st.integers(1, MAX_SHOWN),
    offset=st.integers(0, 1000),
    like=st.sampled_from(["", "ab12", "ab12:3-9"]),
    as_text=st.booleans(),
    whole=st.booleans(),
    filter=TEXTS,
    state=st.sampled_from([None, "indexed", "no text", "failed"]),
)


def test_link_of_a_passage():
    place = Place(query="cellar pump?", doc_id="ab12", at=(300, 412))

    assert href("document", place) == "./document?q=cellar+pump%3F&doc=ab12&at=300-412"
    assert href("library") == "./library"


@given(PLACES)
def test_a_link_leads_to_its_place(place):
    query = urlsplit(href("", place)).query

    assert parse(dict(parse_qsl(query, strict_parsing=bool(query)))) == place


@given(st.dictionaries(st.sampled_from(["q", "doc", "at", "page", "n", "view", "state"]), TEXTS))
def test_any_parameters_are_a_place(params):
    """Its own parameters then lead back to it."""
    place = parse(params)

    assert parse(parameters(place)) == place


@pytest.mark.parametrize("at", ["", "-", "5", "5-", "-5", "5-5", "9-3", "a-b", "１-２", "1-2-3"])
def test_nonsense_is_no_range(at):
    assert parse({"at": at}).at is None


@pytest.mark.parametrize("page", ["0", "-3", "1.5", "x", "9" * 30, "²"])
def test_nonsense_is_no_page(page):
    assert parse({"page": page}).unit is None
