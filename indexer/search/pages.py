"""Pages of PDFs as images, rendered in a process of their own: a page is hostile, too."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from indexer.parsing import ParserPool, render_page
from indexer.store.documents import StoredDocument

PAGE_TIMEOUT_S = 30  # for the image of one page


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as a PNG, with boxes (x0, y0, x1, y1) in its pixels, origin at the top left.

    ``boxes`` are empty where the file's text is no longer the one that was indexed.
    """

    png: bytes
    width: int
    height: int
    boxes: tuple[tuple[float, float, float, float], ...]


class PageRenderer:
    """Renders one page at a time, with a lock of its own: a slow page holds up no search."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ParserPool | None = None

    def close(self) -> None:
        """End the process. The next page starts another one."""
        with self._lock:
            if self._pool is not None:
                self._pool.close()
                self._pool = None

    def render(
        self,
        document: StoredDocument,
        file: Path,
        page: int,
        ranges: Sequence[tuple[int, int]],
        scale: float,
        passwords: Sequence[str] = (),
    ) -> PageImage:
        """Page ``page`` (1-based) of ``document``, which ``file`` holds, with boxes around
        ``ranges`` of the document's text.

        Raises:
            ValueError: the document is no PDF, or has no such page.
            ParseError: the file is gone or can no longer be read.
        """
        if document.kind != "pdf" or not 1 <= page <= len(document.unit_starts):
            raise ValueError(f"{document.path} has no page {page}")
        start, end = (*document.unit_starts, len(document.text))[page - 1 : page + 1]
        inside = [
            (max(a, start) - start, min(b, end) - start) for a, b in ranges if a < end and b > start
        ]
        with self._lock:
            if self._pool is None:
                self._pool = ParserPool(workers=1, timeout_s=PAGE_TIMEOUT_S)
            call = partial(render_page, scale=scale, passwords=passwords)
            shown = self._pool.call(call, file, page, inside, document.text[start:end])
        return PageImage(shown.png, shown.width, shown.height, shown.boxes)
