"""``lmk export FILE`` and ``lmk import FILE``: an index as one portable file."""

from pathlib import Path
from typing import Annotated

import typer

from indexer.cli.options import DEFAULT_INDEX_PATH, IndexOption


def export(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not be there yet.")],
    index: IndexOption = DEFAULT_INDEX_PATH,
) -> None:
    """Write all that is in an index into one file, to keep or to carry elsewhere."""
    from indexer.api import DocumentIndex

    with DocumentIndex.open(index) as opened:
        opened.export(file)
    typer.echo(f"{file}  {file.stat().st_size / 1e6:,.1f} MB")


def import_(
    file: Annotated[Path, typer.Argument(help="A file that lmk export wrote.")],
    index: IndexOption = DEFAULT_INDEX_PATH,
) -> None:
    """Make a new index from an exported file. Nothing is parsed or encoded."""
    from indexer.api import DocumentIndex

    with DocumentIndex.open(index) as opened:
        opened.import_from(file)
        documents = opened.status().documents
    typer.echo(f"{documents:,} documents in the index {index}")
