"""``lmk remove PATH...``: take files out of the index. The files themselves stay."""

from typing import Annotated

import typer

from indexer.cli.options import DEFAULT_INDEX_PATH, IndexOption, counted


def remove(
    paths: Annotated[list[str], typer.Argument(help="Files, or folders with all below them.")],
    index: IndexOption = DEFAULT_INDEX_PATH,
) -> None:
    """Take files out of the index. Nothing is deleted on disk."""
    from indexer.api import DocumentIndex

    with DocumentIndex.open(index) as opened:
        removed = opened.remove([*paths])
    if not removed:
        listed = ", ".join(paths)
        typer.echo(f"lmk: the index {index} holds nothing at {listed}.", err=True)
        raise typer.Exit(1)
    typer.echo(f"{counted(removed, 'file')} removed from the index {index}")
