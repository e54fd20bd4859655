"""The parent's side of one worker process: start it, ask it, watch its limits, replace it."""

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from indexer.errors import GivenUp, ParseError
from indexer.parsing.worker import Answer, Call, read_answer

# The child gets our module path, so that it finds the same code however we were started.
_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from indexer.parsing.worker import serve; serve(int(sys.argv[2]), int(sys.argv[3]))"
)
_MEBIBYTE = 1 << 20
_LEAST_WAIT_S = 0.05


class WorkerProcess:
    """One worker. It starts at its first call, and anew after it crashed or broke a limit."""

    def __init__(self, *, timeout_s: float, memory_bytes: int) -> None:
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._lock = threading.Lock()  # over what follows, never held during a call
        self._process: subprocess.Popen[bytes] | None = None
        self._is_busy = False
        self._closed = threading.Event()

    def call(self, call: Call, *, subject: str, timeout_s: float | None = None) -> Answer:
        """The worker's answer. One call at a time; ``subject`` is what errors name.

        ``timeout_s`` is for this call, instead of the worker's own limit.

        Raises:
            GivenUp: a limit was exceeded, or the process died.
            ParseError: the worker was closed.
        """
        timeout_s = self._timeout_s if timeout_s is None else timeout_s
        with self._lock:
            if self._closed.is_set():
                raise ParseError(f"{subject} was not read: stopped.", fix="Run it again.")
            process = self._running()
            self._is_busy = True
        done, expired = threading.Event(), threading.Event()
        arguments = (process, timeout_s, done, expired)
        watch = threading.Thread(target=_kill_when_late, args=arguments, daemon=True)
        watch.start()
        answer = None
        try:
            answer = _ask(process, call)
        finally:  # also when the call does not pickle, or Ctrl-C arrives
            done.set()
            watch.join()
            with self._lock:
                self._is_busy = False
                code = self._discard() if answer is None or expired.is_set() else 0
                if self._closed.is_set():
                    self._discard()
        if answer is None:
            raise self._death(subject, code, timeout_s if expired.is_set() else None)
        if answer.fault is not None and answer.fault.kind == "MemoryError":
            limit = f"{self._memory_bytes / _MEBIBYTE:.0f} MiB"
            what = f"{subject} was given up: it needs more than {limit} of memory."
            raise GivenUp(what, fix="Raise the parser's memory limit, or leave it out.")
        return answer

    def close(self) -> None:
        """End the process now. A call in progress raises ParseError in its own thread."""
        with self._lock:
            self._closed.set()
            if self._is_busy and self._process is not None:
                self._process.kill()  # the calling thread reads from it, and discards it
            else:
                self._discard()

    def _running(self) -> subprocess.Popen[bytes]:
        """The process, started if there is none or if it ended while idle. The lock is held."""
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._discard()
        arguments = (json.dumps(sys.path), str(self._memory_bytes), str(os.getpid()))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # the terminal's Ctrl-C must not reach it
        )
        return self._process

    def _discard(self) -> int | None:
        """Kill and reap the process, close its pipes; its exit code. The lock is held."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.kill()
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                # Closing flushes, and what a dead process has not read goes nowhere.
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        return code

    def _death(self, subject: str, code: int | None, expired_s: float | None) -> ParseError:
        """What to say of a process that ended instead of answering; ``expired_s`` is the limit
        of time that it broke, if it did."""
        if expired_s is not None:
            what = f"{subject} was given up: it took more than {expired_s:g} s."
            return GivenUp(what, fix="Raise the parser's time limit, or leave it out.")
        if self._closed.is_set():
            return ParseError(f"{subject} was not read: stopped.", fix="Run it again.")
        limit = f"{self._memory_bytes / _MEBIBYTE:.0f} MiB"
        what = f"{subject} made the parser crash ({_exit_reason(code)}; memory limit {limit})."
        return GivenUp(what, fix="Open it in a viewer and save it again, or leave it out.")


def _ask(process: subprocess.Popen[bytes], call: Call) -> Answer | None:
    """Send ``call`` and wait for its answer; None if the process ends before."""
    assert process.stdin is not None, "started with pipes"
    assert process.stdout is not None, "started with pipes"
    request = pickle.dumps(call)
    try:
        process.stdin.write(request)
        process.stdin.flush()
        return read_answer(process.stdout)
    except (EOFError, OSError, pickle.UnpicklingError):
        return None


def _kill_when_late(
    process: subprocess.Popen[bytes],
    timeout_s: float,
    done: threading.Event,
    expired: threading.Event,
) -> None:
    """Kill a process that is not ``done`` in time, and set ``expired``. Time in which it was ready
    to run and got no processor is not its own: a busy machine must not cost a document."""
    begun, waited_before = time.monotonic(), starved_s(process.pid)
    left = timeout_s
    while not done.wait(max(left, _LEAST_WAIT_S)):
        waited = starved_s(process.pid) - waited_before
        left = timeout_s - (time.monotonic() - begun - waited)
        if left <= 0:
            expired.set()
            process.kill()
            return


def starved_s(pid: int) -> float:
    """Seconds for which the first thread of a process was ready to run and others had all
    processors; 0 where the system does not tell (it does on Linux)."""
    try:
        fields = Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()
        return int(fields[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _exit_reason(code: int | None) -> str:
    if code is not None and code < 0:
        return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
