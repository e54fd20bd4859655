"""Batches side by side on the CPU: a core each, instead of every matrix product on all cores.

A forward pass has hundreds of small steps; sharing each among the cores means as many waits for
the slowest one. A batch to itself, a core never waits, and its data stays in its own cache.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_workers(
    work: Callable[[Item], Result], items: Sequence[Item], *, are_small: bool = False
) -> Iterator[Result]:
    """``work`` of every item, in order, by as many threads as torch may use.

    One item alone is worked on by all cores together, in the calling thread, unless it is small:
    a query takes longer to be shared out than to be computed.
    """
    threads = torch.get_num_threads()
    if threads == 1 or (len(items) == 1 and not are_small):
        yield from map(work, items)
        return
    waiting = [_pool(threads).submit(work, item) for item in items]
    try:
        for future in waiting:
            yield future.result()
    finally:
        for future in waiting:  # what has not begun when somebody gave up
            future.cancel()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads in which torch uses one core each."""
    ready = threading.Barrier(threads + 1)

    def use_one_core() -> None:
        torch.get_num_threads()  # a thread's first look at the setting copies the process's
        torch.set_num_threads(1)
        ready.wait()

    pool = ThreadPoolExecutor(threads, "lmk-encode", initializer=use_one_core)
    for _ in range(threads):
        pool.submit(int)
    ready.wait()
    # The setting of a new thread is that of the process as well: put it back.
    torch.set_num_threads(threads)
    return pool
