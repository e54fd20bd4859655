"""The process that parses: reads calls from standard input, writes answers to standard output.

It is started with ``python -c`` and not by ``multiprocessing``, which would run the caller's
main module a second time: a plain script without a ``__main__`` guard, or all of Streamlit.
"""

import logging
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import IO, Any, NamedTuple

from indexer.documents import Document, parts_of
from indexer.parsing.packages import steady
from lmk_encoder.errors import LmkError

logger = logging.getLogger(__name__)
_WATCH_EVERY_S = 0.5


class Call(NamedTuple):
    """What a worker is asked for: a top-level function, pickled by name, and its arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Fault(NamedTuple):
    """An exception that nobody raised on purpose, told in words so that it always pickles."""

    kind: str  # name of the exception's type
    message: str


class Answer(NamedTuple):
    """What came of a call: a value, an error raised on purpose, or a fault.

    Of a value that is a Document, the text travels behind the answer, in ``text_bytes`` bytes of
    UTF-8: pickled with it, a long one would be held three times over.
    """

    value: Any = None
    error: LmkError | None = None
    fault: Fault | None = None
    text_bytes: int = 0


def serve(memory_bytes: int, parent: int) -> None:
    """Answer calls until standard input ends. Runs in the worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    logging.getLogger().addHandler(logging.NullHandler())  # libraries warn about broken files
    warnings.simplefilter("ignore")
    _limit_memory(memory_bytes)
    _die_with(parent)
    calls = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not land between the answers
    while True:
        try:
            call = pickle.load(calls)
        except EOFError:
            return
        answers.writelines(answer_to(call))
        answers.flush()


def answer_to(call: Call) -> list[bytes]:
    """The pickled Answer to ``call``, and behind it the parts of the text that travels apart.
    Pickling is inside: it can fail or run out of memory too."""
    try:
        value, text = call.function(*call.arguments), []
        if isinstance(value, Document):
            # In parts: to encode a whole text takes four bytes a character for a moment.
            text = [part.encode() for part in parts_of(value.text)]
            value = replace(value, text="")
        answer = Answer(value=value, text_bytes=sum(map(len, text)))
        return [pickle.dumps(answer, pickle.HIGHEST_PROTOCOL), *text]
    except LmkError as error:
        answer = Answer(error=error)
    except Exception as error:  # the border of the process: every call is answered
        answer = Answer(fault=Fault(type(error).__name__, steady(str(error))))
    return [pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)]


def read_answer(file: IO[bytes]) -> Answer:
    """The parent's side: the next answer in ``file``. EOFError if it ends before."""
    answer = pickle.load(file)
    assert isinstance(answer, Answer), "a worker writes nothing else"
    if not isinstance(answer.value, Document):
        return answer
    data = file.read(answer.text_bytes)
    if len(data) < answer.text_bytes:
        raise EOFError
    return answer._replace(value=replace(answer.value, text=data.decode()))


def _limit_memory(memory_bytes: int) -> None:
    """Let allocations fail beyond ``memory_bytes`` of address space, where the system can."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    except (ImportError, ValueError, OSError) as error:  # Windows, macOS, a lower hard limit
        logger.debug("no memory limit: %r", error)


def _die_with(parent: int) -> None:
    """End this process when ``parent`` is gone, also in the middle of a call."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH_EVERY_S)
        os._exit(1)

    if sys.platform != "win32":  # there a process never sees that its parent is gone
        threading.Thread(target=watch, daemon=True).start()
