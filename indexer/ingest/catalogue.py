"""Which path holds which document, while a run changes it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from indexer.documents import FileRecord, State
from indexer.ingest.changes import asks_for


class Catalogue:
    """The ledger as the run leaves it, seen from the paths and from the documents.

    ``ledger`` is what the index knows by path, ``possible`` what reads more of a file than the
    last run could (``feed.now_possible``).
    """

    def __init__(self, ledger: Mapping[str, FileRecord], possible: Collection[str]) -> None:
        self.records = dict(ledger)
        self.outdated: set[str] = set()  # documents of which more can be read now
        self._paths: dict[str, set[str]] = defaultdict(set)  # doc_id -> paths that hold it
        self._states: dict[str, tuple[State, str | None]] = {}  # doc_id -> state of its files
        self._abandoned: set[str] = set()  # documents that lost a path
        for record in self.records.values():
            if record.doc_id is not None:
                self._paths[record.doc_id].add(record.path)
                self.tell(record.doc_id, record.state, record.reason)
                if asks_for(record, possible):
                    self.outdated.add(record.doc_id)

    def documents(self) -> set[str]:
        """Documents that some path holds, or held when the run began."""
        return set(self._paths)

    def tell(self, doc_id: str, state: State, reason: str | None) -> None:
        """Keep how a document could be read, for the copies of it."""
        self._states[doc_id] = state, reason

    def state_of(self, doc_id: str) -> tuple[State, str | None] | None:
        """How a document could be read; None if nobody told."""
        return self._states.get(doc_id)

    def put(self, record: FileRecord) -> FileRecord | None:
        """Take in a published record; return the one it replaces."""
        old = self.records.get(record.path)
        self.records[record.path] = record
        if old is not None and old.doc_id is not None and old.doc_id != record.doc_id:
            self._let_go(old.doc_id, old.path)
        if record.doc_id is not None:
            self._paths[record.doc_id].add(record.path)
        return old

    def take_out(self, records: Iterable[FileRecord]) -> None:
        """Forget records whose paths are gone."""
        for record in records:
            self.records.pop(record.path, None)
            if record.doc_id is not None:
                self._let_go(record.doc_id, record.path)

    def replaced_by(self, records: Iterable[FileRecord], doc_ids: Collection[str]) -> set[str]:
        """Documents whose paths are to hold ``doc_ids`` now, by ``records``."""
        return {
            known.doc_id
            for record in records
            if record.doc_id in doc_ids
            and (known := self.records.get(record.path)) is not None
            and known.doc_id is not None
        }

    def moves(self, gone: Iterable[FileRecord], added: Collection[str]) -> dict[str, str]:
        """Old path -> new path, of files that were ``added`` with the content of one ``gone``."""
        free = set(added)
        moves: dict[str, str] = {}
        for old in gone:
            new = min(self._paths.get(old.doc_id or "", set()) & free, default=None)
            if new is not None:
                moves[old.path] = new
                free.discard(new)
        return moves

    def orphans(self) -> set[str]:
        """Documents that lost their last path. Ask at the end of a run: until the last file is
        read, a path may come back to one."""
        return {doc_id for doc_id in self._abandoned if not self._paths.get(doc_id)}

    def _let_go(self, doc_id: str, path: str) -> None:
        self._paths[doc_id].discard(path)
        self._abandoned.add(doc_id)
