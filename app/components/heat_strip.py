"""The score of every landmark along a document, as a strip of cells from start to end.

A cell is a landmark, or a few neighbours where there are more landmarks than cells; then the
hottest of them speaks. The strip is for the eye and the mouse: a keyboard or a screen reader
has the list of passages, which leads to the same places.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app import formatting
from app.formatting import Range, escape
from app.state import Place, href
from indexer.documents import UnitType
from indexer.search.searcher import LandmarkHeat

CARD_CELLS = 160  # about four pixels each on a result card
WIDE_CELLS = 320  # across the document screen
CONTRAST = 1.4  # power on the heat: lukewarm cells step back behind the hot ones


@dataclass(frozen=True, slots=True)
class Cell:
    """Neighbouring landmarks as one cell; ``best`` is the range of the hottest one."""

    start: int
    end: int
    first: int
    last: int
    score: float
    heat: float
    best: Range


def cells(heat: Sequence[LandmarkHeat], limit: int) -> list[Cell]:
    """At most ``limit`` cells that tile ``heat``, each of equally many landmarks but the last."""
    width = -(-len(heat) // limit) or 1
    groups = [heat[i : i + width] for i in range(0, len(heat), width)]
    return [_cell(group) for group in groups]


def _cell(group: Sequence[LandmarkHeat]) -> Cell:
    hottest = max(group, key=lambda landmark: landmark.heat)
    return Cell(
        start=group[0].start,
        end=group[-1].end,
        first=group[0].first,
        last=group[-1].last,
        score=hottest.score,
        heat=hottest.heat,
        best=(hottest.start, hottest.end),
    )


def strip_html(
    heat: Sequence[LandmarkHeat],
    place: Place,
    *,
    unit: UnitType,
    passages: Sequence[Range] = (),
    limit: int = CARD_CELLS,
) -> str:
    """The strip as HTML: ``passages`` (best first) are marked below their cells.

    ``place`` names the query and the document; a click on a cell leads to its range there.
    """
    if not heat:
        return ""
    hottest = max(heat, key=lambda landmark: landmark.heat)
    where = formatting.location(unit, hottest.first, hottest.last)
    label = f"Relevance along the document: hottest at {where}."
    base = href("document", Place(query=place.query, doc_id=place.doc_id))
    row = "".join(_cell_html(cell, unit, passages) for cell in cells(heat, limit))
    ends = (formatting.location(unit, n, n) for n in (heat[0].first, heat[-1].last))
    axis = "".join(f"<span>{end}</span>" for end in ends)
    return (
        f'<div class="heat"><div class="strip" role="img" aria-label="{escape(label)}" '
        f'data-base="{escape(base)}">{row}</div><div class="axis" aria-hidden="true">{axis}</div>'
        "</div>"
    )


def _cell_html(cell: Cell, unit: UnitType, passages: Sequence[Range]) -> str:
    touched = [i for i, (s, e) in enumerate(passages) if s < cell.end and cell.start < e]
    mark = ' class="best"' if 0 in touched else ' class="also"' if touched else ""
    tip = f"{formatting.location(unit, cell.first, cell.last)}, {formatting.score(cell.score)}"
    heat = round(100 * min(max(cell.heat, 0.0), 1.0) ** CONTRAST)
    at = f"{cell.best[0]}-{cell.best[1]}"
    return f'<i{mark} style="--h:{heat}" data-at="{at}" title="{tip}"></i>'
