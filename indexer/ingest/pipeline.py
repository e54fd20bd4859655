"""One run of indexing: walk, compare, parse beside encode, publish batch by batch.

Kill it at any moment: what a batch had not published is invisible and is swept by the next
run; everything published is whole (``store.tables.Tables.publish``, ``store.session``).
"""

import logging
import resource
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from indexer.config import Settings
from indexer.documents import Document, FileRecord
from indexer.errors import ParseError
from indexer.ingest.catalogue import Catalogue
from indexer.ingest.changes import make_plan
from indexer.ingest.encoding import Encoding, Interrupted
from indexer.ingest.feed import Feed, Parsed, now_possible, parse_options
from indexer.ingest.finding import find_files
from indexer.ingest.meter import Meter
from indexer.ingest.pieces import is_long
from indexer.ingest.projects import Projects
from indexer.ingest.report import IngestReport, ProgressCallback
from indexer.ingest.rows import document_rows, file_rows, landmark_rows
from indexer.ingest.states import state_of, what_is_missing
from indexer.sources.files import SourceFile, exists, merged_roots, named_below, path_key
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
        self._ocr_pages = parse_options(settings).ocr_pages
        self._errors: dict[str, ParseError] = {}  # doc_id -> why it could not be parsed
        self._encoding = Encoding(self._tables, encoder, settings, self._report, self._on_encoded)

    def run(self, paths: Sequence[Path]) -> IngestReport:
        """Bring the index in step with ``paths``; return what was done. Once for each object."""
        started = time.monotonic()
        self._session.begin()
        possible = now_possible(self._settings)
        self._catalogue = Catalogue(read_ledger(self._tables), possible)
        self._session.set_roots(merged_roots(self._session.manifest.roots, filter(exists, paths)))
        paths = [*paths, *named_below(paths, self._session.manifest.roots)]
        roots = [path_key(path) for path in paths]
        now_ns = time.time_ns()
        found = list(find_files(paths, self._settings, self._session.index_path))
        projects = Projects.of(self._catalogue.records.values(), found)
        plan = make_plan(
            self._catalogue.records,
            found,
            roots,
            now_ns=now_ns,
            now_possible=possible,
            is_of_now=projects.is_of_now,
        )
        self._meter = Meter(plan.suspects, self._report, self._progress, started)
        for record in plan.unchanged:
            self._count_unchanged(record)
        self._report.failed += plan.missing
        for record in plan.marked:
            self._add_record(record)
        # What cannot be the old name of a suspect leaves at once, the rest after the hashing.
        sizes = {file.size for file in plan.suspects}
        self._take_out([record for record in plan.gone if record.size not in sizes])
        if plan.suspects:
            self._read_all(plan.suspects, projects)
        if not self._report.interrupted:
            later = [record for record in plan.gone if record.size in sizes]
            self._take_out(later, self._catalogue.moves(later, self._report.added))
        self._finish()
        self._report.seconds = time.monotonic() - started
        return self._report

    # -- reading ---------------------------------------------------------------------------

    def _read_all(self, suspects: Sequence[SourceFile], projects: Projects) -> None:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        feed = Feed(
            suspects,
            self._catalogue.documents(),
            self._settings,
            self._should_stop,
            self._catalogue.outdated,
            projects.context,
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
            if doc_id and not item.will_pass:
                self._errors[doc_id] = item.error
        elif item.document is not None:
            assert doc_id is not None
            self._batch.documents.append((doc_id, item.document))
            self._batch.chars += len(item.document.text)
            self._batch.bytes += item.file.size
            self._settle(item, document=item.document)
        elif doc_id in self._errors:
            self._settle(item, error=self._errors[doc_id])
        else:  # the index holds its document, or this batch does
            self._settle(item)

    def _settle(
        self, item: Parsed, *, document: Document | None = None, error: ParseError | None = None
    ) -> None:
        state, reason = state_of(error)
        if item.doc_id is not None and error is None:
            if document is not None:
                missing = what_is_missing(document, self._ocr_pages)
                state = "partly read" if missing else "indexed"
                self._catalogue.tell(item.doc_id, state, missing)
            # Of a copy, as well.
            state, reason = self._catalogue.state_of(item.doc_id) or (state, reason)
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
        known = self._catalogue.records.get(record.path)
        if item.will_pass and known is not None and known.doc_id is not None:
            # What was indexed is better than nothing; the next run looks again.
            self._report.failed.append(replace(record, doc_id=known.doc_id))
        elif known is not None and record == replace(known, seen_at=record.seen_at):
            self._count_unchanged(known)  # read again, and the same: nothing to write
        else:
            self._add_record(record)
        self._meter.was_read(item.file, None if document is None else len(document.text))

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
        self._meter.tell()

    def _rows_of(self, batch: _Batch) -> tuple[pa.Table, pa.Table]:
        """Encode the batch: its rows of ``documents``, and of ``landmarks`` but for long documents,
        whose landmarks are written already, and seen by nobody yet."""
        dimension = self._encoder.dimension
        self._meter.begin(batch.bytes, batch.chars)
        long = [item for item in batch.documents if is_long(item[1])]
        short = [item for item in batch.documents if not is_long(item[1])]
        encoded = self._encoding.encode(short, self._replaced_by(batch, short))
        self._session.about_to_write()
        written = []
        for item in long:
            written += self._encoding.write_long(*item, self._replaced_by(batch, [item]))
        self._meter.end()
        for doc_id, reason in self._encoding.failed.items():
            self._fail(batch, doc_id, reason)
        begun = time.monotonic()
        rows = document_rows([*encoded, *written], dimension), landmark_rows(encoded, dimension)
        self._report.seconds_write += time.monotonic() - begun
        return rows

    def _replaced_by(self, batch: _Batch, documents: Collection[tuple[str, Document]]) -> set[str]:
        """Documents of the index whose paths hold ``documents`` now."""
        return self._catalogue.replaced_by(batch.records, {doc_id for doc_id, _ in documents})

    def _fail(self, batch: _Batch, doc_id: str, reason: str) -> None:
        """Make the records of a document in the batch failed ones."""
        batch.records = [
            replace(record, doc_id=None, state="failed", reason=reason)
            if record.doc_id == doc_id
            else record
            for record in batch.records
        ]
        self._errors[doc_id] = ParseError(reason, "Leave it out, and report it.")

    def _on_encoded(self, chars: float) -> None:
        if self._should_stop():
            raise Interrupted
        self._meter.tell(chars)

    def _count(self, record: FileRecord) -> None:
        """Book a published record."""
        old = self._catalogue.put(record)
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

    def _take_out(
        self, gone: Sequence[FileRecord], moved_to: Mapping[str, str] | None = None
    ) -> None:
        """Remove paths from the index; ``moved_to`` are the new ones of those that only moved."""
        if not gone:
            return
        moved_to = moved_to or {}
        paths = {record.path for record in gone}
        self._session.about_to_write()
        self._tables.delete_files(paths)
        self._catalogue.take_out(gone)
        moved = set(moved_to.values())
        self._report.moved += sorted(moved)
        self._report.added = [path for path in self._report.added if path not in moved]
        self._report.removed += sorted(paths - moved_to.keys())
        self._session.published()

    # -- the end ---------------------------------------------------------------------------

    def _finish(self) -> None:
        try:
            self._publish()
        except Interrupted:
            self._report.interrupted = True
        begun = time.monotonic()
        self._session.end(self._catalogue.orphans())
        self._report.seconds_write += time.monotonic() - begun
