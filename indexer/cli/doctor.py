"""``lmk doctor``: is every row of the index as it should be?"""

from typing import Annotated

import typer

from indexer.cli.findings import print_findings
from indexer.cli.options import DEFAULT_INDEX_PATH, IndexOption


def doctor(
    index: IndexOption = DEFAULT_INDEX_PATH,
    repair: Annotated[
        bool, typer.Option("--repair", help="Take out what is wrong; lmk index reads it again.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of findings.")] = False,
) -> None:
    """Check every invariant of an index on its rows. Nothing is read anew or encoded."""
    from indexer.api import DocumentIndex

    with DocumentIndex.open(index) as opened:
        findings = opened.doctor(repair=repair)
    print_findings(findings, "The index is well.", as_json=as_json)
