"""Libraries that work in the process which first used them, not in one that was forked from it.

A child has none of its parent's threads and all of their locks. torch waits for ever there; of
twenty children that used LanceDB most crashed, and some hung.
"""

import os
from functools import cache

from lmk_encoder.errors import LmkError


def require_own_process(library: str, used: str) -> None:
    """Raise LmkError in a process that was forked from one that had called this for ``library``,
    which is at work where somebody has ``used`` something ("an index")."""
    if os.getpid() != _user(library):
        raise LmkError(
            f"This process was forked from one that had used {used}: {library} fails in it.",
            'Start processes by "spawn" or "forkserver" (multiprocessing.get_context), or fork '
            f"before {used} is used (gunicorn: without --preload).",
        )


@cache
def _user(library: str) -> int:
    """The process that was the first to use a library."""
    return os.getpid()
