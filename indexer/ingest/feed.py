"""Suspect files in, parsed documents out: hashing and parsing run beside the encoder.

A thread hashes each file and hands new content to the parser processes; what comes back waits
in a bounded queue, so that the encoder never waits for a parser and memory stays flat.
"""

import hashlib
import queue
import threading
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from indexer.config import Settings
from indexer.documents import Document
from indexer.errors import ParseError, Unsupported
from indexer.parsing import PARSER_VERSION, ParserPool
from indexer.sources.files import SourceFile, content_hash

_QUEUE_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Parsed:
    """One suspect file with what became of it.

    ``document`` is None where reading failed (``error`` says why), and where the content
    ``doc_id`` is in the index already or came before in this run.
    """

    file: SourceFile
    content_hash: str | None
    doc_id: str | None
    document: Document | None = None
    error: ParseError | None = None


def document_id(content: str, name: str) -> str:
    """Identity of a document: the hash of its bytes, its suffix and the parser's version.

    The suffix decides which parser reads the bytes, so one content under two suffixes is two
    documents; any other difference of names is not.
    """
    suffix = Path(name).suffix.lower() or Path(name).name.lower()
    identity = "\n".join((content, suffix, PARSER_VERSION))
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


class Feed:
    """Iterate over ``Parsed`` for every suspect, in the order they are ready.

    ``known_docs`` are documents that need no parsing. ``should_stop`` ends the feed early.
    """

    def __init__(
        self,
        suspects: Collection[SourceFile],
        known_docs: Collection[str],
        settings: Settings,
        should_stop: Callable[[], bool],
    ) -> None:
        self._suspects = suspects
        self._known = set(known_docs)
        self._settings = settings
        self._should_stop = should_stop
        self._queue: queue.Queue[Parsed | BaseException | None] = queue.Queue(_QUEUE_LENGTH)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lmk-feed", daemon=True)

    def __enter__(self) -> "Feed":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closed.set()
        self._thread.join()

    def __iter__(self) -> Iterator[Parsed]:
        while True:
            item = self._queue.get()
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item

    def _run(self) -> None:
        try:
            self._parse_all()
            self._put(None)
        except BaseException as error:  # handed to the consumer, which raises it
            self._put(error)

    def _parse_all(self) -> None:
        waiting: dict[Path, Parsed] = {}
        settings = self._settings
        pool = ParserPool(
            workers=max(1, min(settings.parse_workers, len(self._suspects))),
            timeout_s=settings.parse_timeout_s,
            memory_bytes=settings.parse_memory_mb << 20,
        )
        with pool:
            for path, result in pool.map(self._to_parse(waiting)):
                item = waiting.pop(path)
                if isinstance(result, Document):
                    item = _checked(item, result)
                else:
                    item = replace(item, error=result)
                if not self._put(item):
                    return

    def _to_parse(self, waiting: dict[Path, Parsed]) -> Iterator[Path]:
        limit = self._settings.max_file_mb * 1e6
        for file in self._suspects:
            if self._closed.is_set() or self._should_stop():
                return
            if file.size > limit:
                reason = f"larger than max_file_mb = {self._settings.max_file_mb:g}"
                error = Unsupported(f"{reason}.", "Raise LMK_MAX_FILE_MB to read it.")
                self._put(Parsed(file, None, None, error=error))
                continue
            path = file.open_path()
            try:
                content = content_hash(path)
            except OSError as error:
                reason = "permission denied" if isinstance(error, PermissionError) else str(error)
                failure = ParseError(f"{reason}.", "Make it readable, then run again.")
                self._put(Parsed(file, None, None, error=failure))
                continue
            item = Parsed(file, content, document_id(content, file.path))
            if item.doc_id in self._known:
                self._put(item)
            else:
                self._known.add(str(item.doc_id))
                waiting[path] = item
                yield path

    def _put(self, item: Parsed | BaseException | None) -> bool:
        """Put, unless the consumer has gone. Returns whether it was put."""
        while not self._closed.is_set():
            try:
                self._queue.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False


def _checked(item: Parsed, document: Document) -> Parsed:
    """The parsed item, or an error if the file changed between hashing and parsing."""
    try:
        status = item.file.open_path().stat()
        same = (status.st_size, status.st_mtime_ns) == (item.file.size, item.file.mtime_ns)
    except OSError:
        same = False
    if same:
        return replace(item, document=document)
    error = ParseError("changed while it was read.", "Run lmk index again.")
    return replace(item, error=error)
