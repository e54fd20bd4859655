"""The best places of one document for a query: passages of the hit, then hot landmarks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app import formatting
from app.formatting import Range, escape
from app.state import Place, href
from indexer.documents import Kind, Passage, UnitType
from indexer.search.searcher import LandmarkHeat

MAX_PLACES = 8
LEAST_HEAT = 0.35  # below it a landmark is only the best of a bad lot
WORDS_CHARS = 150


@dataclass(frozen=True, slots=True)
class BestPlace:
    """A range worth a look, with its units (1-based) and the words to mark in it."""

    start: int
    end: int
    first: int
    last: int
    highlights: tuple[Range, ...] = ()


def best_places(
    heat: Sequence[LandmarkHeat], passages: Sequence[Passage] = (), limit: int = MAX_PLACES
) -> list[BestPlace]:
    """At most ``limit`` places, best first, none touching another.

    Passages that search chose come first: it saw words as well as landmarks.
    """
    places = [BestPlace(p.start, p.end, p.first, p.last, p.highlights) for p in passages[:limit]]
    for mark in sorted(heat, key=lambda landmark: -landmark.heat):
        if len(places) >= limit or mark.heat < LEAST_HEAT:
            break
        if all(mark.end < place.start or place.end < mark.start for place in places):
            places.append(BestPlace(mark.start, mark.end, mark.first, mark.last))
    return places


def places_html(
    places: Sequence[BestPlace], place: Place, *, text: str, unit: UnitType, kind: Kind
) -> str:
    """The list of places; the one at ``place.at`` is marked as the current one."""
    items = []
    for best in places:
        at = (best.start, best.end)
        current = ' aria-current="true"' if at == place.at else ""
        target = replace(place, at=at, unit=None)
        passage = Passage(
            start=best.start,
            end=best.end,
            text=text[best.start : best.end],
            unit=unit,
            first=best.first,
            last=best.last,
            label=None,
            section=None,
            score=0.0,
            highlights=best.highlights,
        )
        items.append(
            f'<li><a class="passage small" href="{escape(href("document", target))}"{current}>'
            f'<span class="where">{formatting.location(unit, best.first, best.last)}</span>'
            f'<span class="words {"code" if kind == "code" else "prose"}" dir="auto">'
            f"{formatting.snippet(passage, WORDS_CHARS)}</span></a></li>"
        )
    return f'<ol class="passages">{"".join(items)}</ol>'
