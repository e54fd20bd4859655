"""Suspect files in, parsed documents out: hashing and parsing run beside the encoder.

A thread hashes each file and hands new content to the parser processes; what comes back waits
in a bounded queue, so that the encoder never waits for a parser and memory stays flat.
"""

import hashlib
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

from indexer.config import Settings
from indexer.documents import Document
from indexer.errors import ParseError, Unsupported
from indexer.ingest.states import limit_told
from indexer.parsing import PARSER_VERSION, ParserPool
from indexer.parsing.code_languages import LANGUAGE_OF_NAME
from indexer.parsing.decode import clean_line
from indexer.parsing.options import ParseOptions
from indexer.parsing.pdf_pages import can_read_images
from indexer.parsing.text_formats import text_format
from indexer.sources.archives import split_member
from indexer.sources.files import SourceFile, content_hash, mtime_of
from indexer.sources.unpacking import Unpacker

_QUEUE_LENGTH = 16
_CHARS_A_PLACE = 1_000_000  # a longer text takes several places in the queue
_TICK_S = 0.2
_END = object()  # behind the last item


@dataclass(frozen=True, slots=True)
class Parsed:
    """One suspect file with what became of it.

    ``document`` is None where reading failed (``error`` says why), and where the content
    ``doc_id`` is in the index already or came before in this run.
    """

    file: SourceFile
    looked_at: int  # ns since the epoch, before the bytes were read
    content_hash: str | None = None
    doc_id: str | None = None
    context: str = ""  # of its project, which the document is read behind
    document: Document | None = None
    error: ParseError | None = None
    will_pass: bool = False  # the error says nothing of the content: what is known of it stays


def document_id(content: str, name: str, context: str = "", *, again: bool = False) -> str:
    """Identity of a document: the hash of its bytes, what its name says of them, its context and
    the parser's version.

    The name decides which parser reads the bytes, by its suffix as a rule, so one content under two
    suffixes is two documents; any other difference of names is not. Nor are two projects one, since
    vectors depend on the context. What is read ``again``, since more of it can be read now (by
    OCR, installed later), is another document than the one it replaces.
    """
    more = [*(["again"] if again else []), *([f"in {context}"] if context else [])]
    identity = "\n".join((content, _told_by_name(name), PARSER_VERSION, *more))
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


def _told_by_name(name: str) -> str:
    """All that a file's name tells a parser: ``.txt``, ``makefile``, ``dockerfile.dev``,
    ``restructuredtext.txt``."""
    lower = Path(name).name.lower()
    suffix = Path(lower).suffix
    first = lower.partition(".")[0]
    if lower in LANGUAGE_OF_NAME or not suffix:
        return lower
    if first in LANGUAGE_OF_NAME:
        return first + suffix
    return (text_format(lower, "") or "") + suffix if suffix in (".txt", ".text") else suffix


def parse_options(settings: Settings) -> ParseOptions:
    """How files are to be read; OCR only where it is installed. Raises ConfigError."""
    ocr_pages = settings.ocr_pages if can_read_images() else 0
    return ParseOptions(
        passwords=settings.passwords(), ocr_pages=ocr_pages, all_code=settings.all_code
    )


def now_possible(settings: Settings) -> tuple[str, ...]:
    """What the reasons of files that were left out, or not read in full, ask for, and what is
    there by now; limits as they are now (``changes.asks_for``)."""
    asked = {
        "--all-code": settings.all_code,
        "lmk[ocr]": settings.ocr_pages > 0 and can_read_images(),
        "lmk[office]": all(map(find_spec, ("docx", "pptx", "openpyxl"))),
    }
    limits = [
        limit_told("max_file_mb", settings.max_file_mb),
        limit_told("max_document_chars", settings.max_document_chars),
        limit_told("ocr_pages", settings.ocr_pages),
    ]
    return (*(what for what, is_there in asked.items() if is_there), *limits)


class _Ready(queue.Queue["Parsed | BaseException | object"]):
    """A queue in which long documents take more places: it is full when there are many items in
    it, or much text. One item more than fits is let in, however large."""

    def _init(self, maxsize: int) -> None:
        super()._init(maxsize)
        self._places = 0

    def _qsize(self) -> int:
        return self._places

    def _put(self, item: "Parsed | BaseException | object") -> None:
        super()._put(item)
        self._places += _places(item)

    def _get(self) -> "Parsed | BaseException | object":
        item: Parsed | BaseException | object = super()._get()
        self._places -= _places(item)
        return item


def _places(item: object) -> int:
    document = item.document if isinstance(item, Parsed) else None
    return 1 if document is None else 1 + len(document.text) // _CHARS_A_PLACE


class Feed:
    """Iterate over ``Parsed`` for every suspect, in the order they are ready; what has the content
    of another one follows it.

    ``known_docs`` are documents that need no parsing; of ``outdated`` ones more can be read now.
    ``context`` tells what a path is read behind (``Projects.context``).
    ``should_stop`` ends the feed early.
    """

    def __init__(
        self,
        suspects: Collection[SourceFile],
        known_docs: Collection[str],
        settings: Settings,
        should_stop: Callable[[], bool],
        outdated: Collection[str] = (),
        context: Callable[[str], str] = lambda _: "",
    ) -> None:
        self._suspects = suspects
        self._outdated = outdated
        self._context = context
        self._known = set(known_docs)
        self._copies: dict[str, list[Parsed]] = {}  # of a document that is being parsed
        self._settings = settings
        self._should_stop = should_stop
        self._queue = _Ready(_QUEUE_LENGTH)
        self._pool = ParserPool(
            workers=max(1, min(settings.parse_workers, len(suspects))),
            timeout_s=settings.parse_timeout_s,
            memory_bytes=settings.parse_memory_mb << 20,
            options=parse_options(settings),
        )
        self._unpacker = Unpacker()
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
        self._pool.close()  # ends a file that is being parsed: nobody waits for it any more
        self._thread.join()
        self._unpacker.close()

    def __iter__(self) -> Iterator[Parsed | None]:
        """Yield what is ready; None now and then while nothing is, so that others can act."""
        while True:
            try:
                item = self._queue.get(timeout=_TICK_S)
            except queue.Empty:
                yield None
                continue
            if item is _END:
                return
            if isinstance(item, BaseException):
                raise item
            assert isinstance(item, Parsed)
            held = [item]
            del item  # while the caller works with it, nobody else holds its text
            yield held.pop()

    def _run(self) -> None:
        try:
            self._parse_all()
            self._pool.close()  # a parser keeps hundreds of MB after a large file
            self._put(_END)
        except BaseException as error:  # handed to the consumer, which raises it
            self._put(error)

    def _parse_all(self) -> None:
        suspects = self._suspects
        while suspects:
            again: list[SourceFile] = []
            waiting: dict[Path, Parsed] = {}
            for path, result in self._pool.map(self._to_parse(suspects, waiting)):
                item = waiting.pop(path)
                self._unpacker.forget(path)
                if isinstance(result, Document):
                    item = _checked(item, result, self._settings.max_document_chars)
                else:
                    item = replace(item, error=_without_path(result, path))
                is_wanted = self._put(item)
                doc_id, will_pass = item.doc_id or "", item.will_pass
                del item, result  # a text that may be long, while the next file is parsed
                copies = self._copies.pop(doc_id)
                if will_pass:  # nothing is known of the content: a copy is read in its place
                    self._known.discard(doc_id)
                    again += [copy.file for copy in copies]
                elif is_wanted:
                    is_wanted = all(map(self._put, copies))
                if not is_wanted:
                    return
            suspects = again

    def _to_parse(
        self, suspects: Iterable[SourceFile], waiting: dict[Path, Parsed]
    ) -> Iterator[Path]:
        limit = self._settings.max_file_mb * 1e6
        for file in suspects:
            if self._closed.is_set() or self._should_stop():
                return
            item = Parsed(file, looked_at=time.time_ns())
            if file.size > limit:
                reason = f"larger than {limit_told('max_file_mb', self._settings.max_file_mb)}"
                error = Unsupported(f"{reason}.", "Raise LMK_MAX_FILE_MB to read it.")
                self._put(replace(item, error=error))
                continue
            try:
                path = self._unpacker.path_of(file.raw_path)
                content = content_hash(path)
            except OSError as error:
                reason = "permission denied" if isinstance(error, PermissionError) else str(error)
                failure = ParseError(f"{reason}.", "Make it readable, then run again.")
                self._put(replace(item, error=failure, will_pass=True))
                continue
            context = self._context(file.path)
            doc_id = document_id(content, file.path, context)
            if doc_id in self._outdated:
                doc_id = document_id(content, file.path, context, again=True)
            item = replace(item, content_hash=content, doc_id=doc_id, context=context)
            if item.doc_id in self._known:
                self._unpacker.forget(path)
                if doc_id in self._copies:
                    self._copies[doc_id].append(item)
                else:
                    self._put(item)
            else:
                self._known.add(doc_id)
                self._copies[doc_id] = []
                waiting[path] = item
                yield path

    def _put(self, item: Parsed | BaseException | object) -> bool:
        """Put, unless the consumer has gone. Returns whether it was put."""
        while not self._closed.is_set():
            try:
                self._queue.put(item, timeout=_TICK_S)
                return True
            except queue.Full:
                continue
        return False


def _checked(item: Parsed, document: Document, most_chars: int) -> Parsed:
    """The parsed item; an error if it is too long, or changed between hashing and parsing."""
    try:
        member = split_member(item.file.raw_path)
        status = (member[0] if member else item.file.open_path()).stat()
        same = mtime_of(status) == item.file.mtime_ns and (
            member is not None or status.st_size == item.file.size
        )
    except OSError:
        same = False
    if not same:
        error = ParseError("changed while it was read.", "Run lmk index again.")
        return replace(item, error=error, will_pass=True)
    if len(document.text) > most_chars:
        most = limit_told("max_document_chars", most_chars)
        what = f"its text of {len(document.text):,} characters is longer than {most}."
        return replace(item, error=Unsupported(what, "Raise LMK_MAX_DOCUMENT_CHARS to read it."))
    document = replace(document, context=item.context)
    return replace(item, document=named_by_itself(document, item.file.path))


def _without_path(error: ParseError, path: Path) -> ParseError:
    """The error without the file's name: it is told beside the name, of every copy, and equal
    reasons are counted together."""
    return type(error)(error.what.removeprefix(f"{path} "), error.fix)


def named_by_itself(document: Document, path: str) -> Document:
    """Without the title that is only the file's name: a file can be renamed, and its document
    must not go on under the old name. The name stays among the search terms."""
    name = Path(path)
    if document.title not in map(clean_line, (name.name, name.stem)):
        return document
    return replace(document, title="", metadata={**document.metadata, "file_name": name.name})
