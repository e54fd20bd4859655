"""One ranked document: its name, its best passages, and its heat along the text."""

from collections.abc import Sequence
from dataclasses import replace

from app import formatting
from app.components.heat_strip import strip_html
from app.components.why import why_html
from app.formatting import KIND_NAMES, escape
from app.state import Place, href
from indexer.documents import Hit, Kind, Passage
from indexer.search.searcher import LandmarkHeat


def card_html(hit: Hit, place: Place, heat: Sequence[LandmarkHeat] = ()) -> str:
    """The card of a hit among the results of ``place``. Each passage links to its place in the
    document."""
    place = Place(query=place.query, doc_id=hit.doc_id, offset=place.offset, like=place.like)
    passages = hit.passages
    best = replace(place, at=(passages[0].start, passages[0].end)) if passages else place
    title = hit.title or formatting.file_name(hit.path)
    label = f"Result {hit.rank}: {formatting.shortened(title)}"
    items = "".join(_passage_html(passage, place, hit.kind) for passage in passages)
    strip = strip_html(
        heat,
        place,
        unit=passages[0].unit if passages else "line",
        passages=[(passage.start, passage.end) for passage in passages],
    )
    return (
        f'<article class="hit" aria-label="{escape(label)}">'
        f'<div class="head"><h2><a href="{escape(href("document", best))}">'
        f"{formatting.name_html(title)}</a></h2>"
        f'<span class="score" title="Compares within this query only">'
        f"{formatting.score(hit.score)}</span></div>"
        f"{source_html(hit.path, (*hit.paths, *hit.duplicates), hit.kind)}"
        f'<ol class="passages">{items}</ol>{strip}<div class="foot">{why_html(hit.explanation)}'
        f'<a class="more" href="{escape(href("", Place(like=hit.doc_id)))}">More like this</a>'
        f"</div></article>"
    )


def source_html(path: str, paths: Sequence[str], kind: Kind, *more: str) -> str:
    """Kind, file and copies in one quiet line; ``more`` are further facts, as text."""
    folder, name = formatting.short_path(path)
    file = f'<bdi title="{escape(path)}">{escape(folder)}<b>{escape(name)}</b></bdi>'
    others = formatting.copies(paths)
    if others:
        file += f' <span class="copies" title="{escape(chr(10).join(paths))}">{others}</span>'
    facts = "".join(f"<span>{escape(fact)}</span>" for fact in more)
    return (
        f'<p class="source"><span class="kind {kind}">{KIND_NAMES[kind]}</span>'
        f'<span class="file">{file}</span>{facts}</p>'
    )


def _passage_html(passage: Passage, place: Place, kind: Kind) -> str:
    target = replace(place, at=(passage.start, passage.end))
    where = formatting.location(passage.unit, passage.first, passage.last, passage.label)
    name = formatting.name_html(passage.section) if passage.section else ""
    section = f'<span class="section">{name}</span>' if name else ""
    look = "code" if kind == "code" else "prose"
    return (
        f'<li><a class="passage" href="{escape(href("document", target))}">'
        f'<span class="where">{escape(where)}</span>{section}'
        f'<span class="words {look}" dir="auto">{formatting.snippet(passage)}</span></a></li>'
    )
