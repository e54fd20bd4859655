"""``lmk watch PATH...``: keep an index in step until Ctrl-C."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from indexer.cli.index import print_summary, stop_on_ctrl_c
from indexer.cli.options import DEFAULT_INDEX_PATH, IndexOption, shown
from lmk_encoder.errors import LmkError

if TYPE_CHECKING:
    from indexer.ingest.report import IngestReport


def watch(
    paths: Annotated[list[str], typer.Argument(help="Files and folders.")],
    index: IndexOption = DEFAULT_INDEX_PATH,
    model: Annotated[
        str | None, typer.Option(help="Checkpoint folder instead of the built-in model.")
    ] = None,
    quiet_s: Annotated[
        float, typer.Option("--quiet-period", min=0.1, help="Seconds of rest before it is read.")
    ] = 2.0,
) -> None:
    """Bring the index in step now, and after every change of the files, until Ctrl-C."""
    from indexer.api import DocumentIndex

    def tell(told: "IngestReport | LmkError") -> None:
        now = f"{datetime.now():%H:%M:%S}"
        if isinstance(told, LmkError):
            typer.echo(f"{now}  {shown(str(told))}", err=True)
        elif any((told.added, told.changed, told.moved, told.removed, told.failed)):
            typer.echo(now)
            print_summary(told, index)

    with DocumentIndex.open(index, model=model) as opened, stop_on_ctrl_c() as stopped:
        opened.watch([*paths], quiet_s=quiet_s, on_update=tell, stop=stopped)
