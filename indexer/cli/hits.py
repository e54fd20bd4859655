"""A page of results for the terminal and as the documented JSON."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from indexer.cli.options import counted, shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from indexer.documents import Explanation, Hit, Passage
    from indexer.search.results import SearchPage

_SNIPPET_CHARS = 360
# Control characters but tab and line feed, and separators of lines, as one blank each: rich drops
# some of them, which would move the marks behind, and a terminal obeys others.
_BLANKED = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160), 0x2028, 0x2029], " ")


def page_json(page: "SearchPage", took_ms: float) -> dict[str, Any]:
    """A page as the documented JSON object (docs/json.md). Later versions only add keys."""
    return {
        "query": page.query,
        "took_ms": round(took_ms, 1),
        "total": page.total,
        "offset": page.offset,
        "notes": list(page.notes),
        "facets": {
            name: [{"value": v.value, "count": v.count, "condition": v.condition} for v in values]
            for name, values in page.facets.items()
        },
        "hits": [hit_json(hit) for hit in page.hits],
    }


def hit_json(hit: "Hit") -> dict[str, Any]:
    """A hit as the documented JSON object."""
    return {
        "rank": hit.rank,
        "doc_id": hit.doc_id,
        "path": hit.path,
        "paths": list(hit.paths),
        "duplicates": list(hit.duplicates),
        "title": hit.title,
        "kind": hit.kind,
        "score": hit.score,
        "passages": [
            {
                "start": passage.start,
                "end": passage.end,
                "text": passage.text,
                "unit": passage.unit,
                "first": passage.first,
                "last": passage.last,
                "label": passage.label,
                "section": passage.section,
                "score": passage.score,
                "highlights": [list(mark) for mark in passage.highlights],
                "best": list(passage.best or (passage.start, passage.end)),
                "best_units": passage.best_units and asdict(passage.best_units),
            }
            for passage in hit.passages
        ],
        "explanation": None if hit.explanation is None else _explanation_json(hit.explanation),
    }


def _explanation_json(explanation: "Explanation") -> dict[str, Any]:
    return {
        "signals": [
            {
                "name": signal.name,
                "value": signal.value,
                "rank": signal.rank,
                "weight": signal.weight,
                "contribution": signal.contribution,
            }
            for signal in explanation.signals
        ],
        "words": [{"word": word.word, "places": word.places} for word in explanation.words],
    }


def print_page(page: "SearchPage", asked: str) -> None:
    """Print hits with their passages, facets if the page has them, and what comes after it."""
    from rich.console import Console

    # Soft wrap: in a pipe, and where a terminal breaks lines by itself, paths stay whole.
    console = Console(highlight=False, soft_wrap=True)
    for note in page.notes:
        typer.echo(f"lmk: {shown(note)}", err=True)
    if not page.hits:
        console.print(f"Nothing found for {shown(asked)}.", markup=False)
        if page.total:
            console.print(f"There are {counted(page.total, 'result')} in all.", markup=False)
    for hit in page.hits:
        _print_hit(console, hit)
    after = page.offset + len(page.hits)
    if page.hits and (page.offset or page.facets) and page.total > after:
        left = counted(page.total - after, "result")
        console.print(f"{left} more: --offset {after}", style="dim", markup=False)
    _print_facets(console, page)


def _print_hit(console: "Console", hit: "Hit") -> None:
    from rich.text import Text

    from indexer.search.context import location

    head = Text()
    head.append(f"{hit.rank:>2}  ", style="dim")
    head.append(shown(hit.title), style="bold")
    head.append(f"  {hit.score:.3f}", style="dim")
    console.print(head)
    more = len(hit.paths) - 1 + len(hit.duplicates)
    others = f"  (and {more:,} more)" if more else ""
    console.print(Text(f"    {shown(near(hit.path))}{others}", style="cyan"))
    if hit.explanation is not None:
        _print_explanation(console, hit.explanation)
    for passage in hit.passages:
        place = Text(f"    {shown(location(passage))}", style="green")
        if passage.section:
            place.append(f"  {shown(passage.section)}", style="dim")
        console.print(place)
        for line in snippet(passage).wrap(console, max(40, console.width - 8)):
            line.rstrip()
            console.print(Text("      ").append_text(line))
    console.print()


def _print_explanation(console: "Console", explanation: "Explanation") -> None:
    from rich.text import Text

    for signal in explanation.signals:
        line = (
            f"      {signal.contribution:+.3f} = {signal.weight:<4g} × {signal.name:<13} "
            f"{signal.value:.3f}, rank {signal.rank:,}"
        )
        console.print(Text(line, style="dim"))
    if explanation.words:
        words = ", ".join(f"{shown(word.word)} {word.places:,}" for word in explanation.words)
        console.print(Text(f"      places with its words: {words}", style="dim"))


def _print_facets(console: "Console", page: "SearchPage") -> None:
    for name, values in page.facets.items():
        if values:
            listed = ", ".join(f"{shown(v.value)} {v.count:,}" for v in values)
            console.print(f"{name:>8}: {listed}", markup=False)


def snippet(passage: "Passage") -> "Text":
    """The part of a passage with most matched words, on flowing lines, matches in bold."""
    from rich.text import Text

    from indexer.search.display import reading_text

    marks = [(start - passage.start, end - passage.start) for start, end in passage.highlights]
    plain = passage.text.translate(_BLANKED)
    if passage.unit != "line":
        # Printed lines of a page mean nothing here.
        plain, marks = reading_text(plain, marks)
        plain = plain.replace("\n", " ")
    text = Text(plain)
    for start, end in marks:
        text.stylize("bold yellow", start, end)
    begin = _best_begin(plain, [start for start, _ in marks])
    end = _word_end(plain, begin, begin + _SNIPPET_CHARS)
    before, after = ("… " if begin else ""), (" …" if end < len(plain.rstrip()) else "")
    return Text.assemble(before, text[begin:end], after)


def _word_end(text: str, begin: int, end: int) -> int:
    """Where to end so that no word is cut and no blank is left over, at most at ``end``.

    A word of more than 40 characters, as lines of scripts without spaces are, is cut.
    """
    if end < len(text):
        end = next((at for at in range(end, end - 40, -1) if text[at].isspace()), end)
    return begin + len(text[begin:end].rstrip())


def _best_begin(text: str, marks: list[int]) -> int:
    """Where to begin so that most matched words are seen: at the start, if all are."""
    if len(text) <= _SNIPPET_CHARS or not marks:
        return 0
    seen = {m: sum(m <= other < m + _SNIPPET_CHARS - 40 for other in marks) for m in [0, *marks]}
    best = max(seen, key=lambda m: (seen[m], -m))
    return max(0, text.rfind(" ", 0, max(0, best - 40)) + 1)


def near(path: str) -> str:
    """The path relative to the working folder where it lies below it."""
    here = f"{Path.cwd()}{os.sep}"
    return path.removeprefix(here)
