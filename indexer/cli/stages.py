"""Progress of named stages on standard error: how far, how fast, how long still."""

import sys
import time
from collections.abc import Callable

from indexer.cli.progress import LIVE_EVERY_S, PLAIN_EVERY_S, duration
from lmk_encoder.types import Progress, no_progress


def stage_progress(*, quiet: bool) -> Progress:
    """A callback that writes to standard error: one line rewritten, or a line now and then."""
    return no_progress if quiet else StageProgress()


class StageProgress:
    """Lines such as ``squality landmark  42%, 2 min left, 15,000/s``."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage, self._done = "", 0
        self._began = self._shown = clock()
        self._is_live = sys.stderr.isatty()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Show a stage; a new name, or a step back, starts the clock anew."""
        self.line(stage, done, total)

    def line(
        self, stage: str, done: int, total: int | None, more: str = "", *, first: int = 0
    ) -> None:
        """The same, with ``more`` behind it; what was ``first`` there was done before."""
        now = self._clock()
        if stage != self._stage or done < self._done:
            self._stage, self._began = stage, now
            self._shown = now - (PLAIN_EVERY_S if self._is_live else 0)
        self._done = done
        is_end = done == total
        every = LIVE_EVERY_S if self._is_live else PLAIN_EVERY_S
        if now - self._shown < every and not (is_end and self._is_live):
            return
        self._shown = now
        line = stage_line(stage, done, total, now - self._began, first=first)
        line += more and f",{more}"
        if self._is_live:
            print(f"\r\x1b[2K{line}", end="\n" if is_end else "", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)


def stage_line(stage: str, done: int, total: int | None, seconds: float, *, first: int = 0) -> str:
    """One line of progress; ``done`` and ``total`` count the stage's own unit, of which
    ``first`` were done before the ``seconds`` began."""
    rate = (done - first) / seconds if seconds > 0 else 0.0
    speed = f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2f}/s"
    if not total:
        return f"{stage}  {done:,}, {speed}"
    left = f", {duration((total - done) / rate)} left" if rate and done < total else ""
    return f"{stage}  {done / total:4.0%}{left}, {speed}"
