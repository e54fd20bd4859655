"""The library screen: every file that indexing has seen, with its state and the reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import get_args

import streamlit as st

from app import formatting, services, state
from app.components import markup
from app.formatting import count, escape
from app.state import Place, href
from indexer import Status
from indexer.documents import FileRecord, State

WIDTH = 1080
PORTION = 200
NANOSECONDS = 1_000_000_000
# What needs a person's eye comes first.
ORDER: dict[State, int] = {
    "failed": 0,
    "locked": 1,
    "no text": 2,
    "partly read": 3,
    "excluded": 4,
    "indexed": 5,
}


def show() -> None:
    """Draw the screen."""
    place = state.current()
    status = services.status()
    files = services.files()
    markup.show(summary_html(status))
    if not files:
        what = "No file was indexed yet."
        markup.show(markup.notice_html(what, fix="Add files with: lmk index PATH"))
        return
    _filters(place, files)
    chosen = choose(files, place.filter, place.state)
    shown = chosen[: place.shown or PORTION]
    more = ""
    if len(shown) < len(chosen):
        target = replace(place, shown=len(shown) + PORTION)
        more = f'<a class="button" href="{escape(href("library", target))}">Show more</a>'
    if shown:
        markup.show(files_html(shown, len(chosen)) + more, key="files")
    else:
        markup.show(markup.notice_html("No file matches."))


def choose(files: Sequence[FileRecord], part: str, wanted: State | None) -> list[FileRecord]:
    """Files in ``wanted`` state whose path holds ``part``; what was not read first."""
    part = part.casefold()
    matching = [
        file
        for file in files
        if part in file.path.casefold() and (wanted is None or file.state == wanted)
    ]
    return sorted(matching, key=lambda file: (ORDER[file.state], file.path))


def summary_html(status: Status) -> str:
    """The index in numbers."""
    numbers = (
        (f"{status.documents:,}", "documents"),
        *((f"{number:,}", f"{unit}s") for unit, number in sorted(status.units.items())),
        (f"{status.tokens:,}", "tokens"),
        (f"{status.landmarks:,}", "landmarks"),
        (formatting.size(status.size_bytes), "on disk"),
    )
    items = "".join(f"<li><b>{value}</b><span>{name}</span></li>" for value, name in numbers)
    return (
        f'<h1>Library</h1><p class="source"><span><bdi>{escape(str(status.path))}</bdi></span>'
        f'<span>model {escape(status.model)}</span></p><ul class="numbers">{items}</ul>'
    )


def files_html(files: Sequence[FileRecord], total: int) -> str:
    """The table of files. Indexed ones link to their document."""
    rows = "".join(_row_html(file) for file in files)
    told = f"{len(files):,} of {count(total, 'file')}" if len(files) < total else ""
    summary = f'<p class="summary">{told or count(total, "file")}</p>'
    return (
        f'{summary}<table class="files"><thead><tr><th>File</th><th>State</th>'
        f'<th class="number">Size</th><th class="number">Changed</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _row_html(file: FileRecord) -> str:
    name = formatting.file_name(file.path)
    path = f"<bdi>{escape(file.path.removesuffix(name))}<b>{escape(name)}</b></bdi>"
    if file.doc_id:
        path = f'<a href="{escape(href("document", Place(doc_id=file.doc_id)))}">{path}</a>'
    # The reason may name the whole path, which stands above it already.
    told = (file.reason or "").replace(file.path, name)
    reason = f'<span class="reason">{escape(told)}</span>' if told else ""
    size = formatting.size(file.size) if file.size >= 0 else ""
    day = f"{datetime.fromtimestamp(file.mtime_ns / NANOSECONDS):%Y-%m-%d}" if file.mtime_ns else ""
    return (
        f'<tr><td class="path">{path}{reason}</td>'
        f'<td><span class="state {file.state.replace(" ", "-")}">{file.state}</span></td>'
        f'<td class="number">{size}</td><td class="number">{day}</td></tr>'
    )


def _filters(place: Place, files: Sequence[FileRecord]) -> None:
    states = Counter(file.state for file in files)
    options = [name for name in get_args(State) if states[name]]
    st.session_state[state.FILTER_KEY] = place.filter
    st.session_state[state.STATE_KEY] = place.state if place.state in options else None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text_input(
            "Part of a path",
            key=state.FILTER_KEY,
            on_change=_filter,
            placeholder="Part of a path",
            icon=":material/filter_alt:",
            label_visibility="collapsed",
            width=340,
        )
        if len(options) > 1:
            st.pills(
                "State",
                options,
                format_func=lambda name: f"{name} {states[name]:,}",
                key=state.STATE_KEY,
                on_change=_filter,
                label_visibility="collapsed",
            )


def _filter() -> None:
    part = str(st.session_state[state.FILTER_KEY])
    chosen = st.session_state.get(state.STATE_KEY)
    state.go(replace(state.current(), filter=part, state=chosen, shown=None))
