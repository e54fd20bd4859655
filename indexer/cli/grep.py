"""``lmk grep PATTERN``: a regular expression over the texts of an index."""

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from indexer.cli.hits import near
from indexer.cli.options import (
    DEFAULT_INDEX_PATH,
    AfterOption,
    BeforeOption,
    IndexOption,
    JsonOption,
    LangOption,
    PathOption,
    TitleOption,
    TypeOption,
    counted,
    filters_of,
    shown,
)

if TYPE_CHECKING:
    from indexer.search.grep import GrepMatch, GrepResult

_MARK, _PLACE, _PLAIN = "\x1b[1;31m", "\x1b[32m", "\x1b[0m"


def grep(
    pattern: Annotated[str, typer.Argument(help="A regular expression.")],
    index: IndexOption = DEFAULT_INDEX_PATH,
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", help="Small and capital letters are the same.")
    ] = False,
    files: Annotated[
        bool, typer.Option("--files", "-l", help="Only the files, with their number of matches.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-m", min=1, help="Most matches.")] = 1000,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0, max=1e6, help="Most seconds.")
    ] = 20.0,
    type_: TypeOption = None,
    path: PathOption = None,
    lang: LangOption = None,
    after: AfterOption = None,
    before: BeforeOption = None,
    title: TitleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find every match of a regular expression in the indexed texts, with its page or line."""
    from indexer.api import DocumentIndex

    filters = filters_of(type_, path, lang, after, before, title)
    with DocumentIndex.open(index) as opened:
        result = opened.grep(
            pattern, ignore_case=ignore_case, filters=filters, limit=limit, timeout_s=timeout
        )
    if as_json:
        typer.echo(json.dumps(_result_json(pattern, result)))
    elif files:
        paths = (path for match in result.matches for path in match.paths)
        for name, count in sorted(Counter(paths).items()):
            typer.echo(f"{shown(near(name))}: {count:,}")
    else:
        for match in result.matches:
            typer.echo(_line(match, colour=sys.stdout.isatty()))
    if result.stopped == "limit":
        typer.echo(f"lmk: stopped at {limit:,} matches; --limit allows more.", err=True)
    if result.stopped == "time":
        typer.echo(
            f"lmk: stopped after {timeout:g} s, {counted(result.documents, 'document')} into it. "
            "Filter by --type or --path, simplify the pattern, or allow more with --timeout.",
            err=True,
        )
        raise typer.Exit(1)


def _line(match: "GrepMatch", *, colour: bool) -> str:
    """``path:12: the line``; ``path:p. 12: ...`` where units are no lines."""
    number = f"{match.number}" if match.unit == "line" else f"{_short(match.unit)} {match.number}"
    begin = match.start - match.line_start
    end = min(match.end - match.line_start, len(match.line))
    parts = match.line[:begin].lstrip(), match.line[begin:end], match.line[end:].rstrip()
    before, found, after = map(shown, parts)  # once stripped: what is escaped is no blank
    if colour:
        found, number = f"{_MARK}{found}{_PLAIN}", f"{_PLACE}{number}{_PLAIN}"
    return f"{shown(near(match.path))}:{number}: {before}{found}{after}"


def _short(unit: str) -> str:
    return "p." if unit == "page" else unit


def _result_json(pattern: str, result: "GrepResult") -> dict[str, object]:
    return {
        "pattern": pattern,
        "documents": result.documents,
        "stopped": result.stopped,
        "matches": [
            {
                "doc_id": match.doc_id,
                "path": match.path,
                "paths": list(match.paths),
                "title": match.title,
                "unit": match.unit,
                "number": match.number,
                "label": match.label,
                "start": match.start,
                "end": match.end,
                "line": match.line,
                "line_start": match.line_start,
            }
            for match in result.matches
        ],
    }
