"""What a query leaves out, as chips to take away, and facets to choose from.

The query itself holds the filters: a click on a facet writes ``type:pdf`` into it. So the
search box, the address and the filters never disagree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.formatting import KIND_NAMES, escape
from app.state import Place, href
from indexer import FacetCount
from indexer.query.language import Condition, Query
from indexer.query.parse import parse

FACETS = {"type": "Type", "folder": "Folder", "language": "Language", "year": "Year"}
LANGUAGES = {  # of people and of programs
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pt": "Portuguese",
    "ru": "Russian",
    "zh": "Chinese",
    "asm": "Assembly",
    "awk": "AWK",
    "batch": "Batch",
    "cmake": "CMake",
    "cobol": "COBOL",
    "cpp": "C++",
    "csharp": "C#",
    "css": "CSS",
    "fsharp": "F#",
    "graphql": "GraphQL",
    "hcl": "HCL",
    "html": "HTML",
    "ini": "INI",
    "javascript": "JavaScript",
    "json": "JSON",
    "matlab": "MATLAB",
    "objectivec": "Objective-C",
    "ocaml": "OCaml",
    "php": "PHP",
    "powershell": "PowerShell",
    "proto": "Protocol Buffers",
    "sql": "SQL",
    "toml": "TOML",
    "typescript": "TypeScript",
    "vb": "Visual Basic",
    "vhdl": "VHDL",
    "vim": "Vim script",
    "xml": "XML",
    "yaml": "YAML",
}
NAMES: dict[str, dict[str, str]] = {
    "type": {str(kind): name for kind, name in KIND_NAMES.items()},
    "language": LANGUAGES,
}


def chips_html(query: Query, place: Place) -> str:
    """The conditions of a query, each with a link that takes it away."""
    items = "".join(
        f'<li><a href="{_link(query.without(condition), place)}" '
        f'aria-label="{escape(f"Remove {condition}")}">{escape(str(condition))}'
        f'<span aria-hidden="true">×</span></a></li>'
        for condition in dict.fromkeys(query.conditions)
    )
    return f'<ul class="conditions" aria-label="Filters">{items}</ul>' if items else ""


def facets_html(facets: Mapping[str, Sequence[FacetCount]], query: Query, place: Place) -> str:
    """Counts of the results by type, folder, language and year; chosen ones can be taken away.

    A facet of one value that is not chosen would change nothing and is left out.
    """
    sections = []
    for name, title in FACETS.items():
        counts = facets.get(name, ())
        chosen = {c.value for c in counts if is_chosen(query, c)}
        if len(counts) < 2 and not chosen:
            continue
        items = "".join(_facet_html(name, c, query, place, c.value in chosen) for c in counts)
        sections.append(f"<section><h3>{title}</h3><ul>{items}</ul></section>")
    if not sections:
        return ""
    return (
        '<details class="facets" open><summary>Narrow down</summary>'
        f'<div class="groups">{"".join(sections)}</div></details>'
    )


def is_chosen(query: Query, count: FacetCount) -> bool:
    """Whether the query has the conditions of a facet's value."""
    return all(condition in query.parts for condition in parse(count.condition).conditions)


def toggled(query: Query, name: str, count: FacetCount) -> Query:
    """The query with a facet's value chosen, or no longer."""
    conditions = parse(count.condition).conditions
    if is_chosen(query, count):
        return _less(query, conditions)
    before = [c for c in query.conditions if _gives_way(c, name, conditions)]
    return _less(query, before).adding(*conditions)


def _gives_way(condition: Condition, name: str, to: Sequence[Condition]) -> bool:
    """Whether a facet's conditions take the place of one: a year does that of another year, a
    folder that of a folder it lies in. Types and languages are added to one another."""
    if condition.negated:
        return False
    if name == "year":
        return condition.field in ("after", "before")
    above = f"{condition}".rstrip('/"')
    return name == "folder" and any(str(c).startswith(f"{above}/") for c in to)


def _less(query: Query, conditions: Sequence[Condition]) -> Query:
    for condition in conditions:
        query = query.without(condition)
    return query


def _facet_html(name: str, count: FacetCount, query: Query, place: Place, chosen: bool) -> str:
    words = escape(value_name(name, count.value))
    current = ' aria-current="true"' if chosen else ""
    return (
        f'<li><a href="{_link(toggled(query, name, count), place)}"{current}>'
        f"<bdi>{words}</bdi><span>{count.count:,}</span></a></li>"
    )


def value_name(facet: str, value: str) -> str:
    """What people call a facet's value: ``JSON``, ``C++``, ``German``; itself, if it has no name.

    A language without a name of its own is spelt with a capital: ``Rust``.
    """
    plain = value.capitalize() if facet == "language" else value
    return NAMES.get(facet, {}).get(value, plain)


def _link(query: Query, place: Place) -> str:
    """To the first results of another query, as an attribute."""
    return escape(href("", replace(place, query=str(query), offset=0)))
