"""One run of indexing: walk, compare, parse beside encode, publish batch by batch.

Kill it at any moment: what a batch had not published is invisible and is swept by the next
run; everything published is whole (``store.tables.Tables.publish``, ``store.session``).
"""

import logging
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from indexer.config import Settings
from indexer.documents import Document, FileRecord, State
from indexer.errors import ParseError
from indexer.ingest.changes import asks_for, make_plan
from indexer.ingest.encoding import Encoding, Interrupted
from indexer.ingest.feed import Feed, Parsed, now_possible, parse_options
from indexer.ingest.finding import find_files
from indexer.ingest.forecast import Forecast
from indexer.ingest.pieces import is_long
from indexer.ingest.projects import Projects
from indexer.ingest.report import IngestProgress, IngestReport, ProgressCallback
from indexer.ingest.rows import document_rows, file_rows, landmark_rows
from indexer.ingest.states import state_of, what_is_missing
from indexer.sources.files import SourceFile, path_key
from indexer.store.ledger import read_ledger
from indexer.store.session import WriteSession
from lmk_encoder.types import DocumentEncoder

logger = logging.getLogger(__name__)

# A batch is published when it is full or this old: what a kill can cost.
PUBLISH_AFTER_S = 15.0
MAX_BATCH_RECORDS = 512


@dataclass(slots=True)
class _Batch:
    """What the next publication will write."""

    records: list[FileRecord] = field(default_factory=list)
    documents: list[tuple[str, Document]] = field(default_factory=list)
    chars: int = 0
    bytes: int = 0  # of the files of ``documents``
    opened_at: float = 0.0


class Ingest:
    """State of one run. The caller holds the write lock of the index."""

    def __init__(
        self,
        session: WriteSession,
        encoder: DocumentEncoder,
        settings: Settings,
        *,
        progress: ProgressCallback | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        self._session, self._tables = session, session.tables
        self._encoder = encoder
        self._settings = settings
        self._progress = progress
        self._should_stop = should_stop or (lambda: False)
        self._report = IngestReport()
        self._batch = _Batch()
        self._reads_images = parse_options(settings).ocr_pages > 0
        self._known: dict[str, FileRecord] = {}
        self._paths_of: dict[str, set[str]] = defaultdict(set)  # doc_id -> paths that hold it
        self._told: dict[str, tuple[State, str | None]] = {}  # doc_id -> state of its files
        self._outdated: set[str] = set()  # documents of which more can be read now
        self._errors: dict[str, ParseError] = {}  # doc_id -> why it could not be parsed
        self._waiting: dict[str, list[Parsed]] = defaultdict(list)  # copies of one in flight
        self._in_flight: set[str] = set()
        self._abandoned: set[str] = set()  # documents that lost a path
        self._bytes_done = self._bytes_total = self._files_done = self._files_total = 0
        self._bytes_in_batch = self._chars_in_batch = self._chars_done = 0
        self._forecast = Forecast(())
        self._projects = Projects(())
        self._encoding = Encoding(self._tables, encoder, settings, self._report, self._on_encoded)

    def run(self, paths: Sequence[Path]) -> IngestReport:
        """Bring the index in step with ``paths``; return what was done."""
        started = time.monotonic()
        self._started = started
        self._session.begin()
        self._known = read_ledger(self._tables)
        possible = now_possible(self._settings)
        for record in self._known.values():
            if record.doc_id is not None:
                self._paths_of[record.doc_id].add(record.path)
                self._told[record.doc_id] = record.state, record.reason
                if asks_for(record, possible):
                    self._outdated.add(record.doc_id)
        roots = [path_key(path) for path in paths]
        self._session.add_roots([r for r, path in zip(roots, paths, strict=True) if path.exists()])
        now_ns = time.time_ns()
        found = list(find_files(paths, self._settings, self._session.index_path))
        self._projects = Projects.of(self._known.values(), found)
        plan = make_plan(
            self._known,
            found,
            roots,
            now_ns=now_ns,
            now_possible=possible,
            is_of_now=self._projects.is_of_now,
        )
        for record in plan.unchanged:
            self._count_unchanged(record)
        self._report.failed += plan.missing
        for record in plan.marked:
            self._add_record(record)
        self._files_total = len(plan.suspects)
        self._bytes_total = sum(file.size for file in plan.suspects)
        self._forecast = Forecast(plan.suspects)
        gone = {record.path: record for record in plan.gone}
        # What cannot be the old name of a suspect leaves at once, the rest after the hashing.
        sizes = {file.size for file in plan.suspects}
        self._take_out({p: r for p, r in gone.items() if r.size not in sizes}, moved_to={})
        later = {p: r for p, r in gone.items() if r.size in sizes}
        if plan.suspects:
            self._read_all(plan.suspects)
        if not self._report.interrupted:
            self._take_out(later, moved_to=self._moves(later))
        self._finish()
        self._report.seconds = time.monotonic() - started
        return self._report

    # -- reading ---------------------------------------------------------------------------

    def _read_all(self, suspects: Sequence[SourceFile]) -> None:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        known_docs = set(self._paths_of)
        feed = Feed(
            suspects,
            known_docs,
            self._settings,
            self._should_stop,
            self._outdated,
            self._projects.context,
        )
        try:
            with feed:
                for item in feed:
                    if item is not None:
                        self._take(item)
                        del item  # it holds a text that may be long
                    elif self._should_stop():
                        raise Interrupted
                    if self._is_due():
                        self._publish()
            self._publish()
        except Interrupted:
            self._report.interrupted = True
        self._report.interrupted |= self._should_stop()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._report.seconds_parse = (
            after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
        )

    def _take(self, item: Parsed) -> None:
        """Sort one suspect into the batch: a failure, a new document or a copy of one."""
        doc_id = item.doc_id
        if item.error is not None:
            self._settle(item, error=item.error)
            if doc_id:
                self._errors[doc_id] = item.error
                for copy in self._waiting.pop(doc_id, ()):
                    self._settle(replace(copy, will_pass=item.will_pass), error=item.error)
        elif item.document is not None:
            assert doc_id is not None
            self._batch.documents.append((doc_id, item.document))
            self._batch.chars += len(item.document.text)
            self._batch.bytes += item.file.size
            self._in_flight.add(doc_id)
            self._settle(item, document=item.document)
            for copy in self._waiting.pop(doc_id, ()):
                self._settle(copy)
        elif doc_id in self._errors:
            self._settle(item, error=self._errors[doc_id])
        elif doc_id in self._paths_of or doc_id in self._in_flight:
            self._settle(item)
        else:
            assert doc_id is not None
            self._waiting[doc_id].append(item)

    def _settle(
        self, item: Parsed, *, document: Document | None = None, error: ParseError | None = None
    ) -> None:
        state, reason = state_of(error)
        if item.doc_id is not None and error is None:
            if document is not None:
                missing = what_is_missing(document, self._reads_images)
                self._told[item.doc_id] = ("partly read" if missing else "indexed"), missing
            state, reason = self._told.get(item.doc_id, (state, reason))  # of a copy, as well
        record = FileRecord(
            path=item.file.path,
            raw_path=item.file.raw_path,
            doc_id=item.doc_id if error is None else None,
            size=item.file.size,
            mtime_ns=item.file.mtime_ns,
            content_hash=item.content_hash,
            state=state,
            reason=reason,
            source_root=item.file.root,
            seen_at=item.looked_at,
        )
        known = self._known.get(record.path)
        if item.will_pass and known is not None and known.doc_id is not None:
            # What was indexed is better than nothing; the next run looks again.
            self._report.failed.append(replace(record, doc_id=known.doc_id))
        elif known is not None and record == replace(known, seen_at=record.seen_at):
            self._count_unchanged(known)  # read again, and the same: nothing to write
        else:
            self._add_record(record)
        self._files_done += 1
        self._forecast.was_read(item.file, 0 if document is None else len(document.text))
        if document is None:  # nothing to encode: it says nothing of the time left
            self._bytes_total -= item.file.size

    def _add_record(self, record: FileRecord) -> None:
        if not self._batch.records:
            self._batch.opened_at = time.monotonic()
        self._batch.records.append(record)

    # -- publishing ------------------------------------------------------------------------

    def _is_due(self) -> bool:
        batch = self._batch
        return bool(batch.records) and (
            batch.chars >= self._settings.batch_chars
            or len(batch.records) >= MAX_BATCH_RECORDS
            or time.monotonic() - batch.opened_at > PUBLISH_AFTER_S
            or self._should_stop()
        )

    def _publish(self) -> None:
        """Encode the batch and make it visible; then remove what it replaced."""
        batch, self._batch = self._batch, _Batch()
        if not batch.records:
            return
        if self._should_stop():
            raise Interrupted
        self._session.announce()
        documents, landmarks = self._rows_of(batch)
        begun = time.monotonic()
        batch.documents.clear()  # the rows hold it all: a long text must not lie beside them
        self._tables.publish(file_rows(batch.records), documents, landmarks)
        for record in batch.records:
            self._count(record)
        self._session.published()
        self._report.seconds_write += time.monotonic() - begun
        self._tell()

    def _rows_of(self, batch: _Batch) -> tuple[pa.Table, pa.Table]:
        """Encode the batch: its rows of ``documents``, and of ``landmarks`` but for long documents,
        whose landmarks are written already, and seen by nobody yet."""
        dimension = self._encoder.dimension
        self._bytes_in_batch, self._chars_in_batch = batch.bytes, batch.chars
        long = [item for item in batch.documents if is_long(item[1])]
        short = [item for item in batch.documents if not is_long(item[1])]
        encoded = self._encoding.encode(short, self._replaced_by(batch, short))
        self._session.about_to_write()
        written = []
        for item in long:
            written += self._encoding.write_long(*item, self._replaced_by(batch, [item]))
        self._bytes_done, self._bytes_in_batch = self._bytes_done + batch.bytes, 0
        self._chars_done += batch.chars
        for doc_id, reason in self._encoding.failed.items():
            self._fail(batch, doc_id, reason)
        begun = time.monotonic()
        rows = document_rows([*encoded, *written], dimension), landmark_rows(encoded, dimension)
        self._report.seconds_write += time.monotonic() - begun
        return rows

    def _replaced_by(self, batch: _Batch, documents: Collection[tuple[str, Document]]) -> set[str]:
        """Documents of the index whose paths hold ``documents`` now."""
        new = {doc_id for doc_id, _ in documents}
        old = {
            known.doc_id
            for record in batch.records
            if record.doc_id in new and (known := self._known.get(record.path)) is not None
        }
        return {doc_id for doc_id in old if doc_id is not None}

    def _fail(self, batch: _Batch, doc_id: str, reason: str) -> None:
        """Make the records of a document in the batch failed ones."""
        batch.records = [
            replace(record, doc_id=None, state="failed", reason=reason)
            if record.doc_id == doc_id
            else record
            for record in batch.records
        ]
        self._errors[doc_id] = ParseError(reason, "Leave it out, and report it.")
        self._in_flight.discard(doc_id)

    def _on_encoded(self, chars: float) -> None:
        if self._should_stop():
            raise Interrupted
        self._tell(chars)

    def _count(self, record: FileRecord) -> None:
        """Book a published record: the report, and which paths hold which document."""
        old = self._known.get(record.path)
        self._known[record.path] = record
        if old is not None and old.doc_id not in (None, record.doc_id):
            assert old.doc_id is not None
            self._paths_of[old.doc_id].discard(record.path)
            self._abandoned.add(old.doc_id)
        if record.doc_id is not None:
            self._paths_of[record.doc_id].add(record.path)
            self._in_flight.discard(record.doc_id)
        if not self._report.list_state(record):
            return
        if old is None or old.doc_id is None:
            self._report.added.append(record.path)
        elif old.doc_id == record.doc_id:
            self._report.unchanged.append(record.path)
        else:
            self._report.changed.append(record.path)

    def _count_unchanged(self, record: FileRecord) -> None:
        if self._report.list_state(record):
            self._report.unchanged.append(record.path)

    # -- removing --------------------------------------------------------------------------

    def _moves(self, gone: dict[str, FileRecord]) -> dict[str, str]:
        """Old path -> new path, for files that were added with the content of one that is gone."""
        added = set(self._report.added)
        moves: dict[str, str] = {}
        for old in gone.values():
            new = next(iter(sorted(self._paths_of.get(old.doc_id or "", set()) & added)), None)
            if new is not None:
                moves[old.path] = new
                added.discard(new)
        return moves

    def _take_out(self, gone: dict[str, FileRecord], *, moved_to: dict[str, str]) -> None:
        if not gone:
            return
        self._session.about_to_write()
        self._tables.delete_files(gone)
        for record in gone.values():
            self._known.pop(record.path, None)
            if record.doc_id is not None:
                self._paths_of[record.doc_id].discard(record.path)
                self._abandoned.add(record.doc_id)
        moved = set(moved_to.values())
        self._report.moved += sorted(moved)
        self._report.added = [path for path in self._report.added if path not in moved]
        self._report.removed += sorted(set(gone) - set(moved_to))
        self._session.published()

    # -- the end ---------------------------------------------------------------------------

    def _finish(self) -> None:
        try:
            self._publish()
        except Interrupted:
            self._report.interrupted = True
        begun = time.monotonic()
        # Only now: until the last file is read, a path may come back to a document.
        self._session.end({d for d in self._abandoned if not self._paths_of.get(d)})
        self._report.seconds_write += time.monotonic() - begun

    def _tell(self, chars: float = 0) -> None:
        """Tell how far the run is; so many ``chars`` of the batch under way are encoded."""
        if self._progress is None:
            return
        elapsed_s = time.monotonic() - self._started
        share = chars / max(self._chars_in_batch, 1)
        chars_done = self._chars_done + chars
        self._progress(
            IngestProgress(
                files_done=self._files_done,
                files_total=self._files_total,
                bytes_done=self._bytes_done + int(share * self._bytes_in_batch),
                bytes_total=self._bytes_total,
                documents=self._report.documents,
                pages=self._report.pages,
                tokens=self._report.tokens,
                elapsed_s=elapsed_s,
                current=self._batch.records[-1].path if self._batch.records else "",
                remaining_s=self._forecast.remaining_s(chars_done, elapsed_s),
            )
        )
