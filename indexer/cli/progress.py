"""Progress of indexing on standard error: a live line on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.cli.options import shown
from indexer.ingest.report import IngestProgress, ProgressCallback

PLAIN_EVERY_S = 10.0
LIVE_EVERY_S = 0.2


def progress_line(now: IngestProgress) -> str:
    """One line: how far, how fast, how long still."""
    seconds = max(now.elapsed_s, 1e-9)
    share = now.bytes_done / now.bytes_total if now.bytes_total else 1.0
    # The time left comes early: a narrow terminal cuts the line's end off.
    left = "" if now.remaining_s is None else f", {duration(now.remaining_s)} left"
    return (
        f"{share:4.0%}{left}  {now.files_done:,}/{now.files_total:,} files, "
        f"{now.documents:,} documents ({now.documents / seconds:.1f}/s), "
        f"{now.pages:,} pages ({now.pages / seconds:.1f}/s), "
        f"{now.tokens:,} tokens ({now.tokens / seconds:,.0f}/s)"
    )


def duration(seconds: float) -> str:
    """``45 s``, ``12 min``, ``3 h 05 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


@contextmanager
def progress_display(*, quiet: bool) -> Iterator[ProgressCallback | None]:
    """A callback that draws progress, or None if nothing is to be drawn."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        yield from _live()
    else:
        yield _Plain()


def _live() -> Iterator[ProgressCallback]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    with Live(console=console, refresh_per_second=1 / LIVE_EVERY_S, transient=True) as live:
        live.update(Text("reading ..."))

        def show(now: IngestProgress) -> None:
            name = shown(Path(now.current).name)
            live.update(Text(f"{progress_line(now)}  {name}", no_wrap=True, overflow="ellipsis"))

        yield show


class _Plain:
    """A line now and then: logs stay readable."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, now: IngestProgress) -> None:
        if time.monotonic() - self._last >= PLAIN_EVERY_S:
            self._last = time.monotonic()
            print(progress_line(now), file=sys.stderr, flush=True)
