"""How long something took, in wall time and in processor time of all threads, and its memory."""

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """One run over ``tokens``. ``peak_mb`` is that of the process so far."""

    tokens: int
    seconds: float
    cpu_seconds: float
    peak_mb: float

    @property
    def per_s(self) -> float:
        """Tokens per second of wall time."""
        return self.tokens / self.seconds

    @property
    def per_cpu_s(self) -> float:
        """Tokens per second of processor time: holds on a machine that is shared."""
        return self.tokens / self.cpu_seconds


def timed(work: Callable[[], int]) -> Timing:
    """Run ``work``, which returns the tokens it read."""
    began, cpu_began = time.perf_counter(), time.process_time()
    tokens = work()
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Timing(tokens, seconds, cpu_seconds, peak / unit)
