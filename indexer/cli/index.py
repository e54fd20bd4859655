"""``lmk index PATH...``: bring an index in step with files and folders."""

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indexer.cli.options import DEFAULT_INDEX_PATH, EngineOption, IndexOption, counted, shown

if TYPE_CHECKING:
    from indexer.documents import FileRecord
    from indexer.ingest.report import IngestReport

_LISTED = 20  # files named in the summary; `lmk status --files` has them all


def index(
    paths: Annotated[list[str] | None, typer.Argument(help="Files and folders.")] = None,
    index: IndexOption = DEFAULT_INDEX_PATH,
    engine: EngineOption = None,
    model: Annotated[
        str | None,
        typer.Option(help="Folder or name of another model than the built-in one: lmk model."),
    ] = None,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Make the index anew, from all that was in it and PATHs."),
    ] = False,
    password: Annotated[
        str | None,
        typer.Option(help="Tried on encrypted files. Others can see it; a file is safer."),
    ] = None,
    password_file: Annotated[
        Path | None, typer.Option(help="File of passwords, one a line, tried on encrypted files.")
    ] = None,
    archives: Annotated[
        bool, typer.Option("--archives", help="Read the files in zip and tar archives.")
    ] = False,
    all_code: Annotated[
        bool, typer.Option("--all-code", help="Read generated, minified and vendored code, too.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress, only the end.")
    ] = False,
) -> None:
    """Index PDFs, code, Markdown, HTML and text. Run it again to bring the index up to date.

    Unchanged files are not read again; moved ones are not encoded again; files that are gone
    leave the index. Ctrl-C stops cleanly, and the next run goes on from there.
    """
    from indexer.api import DocumentIndex
    from indexer.cli.progress import progress_display
    from indexer.config import load_settings

    if not paths and not rebuild:
        raise typer.BadParameter("name at least one file or folder", param_hint="PATH")
    settings = load_settings(
        index,
        model=model,
        engine=engine,
        password=password,
        password_file=password_file,
        all_code=all_code or None,
        archives=archives or None,
    )
    with DocumentIndex.open(index, settings=settings) as opened, stop_on_ctrl_c() as stopped:
        work = opened.rebuild if rebuild else opened.add
        with progress_display(quiet=quiet) as show:
            report = work([*(paths or [])], progress=show, should_stop=stopped.is_set)
        print_summary(report, index)
    if report.interrupted:
        raise typer.Exit(130)
    if report.has_failed:
        raise typer.Exit(1)


@contextmanager
def stop_on_ctrl_c() -> Iterator[threading.Event]:
    """The first Ctrl-C or SIGTERM asks the run to stop, a second one ends it at once."""
    stopped = threading.Event()

    def ask(signum: int, frame: object) -> None:
        stopped.set()
        typer.echo("\nStopping; press Ctrl-C again to stop at once.", err=True)
        signal.signal(signum, before[signal.Signals(signum)])

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, ask)
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def print_summary(report: "IngestReport", index_path: Path) -> None:
    """What a run did, and every reason why something was not read."""
    if report.interrupted:
        typer.echo("Stopped. What was published stays; the next run goes on from there.")
    counts = (
        ("added", len(report.added)),
        ("changed", len(report.changed)),
        ("moved", len(report.moved)),
        ("removed", len(report.removed)),
        ("unchanged", len(report.unchanged)),
        ("excluded", len(report.excluded)),
        ("no text", len(report.no_text)),
        ("locked", len(report.locked)),
        ("failed", len(report.failed)),
    )
    typer.echo(", ".join(f"{count:,} {name}" for name, count in counts) + f"  ({index_path})")
    if not (report.interrupted or any(count for _, count in counts)):
        typer.echo("No file was found there. Name a folder that holds some: lmk index PATH")
    if report.documents:
        rate = report.tokens / report.seconds if report.seconds else 0
        pages = f", {counted(report.pages, 'page')}" if report.pages else ""
        typer.echo(
            f"{counted(report.documents, 'document')}{pages}, {report.tokens:,} tokens "
            f"in {report.seconds:.1f} s ({rate:,.0f} tokens/s)"
        )
    reasons = Counter(_kind_of_reason(r) for r in report.excluded).most_common()
    for reason, count in reasons[:_LISTED]:
        typer.echo(f"  excluded {count:>5,}  {shown(reason)}")
    named = (report.partly, report.no_text, report.locked, report.failed)
    for records in named:
        for record in records[:_LISTED]:
            typer.echo(f"  {record.state}  {shown(record.path)}: {shown(record.reason or '')}")
    if max(len(reasons), *map(len, named)) > _LISTED:
        typer.echo("  ... and more: lmk status --files")


def _kind_of_reason(record: "FileRecord") -> str:
    """The reason without the parts that differ from file to file, for counting."""
    reason = record.reason or ""
    return reason.split(" in /")[0].split(". ")[0]
