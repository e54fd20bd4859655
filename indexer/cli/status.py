"""``lmk status``: what an index holds, and what became of every file."""

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from indexer.cli.options import (
    DEFAULT_INDEX_PATH,
    EngineOption,
    IndexOption,
    counted,
    nothing_in,
    shown,
)


def status(
    index: IndexOption = DEFAULT_INDEX_PATH,
    engine: EngineOption = None,
    recall: Annotated[
        bool, typer.Option("--recall", help="Measure what the engine finds of the nearest ten.")
    ] = False,
    files: Annotated[bool, typer.Option("--files", help="List every file with its state.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show documents, files by state, sizes and the model of an index."""
    from indexer.api import DocumentIndex

    with DocumentIndex.open(index, engine=engine) as opened:
        answer: dict[str, Any] = {**asdict(opened.status()), "path": str(index)}
        if recall:
            answer["recall"] = asdict(opened.recall())
        answer["pending"] = asdict(opened.pending())
        records = opened.files() if files else []
    listed: list[dict[str, Any]] = [
        {
            "path": record.path,
            "state": record.state,
            "reason": record.reason,
            "doc_id": record.doc_id,
            "size": record.size,
        }
        for record in records
    ]
    if as_json:
        typer.echo(json.dumps({**answer, "listed": listed} if files else answer))
        return
    if not answer["documents"]:
        typer.echo(nothing_in(index, sum(answer["files"].values())))
    typer.echo(f"index      {answer['path']}  (generation {answer['generation']})")
    typer.echo(f"model      {shown(answer['model'])}  ({answer['fingerprint'][:12]})")
    typer.echo(f"documents  {answer['documents']:,}  {_counts(answer['kinds'])}")
    typer.echo(f"content    {_units(answer['units'])}, {answer['tokens']:,} tokens")
    typer.echo(f"landmarks  {answer['landmarks']:,}  ({answer['unindexed_rows']:,} not yet folded)")
    if recall:
        measured = answer["recall"]
        typer.echo(
            f"recall     {measured['found']:.3f} of the nearest {measured['k']} landmarks "
            f"({measured['engine']}, {measured['queries']} queries)"
        )
    typer.echo(f"files      {_counts(answer['files'])}")
    covered = answer["coverage"]
    typer.echo(
        f"read       {covered['with_text']:,} of {covered['units']:,} units have text, "
        f"{covered['blank']:,} are blank, {covered['failed']:,} failed"
    )
    per_token = f"{answer['bytes_per_token']:.1f} bytes a token"
    typer.echo(f"on disk    {answer['size_bytes'] / 1e6:,.1f} MB  ({per_token})")
    waiting = {name: count for name, count in answer["pending"].items() if count}
    interrupted = "".join(f", a {name} is unfinished" for name in answer["unfinished"])
    typer.echo(f"pending    {_counts(waiting)}{interrupted}")
    for item in listed:
        reason = f"  ({shown(item['reason'])})" if item["reason"] else ""
        typer.echo(f"{item['state']:<8} {shown(item['path'])}{reason}")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "nothing"


def _units(counts: dict[str, int]) -> str:
    return ", ".join(counted(count, name) for name, count in sorted(counts.items())) or "nothing"
