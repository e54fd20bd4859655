"""The search screen: the box, the ranked documents, or what is there to be searched."""

from dataclasses import replace

import streamlit as st

from app import formatting, services, state
from app.components import filters, hit_card, markup
from app.formatting import KIND_NAMES, count, escape, name_html
from app.services import Answer
from app.state import Place, href
from indexer import Status
from indexer.query.parse import parse

WIDTH = 1120
PORTION = 10

HINTS = (
    ("Ask in your own words", "which pump failed in March, and what was replaced?"),
    ("Name a thing", "a function, an option, a term of the trade, a product number"),
    ("Paste a sentence", "from an error message, a mail or another document"),
    (
        "Narrow it down",
        '"exact words"  -not this  this OR that  type:pdf  path:docs/*  after:2024  /regex/',
    ),
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
        markup.show(empty_html(sum(status.files.values())))
    elif place.like:
        _similar(place)
    elif place.query:
        _results(place)
    else:
        markup.show(welcome_html(status))
        services.warm_up()


def _results(place: Place) -> None:
    query = parse(place.query)
    answer = services.search(place.query, PORTION, place.offset)
    page = answer.page
    notes = "".join(markup.notice_html(note) for note in page.notes)
    chips = filters.chips_html(query, place)
    side = filters.facets_html(page.facets, query, place)
    if not page.total:
        what = f"Nothing found for “{place.query}”."
        fix = "Try fewer or other words. The library lists what is indexed."
        if query.conditions:
            fix = "No document meets all conditions: take one away, or put words without quotes."
        markup.show(chips + notes + markup.notice_html(what, fix=fix) + side, key="results")
        return
    cards = "".join(
        hit_card.card_html(hit, place, services.heat(place.query, hit.doc_id)) for hit in page.hits
    )
    main = f"{chips}{notes}{_summary_html(answer)}{cards}{pager_html(place, page.total)}"
    markup.show(
        f'<div class="results"><div class="main">{main}</div>{side}</div>'
        if side
        else f'<div class="results alone">{main}</div>',
        key="results",
    )


def _similar(place: Place) -> None:
    doc_id, at = place.like_parts
    try:
        original = services.document(doc_id)
        answer = services.similar(doc_id, at, PORTION, place.offset)
    except (KeyError, ValueError):
        what = "The index does not hold this document (any more)."
        markup.show(markup.notice_html(what, fix="Its file may have changed or gone."))
        return
    target = escape(href("document", Place(doc_id=doc_id, at=at)))
    part = "a place in " if at else ""
    title = f'<a href="{target}">{name_html(original.title)}</a>'
    head = f'<h1 class="like">Like {part}{title}</h1>'
    cards = "".join(hit_card.card_html(hit, place) for hit in answer.page.hits)
    pager = pager_html(place, answer.page.total)
    html = f'<div class="results alone">{head}{_summary_html(answer)}{cards}{pager}</div>'
    markup.show(html, key="results")


def _summary_html(answer: Answer) -> str:
    page = answer.page
    first, last = page.offset + 1, page.offset + len(page.hits)
    shown = f"Results {first:,} to {last:,} of {page.total:,}" if page.hits else "No more results"
    return f'<p class="summary" role="status">{shown}, {formatting.duration(answer.took_ms)}</p>'


def pager_html(place: Place, total: int) -> str:
    """Links to the results before and after these."""
    links = ""
    if place.offset:
        before = replace(place, offset=max(place.offset - PORTION, 0))
        links += f'<a class="button" rel="prev" href="{escape(href("", before))}">← Previous</a>'
    if place.offset + PORTION < total:
        after = replace(place, offset=place.offset + PORTION)
        links += f'<a class="button" rel="next" href="{escape(href("", after))}">Next →</a>'
    return f'<nav class="pager" aria-label="Pages of results">{links}</nav>' if links else ""


def empty_html(files: int) -> str:
    """What to do about an index without documents that knows ``files`` files."""
    if not files:
        what = "The index is empty: no document could be searched yet."
        return markup.notice_html(what, fix="Add files with: lmk index PATH")
    what = f"The index holds no document: none of {count(files, 'file')} was read."
    return markup.notice_html(what, fix="The library lists them, with the reasons.")


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
