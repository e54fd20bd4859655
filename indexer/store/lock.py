"""One writer an index: an advisory lock that the kernel drops when its owner dies.

``flock`` needs no heartbeat and leaves nothing stale: a killed process holds nothing. The
file only tells a person who the owner is. The lock is per machine; on a network file system
whose ``flock`` is local, one machine must be the writer.
"""

import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from indexer.errors import IndexBusy
from lmk_encoder.errors import ConfigError

FILE_NAME = "write.lock"


@contextmanager
def write_lock(index_path: Path) -> Iterator[Callable[[], None]]:
    """Hold the index for writing; yields what tells others who holds it.

    It is called when there is work to do: a run that has none leaves every file as it was.
    Raises IndexBusy, naming the owner, if another process holds it.
    """
    file = index_path / FILE_NAME
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ConfigError(
            f"The index in {index_path} cannot be written: {error.strerror}.",
            "Make the folder writable, or use another one: --index DIR.",
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(index_path) from None
        if os.fstat(descriptor).st_size:
            os.ftruncate(descriptor, 0)  # the name of one that was killed
        try:
            yield partial(_announce, descriptor)
        finally:
            if os.fstat(descriptor).st_size:
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def has_writer(index_path: Path) -> bool:
    """Whether somebody is writing, or was killed while writing.

    The name in the file tells; to try the lock could turn away a writer who comes just then.
    """
    try:
        return (index_path / FILE_NAME).stat().st_size > 0
    except OSError:
        return False


@contextmanager
def held_still(index_path: Path) -> Iterator[None]:
    """Let nobody write meanwhile; needs no right to write. Raises IndexBusy."""
    file = index_path / FILE_NAME
    if not file.exists():  # nobody ever wrote here: a copy on a read-only disk
        yield
        return
    descriptor = os.open(file, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(index_path) from None
        yield
    finally:
        os.close(descriptor)


def _busy(index_path: Path) -> IndexBusy:
    return IndexBusy(
        f"Another process is writing to the index in {index_path} "
        f"({_owner(index_path / FILE_NAME)}).",
        "Wait for it to end, or stop it.",
    )


def _announce(descriptor: int) -> None:
    owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}
    os.pwrite(descriptor, json.dumps(owner).encode(), 0)


def _owner(file: Path) -> str:
    try:
        owner = json.loads(file.read_text(encoding="utf-8"))
        since = datetime.fromtimestamp(owner["since"]).isoformat(" ", "seconds")
        return f"process {owner['pid']} on {owner['host']}, since {since}"
    except (OSError, ValueError, KeyError, TypeError):
        return "owner unknown"
