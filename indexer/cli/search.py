"""``lmk search "question"``: ranked documents with their best passages."""

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from indexer.cli.options import DEFAULT_INDEX_PATH, IndexOption, shown

if TYPE_CHECKING:
    from rich.text import Text

    from indexer.documents import Hit, Passage

_SNIPPET_CHARS = 360


def search(
    query: Annotated[str, typer.Argument(help="A question or words, in any form.")],
    index: IndexOption = DEFAULT_INDEX_PATH,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of documents.")] = 10,
    passages: Annotated[
        int, typer.Option("--passages", min=1, help="Most passages a document.")
    ] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Find the documents that answer a question, and the place in each."""
    from indexer.api import DocumentIndex

    with DocumentIndex.open(index) as opened:
        opened.warm_up()
        begun = time.perf_counter()
        hits = opened.search(query, k, passages=passages)
        took_ms = (time.perf_counter() - begun) * 1000
    if as_json:
        answer = {
            "query": query,
            "took_ms": round(took_ms, 1),
            "hits": [hit_json(hit) for hit in hits],
        }
        # ASCII: what stands in a document must not depend on the terminal's encoding.
        typer.echo(json.dumps(answer))
    else:
        _print_hits(hits, query)


def hit_json(hit: "Hit") -> dict[str, Any]:
    """A hit as the documented JSON object (docs/json.md). Later versions only add keys."""
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
            }
            for passage in hit.passages
        ],
    }


def _print_hits(hits: "list[Hit]", query: str) -> None:
    from rich.console import Console
    from rich.text import Text

    from indexer.search.context import location

    # Soft wrap: in a pipe, and where a terminal breaks lines by itself, paths stay whole.
    console = Console(highlight=False, soft_wrap=True)
    if not hits:
        console.print(f"Nothing found for {query!r}.", markup=False)
        return
    for hit in hits:
        head = Text()
        head.append(f"{hit.rank:>2}  ", style="dim")
        head.append(shown(hit.title), style="bold")
        head.append(f"  {hit.score:.3f}", style="dim")
        console.print(head)
        more = len(hit.paths) - 1 + len(hit.duplicates)
        others = f"  (and {more:,} more)" if more else ""
        console.print(Text(f"    {shown(_near(hit.path))}{others}", style="cyan"))
        for passage in hit.passages:
            place = Text(f"    {location(passage)}", style="green")
            if passage.section:
                place.append(f"  {passage.section}", style="dim")
            console.print(place)
            for line in _snippet(passage).wrap(console, max(40, console.width - 8)):
                line.rstrip()
                console.print(Text("      ").append_text(line))
        console.print()


def _snippet(passage: "Passage") -> "Text":
    """The part of a passage with most matched words, on flowing lines, matches in bold."""
    from rich.text import Text

    text = Text(passage.text)
    for start, end in passage.highlights:
        text.stylize("bold yellow", start - passage.start, end - passage.start)
    begin = _best_begin(passage)
    end = min(len(passage.text), begin + _SNIPPET_CHARS)
    shown = text[begin:end]
    if passage.unit != "line":
        # Printed lines of a page mean nothing here; one character for one keeps the styles right.
        shown.plain = shown.plain.replace("\n", " ")
    before, after = ("… " if begin else ""), (" …" if end < len(passage.text) else "")
    return Text.assemble(before, shown, after)


def _best_begin(passage: "Passage") -> int:
    """Where to begin so that most matched words are seen: at the start, if all are."""
    marks = [start - passage.start for start, _ in passage.highlights]
    if len(passage.text) <= _SNIPPET_CHARS or not marks:
        return 0
    seen = {m: sum(m <= other < m + _SNIPPET_CHARS - 40 for other in marks) for m in [0, *marks]}
    best = max(seen, key=lambda m: (seen[m], -m))
    return max(0, passage.text.rfind(" ", 0, max(0, best - 40)) + 1)


def _near(path: str) -> str:
    """The path relative to the working folder where it lies below it."""
    here = f"{Path.cwd()}{os.sep}"
    return path.removeprefix(here)
