"""``lmk reencode --model M``: the index goes over to another model."""

from typing import Annotated

import typer

from indexer.cli.index import print_summary, stop_on_ctrl_c
from indexer.cli.options import DEFAULT_INDEX_PATH, IndexOption
from indexer.cli.progress import progress_display


def reencode(
    model: Annotated[str, typer.Option(help="Checkpoint folder of the new model.")],
    index: IndexOption = DEFAULT_INDEX_PATH,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress, only the end.")
    ] = False,
) -> None:
    """Encode everything with another model, beside the index, which answers until the end.

    Stopped or killed, the next call goes on from there. An index can also be made anew with the
    model it has: lmk index --rebuild.
    """
    from indexer.api import DocumentIndex
    from indexer.store.manifest import read_manifest

    read_manifest(index)  # there must be one: nothing is made from nothing
    with DocumentIndex.open(index, model=model) as opened, stop_on_ctrl_c() as stopped:
        with progress_display(quiet=quiet) as show:
            report = opened.rebuild(progress=show, should_stop=stopped.is_set)
        print_summary(report, index)
    if report.interrupted:
        raise typer.Exit(130)
    if report.has_failed:
        raise typer.Exit(1)
