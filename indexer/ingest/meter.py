"""How far a run is: files read, characters encoded, the time left."""

import time
from collections.abc import Sequence

from indexer.ingest.forecast import Forecast
from indexer.ingest.report import IngestProgress, IngestReport, ProgressCallback
from indexer.sources.files import SourceFile


class Meter:
    """Counts what a run over ``suspects`` has done, and tells it to ``progress``.

    ``started`` is when the run began, by the monotonic clock. Files count when they are read,
    their bytes and characters when they are encoded.
    """

    def __init__(
        self,
        suspects: Sequence[SourceFile],
        report: IngestReport,
        progress: ProgressCallback | None,
        started: float,
    ) -> None:
        self._report, self._progress, self._started = report, progress, started
        self._files_done, self._files_total = 0, len(suspects)
        self._bytes_done, self._bytes_total = 0, sum(file.size for file in suspects)
        self._chars_done = 0
        self._bytes_now = self._chars_now = 0  # of the batch that is being encoded
        self._current = ""
        self._forecast = Forecast(suspects)

    def was_read(self, file: SourceFile, chars: int | None) -> None:
        """``file`` was looked at; ``chars`` of it wait for the encoder, None if nothing does."""
        self._files_done += 1
        self._current = file.path
        self._forecast.was_read(file, chars or 0)
        if chars is None:  # it says nothing of the time left
            self._bytes_total -= file.size

    def begin(self, num_bytes: int, chars: int) -> None:
        """A batch of so much goes to the encoder."""
        self._bytes_now, self._chars_now = num_bytes, chars

    def end(self) -> None:
        """The batch is encoded."""
        self._bytes_done += self._bytes_now
        self._chars_done += self._chars_now
        self._bytes_now = self._chars_now = 0

    def tell(self, chars: float = 0) -> None:
        """Tell how far the run is; so many ``chars`` of the batch under way are encoded."""
        if self._progress is None:
            return
        elapsed_s = time.monotonic() - self._started
        share = chars / max(self._chars_now, 1)
        self._progress(
            IngestProgress(
                files_done=self._files_done,
                files_total=self._files_total,
                bytes_done=self._bytes_done + int(share * self._bytes_now),
                bytes_total=self._bytes_total,
                documents=self._report.documents,
                pages=self._report.pages,
                tokens=self._report.tokens,
                elapsed_s=elapsed_s,
                current=self._current,
                remaining_s=self._forecast.remaining_s(self._chars_done + chars, elapsed_s),
            )
        )
