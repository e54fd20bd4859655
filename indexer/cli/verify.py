"""``lmk verify``: do the rows say what the files say?"""

from typing import Annotated

import typer

from indexer.cli.findings import print_findings
from indexer.cli.options import DEFAULT_INDEX_PATH, IndexOption, counted


def verify(
    index: IndexOption = DEFAULT_INDEX_PATH,
    sample: Annotated[
        int, typer.Option("--sample", min=1, help="Documents to compare, chosen by chance.")
    ] = 20,
    every: Annotated[bool, typer.Option("--all", help="Compare every document.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of findings.")] = False,
) -> None:
    """Parse and encode documents again, and compare ids, texts, spans, terms and vectors."""
    from indexer.api import DocumentIndex

    with DocumentIndex.open(index) as opened:
        found = opened.verify(None if every else sample)
    well = f"{counted(found.compared, 'document')} compared, all as their files say."
    if found.changed:
        well += f" {found.changed:,} not compared: changed or gone since; lmk index is due."
    print_findings(found.findings, well, as_json=as_json)
