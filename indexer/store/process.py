"""LanceDB works in the process that first used it, not in one that was forked from that.

A child has none of its parent's threads and all of their locks: of twenty that were tried, most
crashed, some hung for ever.
"""

import os
from functools import cache

from lmk_encoder.errors import LmkError


def require_own_process() -> None:
    """Raise LmkError in a process that was forked from one that had used the engine."""
    if os.getpid() != _user():
        raise LmkError(
            "This process was forked from one that had used an index: LanceDB fails in it.",
            'Start processes by "spawn" or "forkserver" (multiprocessing.get_context), or fork '
            "before an index is used (gunicorn: without --preload).",
        )


@cache
def _user() -> int:
    """The process that was the first to use the engine."""
    return os.getpid()
