"""Parsing in worker processes, so that a hostile file costs its own time and memory only."""

import queue
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from indexer.documents import Document
from indexer.errors import ParseError
from indexer.parsing.options import DEFAULT_OPTIONS, ParseOptions
from indexer.parsing.process import WorkerProcess
from indexer.parsing.reading import read
from indexer.parsing.worker import Call

T = TypeVar("T")

TIMEOUT_S = 300.0  # for one file: a hundred times what a thousand pages take
SHORTEST_LIMIT_S = 5.0  # for a part of a file: a worker has to start, too
MEMORY_BYTES = 4 << 30  # of address space, for one worker
AHEAD_BYTES = 64_000_000  # of files that are parsed before the caller takes them


class ParserPool:
    """Worker processes that parse files, each call under a time and a memory limit.

    A context manager: leaving it ends the workers, also in the middle of a file. Workers
    start when they are first needed and import neither torch nor lancedb. Methods may be
    called from several threads.
    """

    def __init__(
        self,
        workers: int = 1,
        timeout_s: float = TIMEOUT_S,
        memory_bytes: int = MEMORY_BYTES,
        options: ParseOptions = DEFAULT_OPTIONS,
    ) -> None:
        self._options, self._timeout_s = options, timeout_s
        self._workers = [
            WorkerProcess(timeout_s=timeout_s, memory_bytes=memory_bytes)
            for _ in range(max(workers, 1))
        ]
        self._idle: queue.SimpleQueue[WorkerProcess] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        # A thread for each worker: it waits for the answer while the caller does other work.
        self._threads = ThreadPoolExecutor(len(self._workers), thread_name_prefix="parser")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all workers now. Calls in progress raise ParseError in their threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.close()
        self._threads.shutdown(wait=True)

    def map(
        self, paths: Iterable[Path], *, ahead: int = 8
    ) -> Iterator[tuple[Path, Document | ParseError]]:
        """Parse ``paths``; yield each with its Document or its error, in the order finished.

        At most ``ahead`` paths, or files of ``AHEAD_BYTES`` and one more, are taken and not yet
        yielded, so memory is bounded however slow the caller is. ``paths`` is read in the
        caller's thread. After an early end, files that wait are dropped; what is being parsed
        ends with the pool.
        """
        waiting = iter(paths)
        done: queue.SimpleQueue[tuple[Path, Future[Document]]] = queue.SimpleQueue()
        running: dict[Future[Document], int] = {}  # with the sizes of their files

        def submit(path: Path) -> None:
            future = self._threads.submit(read, self.call, path, self._options)
            running[future] = _size(path)
            future.add_done_callback(lambda finished: done.put((path, finished)))

        try:
            while True:
                while len(running) < max(ahead, 1) and sum(running.values()) < AHEAD_BYTES:
                    path = next(waiting, None)
                    if path is None:
                        break
                    submit(path)
                if not running:
                    return
                path, future = done.get()
                del running[future]
                held = [_outcome(future)]
                del future  # while the next file is parsed, nobody here holds this one's text
                yield path, held.pop()
        finally:
            for future in running:
                future.cancel()

    def call(self, function: Callable[..., T], *arguments: object, time_share: float = 1.0) -> T:
        """``function(*arguments)`` run in a worker; the function must be importable by name.

        ``time_share`` is the part of the time limit that this call may take.

        Raises:
            LmkError: what the function raised on purpose.
            GivenUp: it broke a limit, or its process died.
            ParseError: it raised anything else.
        """
        subject = _subject(function, arguments)
        limit_s = max(self._timeout_s * time_share, min(self._timeout_s, SHORTEST_LIMIT_S))
        worker = self._idle.get()
        try:
            answer = worker.call(Call(function, arguments), subject=subject, timeout_s=limit_s)
        finally:
            self._idle.put(worker)
        if answer.error is not None:
            raise answer.error
        if answer.fault is not None:
            what = f"{subject} cannot be read: {answer.fault.kind}: {answer.fault.message}."
            raise ParseError(what, fix="Leave it out; a file should never do this: report it.")
        value: T = answer.value
        return value


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # gone by now: the parser will say so
        return 0


def _outcome(future: Future[Document]) -> Document | ParseError:
    try:
        return future.result()
    except ParseError as error:
        return error


def _subject(function: Callable[..., object], arguments: tuple[object, ...]) -> str:
    """What an error should name: the file if there is one."""
    path = next((argument for argument in arguments if isinstance(argument, Path)), None)
    return str(path) if path is not None else f"The call of {function.__name__}"
