"""Work that goes on beside the thread that wants it: LanceDB, numpy and torch let others run."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = 8  # of all searches together; they mostly wait for LanceDB's own
_pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="lmk-search")


def beside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    """Begin ``work`` now or as soon as a thread is free; ``result()`` waits for it.

    ``work`` must not start and wait for any itself: all threads could be waiting then.
    """
    return _pool.submit(work, *args, **kwargs)
