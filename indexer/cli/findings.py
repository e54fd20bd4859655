"""Findings for a person, or as the documented JSON list (docs/json.md)."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from indexer.cli.options import counted, shown

if TYPE_CHECKING:
    from indexer.upkeep.findings import Finding


def print_findings(findings: "Sequence[Finding]", well: str, *, as_json: bool) -> None:
    """Print them, or ``well`` if there are none; exit with 1 if something is left to mend."""
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings]))
    else:
        for finding in findings:
            outcome = "repaired" if finding.repaired else finding.fix
            typer.echo(f"{finding.check}: {shown(finding.what)}  [{outcome}]")
        typer.echo(f"{counted(len(findings), 'finding')}." if findings else well)
    if not all(finding.repaired for finding in findings):
        raise typer.Exit(1)
