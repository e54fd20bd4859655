"""Functions that tests run inside a worker process."""

import os
import signal
import sys
import time
from pathlib import Path

from indexer.documents import Document
from indexer.parsing.dispatch import parse
from indexer.parsing.options import ParseOptions


def double(number: int) -> int:
    return 2 * number


def print_and_double(number: int) -> int:
    print("noise", flush=True)
    os.write(1, b"noise")
    return 2 * number


def sleep(path: Path, seconds: float) -> None:
    time.sleep(seconds)


def allocate(path: Path, num_bytes: int) -> int:
    return len(bytearray(num_bytes))


def die_by_signal(path: Path) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def exit_at_once(path: Path) -> None:
    os._exit(3)


def raise_key_error(path: Path) -> None:
    raise KeyError("gone")


def unpicklable() -> object:
    return lambda: None


def parse_or_crash(path: Path, options: ParseOptions) -> Document:
    if path.read_text(encoding="utf-8") == "crash":
        die_by_signal(path)
    return parse(path, options)


def imported_modules() -> set[str]:
    return {name.split(".")[0] for name in sys.modules}


def own_process() -> int:
    return os.getpid()


def pin(cpu: int) -> None:
    """Run on one processor from now on."""
    os.sched_setaffinity(0, {cpu})


def spin(seconds: float) -> float:
    """Use so much processor time; the time used."""
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        pass
    return time.process_time() - begun
