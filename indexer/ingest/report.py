"""What a run tells: progress while it goes on, and the report at its end."""

from collections.abc import Callable
from dataclasses import dataclass, field

from indexer.documents import FileRecord
from indexer.errors import WRONG_PASSWORD


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """Where a run stands. ``remaining_s`` is None before there is more than a guess."""

    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    documents: int
    pages: int
    tokens: int
    elapsed_s: float
    current: str
    remaining_s: float | None = None


ProgressCallback = Callable[[IngestProgress], None]


@dataclass(slots=True)
class IngestReport:
    """What a run did. ``added`` ... ``removed`` are paths; the times are seconds.

    ``seconds_parse`` is processor time of the parser processes, which run beside the encoder;
    ``seconds_encode`` and ``seconds_write`` are wall time of the main process.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    excluded: list[FileRecord] = field(default_factory=list)
    no_text: list[FileRecord] = field(default_factory=list)
    locked: list[FileRecord] = field(default_factory=list)
    failed: list[FileRecord] = field(default_factory=list)
    partly: list[FileRecord] = field(default_factory=list)  # indexed, but not read in full
    documents: int = 0
    pages: int = 0
    tokens: int = 0
    windows: int = 0  # of documents that were written
    windows_known: int = 0  # of these, not encoded: an edited document held them before
    seconds: float = 0.0
    seconds_parse: float = 0.0
    seconds_encode: float = 0.0
    seconds_write: float = 0.0
    interrupted: bool = False

    @property
    def has_failed(self) -> bool:
        """Whether something failed, or a password that was given opens none of a file."""
        return bool(self.failed) or any(WRONG_PASSWORD in (r.reason or "") for r in self.locked)

    def list_state(self, record: FileRecord) -> bool:
        """Put a record where its state is told; return whether its document is in the index."""
        left_out = {
            "excluded": self.excluded,
            "no text": self.no_text,
            "locked": self.locked,
            "failed": self.failed,
        }
        if record.state in left_out:
            left_out[record.state].append(record)
            return False
        if record.state == "partly read":
            self.partly.append(record)
        return True
