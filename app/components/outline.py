"""The sections of a document as a list of links."""

from collections.abc import Sequence
from dataclasses import replace

from app.formatting import escape, name_html
from app.state import Place, href
from indexer.documents import Section, unit_at

MAX_SECTIONS = 1500
MAX_INDENT = 5


def outline_html(
    sections: Sequence[Section], place: Place, *, unit_starts: Sequence[int], offset: int
) -> str:
    """Titles, indented by level, each with its unit. The section at ``offset`` is current."""
    shown = sections[:MAX_SECTIONS]
    here = max((i for i, s in enumerate(shown) if s.start <= offset < s.end), default=-1)
    items = []
    for number, section in enumerate(shown):
        unit = unit_at(unit_starts, section.start)
        target = escape(href("document", replace(place, at=None, unit=unit)))
        current = " data-place aria-current=true" if number == here else ""
        indent = min(section.level - 1, MAX_INDENT)
        items.append(
            f'<li style="--level:{indent}"><a href="{target}"{current}>'
            f"{name_html(section.title)}<span>{unit}</span></a></li>"
        )
    more = len(sections) - len(shown)
    rest = f"<li>and {more:,} more</li>" if more else ""
    return f'<ol class="outline" data-scroll tabindex="0">{"".join(items)}{rest}</ol>'
