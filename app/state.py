"""The place a person is at. It lives in the URL, and nowhere else.

A link copied from the address bar gives the same screen, and the browser's back button
goes to the place before. Widgets take their value from here before they are drawn; drawing
them first would write their empty default over the link's ``?q=``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args
from urllib.parse import urlencode

import streamlit as st

from indexer.documents import State

Screen = Literal["", "document", "library"]  # the URL's path; "" is the search screen

MAX_SHOWN = 5000
MAX_OFFSET = 1_000_000
LIKE = re.compile(r"[0-9a-f]{1,64}(:[0-9]{1,12}-[0-9]{1,12})?")
MAX_QUERY_CHARS = 2000  # a pasted paragraph is a fair query, a pasted book is not

# Session keys of the widgets, named once.
QUERY_KEY = "query"
UNIT_KEY = "unit"
VIEW_KEY = "view"
WHOLE_KEY = "whole"
FILTER_KEY = "filter"
STATE_KEY = "state"


@dataclass(frozen=True, slots=True)
class Place:
    """What to show. ``at`` is a character range, ``unit`` a 1-based page, line or cell."""

    query: str = ""
    doc_id: str = ""
    at: tuple[int, int] | None = None
    unit: int | None = None
    shown: int | None = None  # files; None is the screen's first portion
    offset: int = 0  # results on the pages before
    like: str = ""  # a document, or "document:start-end", to show what resembles it
    as_text: bool = False  # a PDF page as text instead of its image
    whole: bool = False  # the whole text instead of the lines around the place
    filter: str = ""  # part of a path, on the library screen
    state: State | None = None  # of a file, on the library screen

    @property
    def like_parts(self) -> tuple[str, tuple[int, int] | None]:
        """The document of ``like``, and the range of its text, if there is one."""
        doc_id, _, at = self.like.partition(":")
        return doc_id, _range(at)


def parse(params: Mapping[str, str]) -> Place:
    """The place that URL parameters name. Nonsense in a parameter leaves its default."""
    return Place(
        query=params.get("q", "").strip()[:MAX_QUERY_CHARS],
        doc_id=params.get("doc", ""),
        at=_range(params.get("at", "")),
        unit=_positive(params.get("page", "")),
        shown=min(_positive(params.get("n", "")) or 0, MAX_SHOWN) or None,
        offset=min(_positive(params.get("from", "")) or 0, MAX_OFFSET),
        like=params.get("like", "") if LIKE.fullmatch(params.get("like", "")) else "",
        as_text=params.get("view") == "text",
        whole=params.get("lines") == "all",
        filter=params.get("file", "")[:MAX_QUERY_CHARS],
        state=next((state for state in get_args(State) if state == params.get("state")), None),
    )


def parameters(place: Place) -> dict[str, str]:
    """The URL parameters of a place, defaults left out: the inverse of ``parse``."""
    named = {
        "q": place.query,
        "doc": place.doc_id,
        "at": f"{place.at[0]}-{place.at[1]}" if place.at else "",
        "page": str(place.unit) if place.unit else "",
        "n": str(place.shown) if place.shown else "",
        "from": str(place.offset) if place.offset else "",
        "like": place.like,
        "view": "text" if place.as_text else "",
        "lines": "all" if place.whole else "",
        "file": place.filter,
        "state": place.state or "",
    }
    return {name: value for name, value in named.items() if value}


def href(screen: Screen, place: Place | None = None) -> str:
    """A link inside the app, relative so that it also works behind a proxy's prefix.

    Not escaped for HTML: pass it through ``formatting.escape``.
    """
    # replace: a broken character in a query must not break the link.
    query = urlencode(parameters(place or Place()), errors="replace")
    return f"./{screen}?{query}" if query else f"./{screen}"


def current() -> Place:
    """The place in the address bar."""
    return parse(st.query_params.to_dict())


def go(place: Place) -> None:
    """Change the address bar, on the same screen; for callbacks of widgets."""
    st.query_params.from_dict(parameters(place))


def query_changed() -> None:
    """Callback of the search boxes: a new query forgets what belonged to the old one."""
    query = str(st.session_state.get(QUERY_KEY, "")).strip()[:MAX_QUERY_CHARS]
    go(replace(current(), query=query, at=None, unit=None, shown=None, offset=0, like=""))


def _positive(value: str) -> int | None:
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        return None
    return int(value) or None


def _range(value: str) -> tuple[int, int] | None:
    first, dash, last = value.partition("-")
    if not (dash and first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
        return None
    if len(value) > 30:
        return None
    start, end = int(first), int(last)
    return (start, end) if start < end else None
