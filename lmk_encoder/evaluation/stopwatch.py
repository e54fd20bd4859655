"""Wall and processor time of a block of work."""

import os
import time
from types import TracebackType
from typing import Self


class Stopwatch:
    """``with Stopwatch() as watch: ...``, then ``watch.seconds`` and ``watch.cpu_seconds``."""

    seconds = 0.0
    cpu_seconds = 0.0  # of all threads of this process

    def __enter__(self) -> Self:
        self._wall, self._cpu = time.perf_counter(), _cpu_seconds()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds = time.perf_counter() - self._wall
        self.cpu_seconds = _cpu_seconds() - self._cpu


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system
