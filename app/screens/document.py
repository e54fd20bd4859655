"""The document screen: the page or the lines that were asked for, and the way around them."""

from dataclasses import replace

import streamlit as st

from app import formatting, services, state
from app.components import code_view, hit_card, markup, outline, page_view, places
from app.components.heat_strip import WIDE_CELLS, strip_html
from app.components.places import BestPlace
from app.formatting import Range, count, escape
from app.state import Place, href
from indexer.documents import Passage, unit_at
from indexer.search.searcher import LandmarkHeat
from indexer.store.documents import StoredDocument
from lmk_encoder.errors import LmkError

WIDTH = 1280


def show() -> None:
    """Draw the screen, or say that the index does not hold the document (any more)."""
    place = state.current()
    try:
        document = services.document(place.doc_id)
    except KeyError:
        what = "The index does not hold this document (any more)."
        fix = "Its file may have changed or gone since the link was made: search again."
        markup.show(markup.notice_html(what, fix=fix) + _back_html(place))
        return
    st.set_page_config(document.title or formatting.file_name(document.path))
    markup.show(_back_html(place) + heading_html(document), key="heading")
    _search_box(place)
    passages = _passages(place) if place.query else ()
    heat = services.heat(place.query, place.doc_id) if place.query else ()
    best = places.best_places(heat, passages)
    place = _settled(place, document, best)
    _strip(document, place, heat, best)
    main, side = st.columns([2.6, 1], gap="large")
    with main:
        _viewer(document, place, best)
    with side:
        _side(document, place, best)


def _settled(place: Place, document: StoredDocument, best: list[BestPlace]) -> Place:
    """The place with its range and unit inside the document, and the best one by default."""
    at, unit = place.at, place.unit
    if at and at[1] > len(document.text):
        at = None
    if at is None and unit is None and best:
        at = (best[0].start, best[0].end)
    if unit is None:
        unit = unit_at(document.unit_starts, at[0]) if at else 1
    return replace(place, at=at, unit=min(unit, len(document.unit_starts)))


def _passages(place: Place) -> tuple[Passage, ...]:
    """The passages that search chooses in this document; none if it just left the index."""
    try:
        return services.passages(place.query, place.doc_id)
    except KeyError:
        return ()


def _back_html(place: Place) -> str:
    if place.like:
        target = href("", Place(like=place.like, offset=place.offset))
        return f'<a class="back" href="{escape(target)}">← Results</a>'
    if not place.query:
        return f'<a class="back" href="{escape(href("library"))}">← Library</a>'
    target = href("", Place(query=place.query, offset=place.offset))
    return f'<a class="back" href="{escape(target)}">← Results for “{escape(place.query)}”</a>'


def heading_html(document: StoredDocument) -> str:
    """Title, file, and what is known of the text, with what could not be read."""
    coverage = document.coverage
    facts = [count(len(document.unit_starts), document.unit), count(document.num_tokens, "token")]
    damage = document.metadata.get("damaged")
    notes = markup.notice_html(f"{damage[0].upper()}{damage[1:]}.") if damage else ""
    if coverage.failed:
        which = ", ".join(str(number) for number in coverage.failed[:10])
        more = " …" if len(coverage.failed) > 10 else ""
        what = f"{count(len(coverage.failed), document.unit)} could not be read: {which}{more}."
        notes += markup.notice_html(what)
    unread = coverage.units - coverage.with_text - coverage.blank - len(coverage.failed)
    if unread > 0:
        verb = "has" if unread == 1 else "have"
        what = f"{count(unread, document.unit)} of {coverage.units:,} {verb} no text layer: "
        notes += markup.notice_html(what + "scans can be searched after OCR only.")
    title = document.title or formatting.file_name(document.path)
    source = hit_card.source_html(document.path, document.paths, document.kind, *facts)
    return f"<h1>{formatting.name_html(title)}</h1>{source}{notes}"


def _search_box(place: Place) -> None:
    st.session_state[state.QUERY_KEY] = place.query
    st.text_input(
        "Search in this document",
        key=state.QUERY_KEY,
        on_change=state.query_changed,
        placeholder="Search in this document",
        icon=":material/search:",
        label_visibility="collapsed",
        autocomplete="off",
    )


def _strip(
    document: StoredDocument,
    place: Place,
    heat: tuple[LandmarkHeat, ...],
    best: list[BestPlace],
) -> None:
    if not heat:
        return
    ranges: list[Range] = [place.at] if place.at else [(-1, -1)]
    ranges += [(item.start, item.end) for item in best]
    html = strip_html(heat, place, unit=document.unit, passages=ranges, limit=WIDE_CELLS)
    markup.show(html, key="strip")


def _viewer(document: StoredDocument, place: Place, best: list[BestPlace]) -> None:
    _toolbar(document, place)
    marks = next((b.highlights for b in best if (b.start, b.end) == place.at), ())
    if document.kind == "pdf" and not place.as_text:
        try:
            _page(document, place, marks)
            return
        except LmkError as error:
            # The text is in the index: a file that has gone takes only its picture along.
            fix = f"{error.fix} The text below is the one that was indexed."
            markup.show(markup.notice_html(error.what, fix))
    _text(document, place, marks)


def _page(document: StoredDocument, place: Place, marks: tuple[Range, ...]) -> None:
    unit = place.unit or 1
    passage = (place.at,) if place.at else ()
    image = services.page_image(place.doc_id, unit, passage)
    # Only the boxes of the second one are used: half the size is drawn in a quarter of the time.
    drawn = services.page_image(place.doc_id, unit, marks, scale=1.0) if marks else None
    words = page_view.shares(drawn) if drawn else []
    if place.at and not image.boxes and unit == unit_at(document.unit_starts, place.at[0]):
        what = "The file has changed since it was indexed, so the passage is not marked."
        markup.show(markup.notice_html(what, fix="Renew the index with: lmk index PATH"))
    alt = f"Page {unit} of {document.title}"
    markup.show(page_view.page_html(image, alt, marks=words), key="page")


def _text(document: StoredDocument, place: Place, marks: tuple[Range, ...]) -> None:
    starts, unit = document.unit_starts, place.unit or 1
    begin = starts[unit - 1]
    end = starts[unit] if unit < len(starts) else len(document.text)
    in_unit = place.at and begin <= place.at[0] < end
    focus = place.at if place.at and in_unit else (begin, end)
    if document.unit == "page":
        # One page at a time, as with the images; offsets of the page count from its start.
        text, shift = document.text[begin:end].rstrip("\n\f"), begin
    else:
        text, shift = document.text, 0
    moved = (max(focus[0] - shift, 0), max(focus[1] - shift, 1))
    part = code_view.part_around(text, moved, whole=place.whole or document.unit == "page")
    labels = code_view.gutter(part, document.unit, starts if not shift else ())
    html = code_view.lines_html(
        part,
        labels,
        focus=moved,
        passage=(place.at[0] - shift, place.at[1] - shift) if place.at else None,
        marks=[(s - shift, e - shift) for s, e in marks],
        tokens=services.syntax(place.doc_id) if document.kind == "code" else (),
        prose=document.kind != "code",
    )
    markup.show(html, key="text")


def _toolbar(document: StoredDocument, place: Place) -> None:
    """Move by units: one page of a PDF, a screenful of lines."""
    total, unit = len(document.unit_starts), place.unit or 1
    step = code_view.LINES_AFTER if document.unit == "line" else 1
    st.session_state[state.UNIT_KEY] = unit
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _move_button("Previous", ":material/chevron_left:", place, max(unit - step, 1))
        st.number_input(
            document.unit.capitalize(),
            min_value=1,
            max_value=total,
            step=1,
            key=state.UNIT_KEY,
            on_change=_jump,
            args=(place,),
            label_visibility="collapsed",
            width=90,
        )
        markup.show(f'<p class="of">{_unit_note(document, unit)}</p>', width="content")
        _move_button("Next", ":material/chevron_right:", place, min(unit + step, total))
        if document.kind == "pdf":
            st.session_state[state.VIEW_KEY] = "Text" if place.as_text else "Page"
            st.segmented_control(
                "View",
                ["Page", "Text"],
                key=state.VIEW_KEY,
                on_change=_choose_view,
                args=(place,),
                label_visibility="collapsed",
            )
        else:
            st.session_state[state.WHOLE_KEY] = place.whole
            st.toggle("Whole text", key=state.WHOLE_KEY, on_change=_choose_whole, args=(place,))


def _move_button(label: str, icon: str, place: Place, unit: int) -> None:
    st.button(
        "",
        icon=icon,
        help=label,
        key=f"move_{label}",
        on_click=state.go,
        args=(replace(place, unit=unit),),
        disabled=unit == place.unit,
    )


def _jump(place: Place) -> None:
    state.go(replace(place, unit=int(st.session_state[state.UNIT_KEY])))


def _choose_view(place: Place) -> None:
    state.go(replace(place, as_text=st.session_state[state.VIEW_KEY] == "Text"))


def _choose_whole(place: Place) -> None:
    state.go(replace(place, whole=bool(st.session_state[state.WHOLE_KEY])))


def _unit_note(document: StoredDocument, unit: int) -> str:
    """``of 214, printed xii`` as HTML."""
    label = document.unit_labels[unit - 1] if document.unit_labels else ""
    printed = f", printed <bdi>{escape(label)}</bdi>" if label and label != str(unit) else ""
    return f"of {len(document.unit_starts):,}{printed}"


def _side(document: StoredDocument, place: Place, best: list[BestPlace]) -> None:
    """Where else to look: the best places for the query, and the sections."""
    html = ""
    if best:
        found = places.places_html(
            best, place, text=document.text, unit=document.unit, kind=document.kind
        )
        html += f'<section class="side"><h3>Best places</h3>{found}</section>'
    if document.sections:
        unit = place.unit or 1
        offset = place.at[0] if place.at else document.unit_starts[unit - 1]
        if unit_at(document.unit_starts, offset) != unit:
            offset = document.unit_starts[unit - 1]
        sections = outline.outline_html(
            document.sections, place, unit_starts=document.unit_starts, offset=offset
        )
        html += f'<section class="side"><h3>Sections</h3>{sections}</section>'
    like = place.doc_id + (f":{place.at[0]}-{place.at[1]}" if place.at else "")
    part = "place" if place.at else "document"
    html += (
        f'<section class="side"><a class="button" href="{escape(href("", Place(like=like)))}">'
        f"More like this {part}</a></section>"
    )
    markup.show(html, key="side")
