"""The search screen: the box, the ranked documents, or what is there to be searched."""

from dataclasses import replace

import streamlit as st

from app import formatting, services, state
from app.components import hit_card, markup
from app.formatting import KIND_NAMES, count, escape
from app.state import Place, href
from indexer import Status

WIDTH = 860
PORTION = 10
MAX_HITS = 100

HINTS = (
    ("Ask in your own words", "which pump failed in March, and what was replaced?"),
    ("Name a thing", "a function, an option, a term of the trade, a product number"),
    ("Paste a sentence", "from an error message, a mail or another document"),
)


def show() -> None:
    """Draw the screen."""
    place = state.current()
    status = services.status()
    if place.query:
        st.set_page_config(f"{place.query} - LMK search")
    st.session_state[state.QUERY_KEY] = place.query
    st.text_input(
        "Search",
        key=state.QUERY_KEY,
        on_change=state.query_changed,
        placeholder=f"Search {count(status.documents, 'document')}",
        icon=":material/search:",
        label_visibility="collapsed",
        autocomplete="off",
    )
    if not status.documents:
        what = "The index is empty: no document could be searched yet."
        markup.show(markup.notice_html(what, fix="Add files with: lmk index PATH"))
    elif place.query:
        _results(place, status)
    else:
        markup.show(welcome_html(status))
        services.warm_up()


def _results(place: Place, status: Status) -> None:
    shown = min(place.shown or PORTION, MAX_HITS)
    answer = services.search(place.query, shown)
    if not answer.hits:
        what = f"Nothing found for “{place.query}”."
        fix = "Try fewer or other words. The library lists what is indexed."
        markup.show(markup.notice_html(what, fix=fix))
        return
    best = "Best " if len(answer.hits) < status.documents else ""
    summary = (
        f'<p class="summary" role="status">{best}{len(answer.hits):,} of '
        f"{count(status.documents, 'document')}, {formatting.duration(answer.took_ms)}</p>"
    )
    cards = [
        hit_card.card_html(hit, place.query, services.heat(place.query, hit.doc_id))
        for hit in answer.hits
    ]
    more = ""
    if len(answer.hits) == shown < min(MAX_HITS, status.documents):
        target = replace(place, shown=shown + PORTION)
        more = f'<a class="button" href="{escape(href("", target))}">Show more</a>'
    markup.show(summary + "".join(cards) + more, key="results")


def welcome_html(status: Status) -> str:
    """What is indexed, and how to ask, before the first query."""
    chips = "".join(
        f'<li><span class="kind {kind}">{name}</span> {status.kinds[kind]:,}</li>'
        for kind, name in KIND_NAMES.items()
        if status.kinds.get(kind)
    )
    units = ", ".join(count(number, unit) for unit, number in sorted(status.units.items()))
    hints = "".join(f"<li><b>{title}</b><span>{text}</span></li>" for title, text in HINTS)
    unread = sum(status.files.get(state, 0) for state in ("failed", "locked", "no text"))
    link = escape(href("library"))
    note = (
        f'<p><a href="{link}">{count(unread, "file")} could not be read</a></p>' if unread else ""
    )
    return (
        f'<section class="welcome"><p><b>{count(status.documents, "document")}</b>: {units}</p>'
        f'<ul class="chips">{chips}</ul>{note}<ul class="hints">{hints}</ul></section>'
    )
