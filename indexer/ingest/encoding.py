"""Parsed documents -> encoded ones, a batch at a time; long ones straight into the tables.

A document that cannot be encoded is set apart with its reason, and keeps no other from the index.
"""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from indexer.config import Settings
from indexer.documents import Document
from indexer.ingest.known import known_windows
from indexer.ingest.pieces import Whole, piece_rows, pieces_of
from indexer.ingest.report import IngestReport
from indexer.policy import text_input
from indexer.store.tables import Tables
from lmk_encoder.errors import LmkError
from lmk_encoder.types import DocumentEncoder, EncodedDocument, FloatMatrix

logger = logging.getLogger(__name__)

Parsed = tuple[str, Document]  # with its doc_id
Encoded = tuple[str, Document, EncodedDocument]


class Interrupted(Exception):
    """Raised inside a batch when the run is asked to stop."""


class Encoding:
    """Encodes the documents of one run, and books them in its report.

    ``failed`` collects the documents that could not be encoded, with the reason. ``on_progress``
    is told how many characters of the batch are encoded; it may raise Interrupted.
    """

    def __init__(
        self,
        tables: Tables,
        encoder: DocumentEncoder,
        settings: Settings,
        report: IngestReport,
        on_progress: Callable[[float], None],
    ) -> None:
        self._tables, self._encoder, self._settings = tables, encoder, settings
        self._report, self._on_progress = report, on_progress
        self._tokens_before = 0
        self._chars_before = self._chars_now = 0  # of the batch: encoded, and under way
        self.failed: dict[str, str] = {}

    def encode(self, documents: Sequence[Parsed], replaced: Collection[str]) -> list[Encoded]:
        """Encode a batch. ``replaced`` are documents of the index that it takes the place of.

        Raises RuntimeError, or what the encoder raises, if nothing at all can be encoded.
        """
        begun = time.monotonic()
        self._tokens_before = self._report.tokens
        self._chars_before, self._chars_now = 0, sum(len(d.text) for _, d in documents)
        encoded = self._encode_all(documents, replaced)
        self._chars_before = self._chars_now
        self._report.tokens = self._tokens_before + sum(e.num_tokens for _, _, e in encoded)
        self._report.seconds_encode += time.monotonic() - begun
        self._book(encoded)
        return encoded

    def write_long(
        self, doc_id: str, document: Document, replaced: Collection[str]
    ) -> list[Encoded]:
        """Encode a long document and write its landmarks piece by piece; return it without them,
        or nothing if it failed. The caller publishes it: before, nobody sees the landmarks."""
        whole = Whole(self._encoder.dimension)
        known = known_windows(self._tables, replaced)
        try:
            for piece in pieces_of(document):
                begun = time.monotonic()
                self._tokens_before = self._report.tokens
                self._chars_now = len(piece.document.text)
                text = text_input(piece.document, self._settings)
                (part,) = self._encoder.encode_document(
                    [text], known=known, progress=self._on_encoded
                )
                self._report.tokens = self._tokens_before + part.num_tokens
                self._chars_before += self._chars_now
                self._count_windows([part], known)
                encoded_at = time.monotonic()
                rows = piece_rows(doc_id, piece, part, whole.num_landmarks, self._encoder.dimension)
                self._tables.append(self._tables.landmarks, rows)
                whole.add(piece, part)
                self._report.seconds_encode += encoded_at - begun
                self._report.seconds_write += time.monotonic() - encoded_at
        except Interrupted:
            self._tables.delete_documents({doc_id})
            raise
        except LmkError:
            raise  # a full disk: no matter of this document
        except Exception as error:
            logger.exception("a long document could not be encoded")
            self._tables.delete_documents({doc_id})
            self.failed[doc_id] = f"cannot be encoded: {error!r}"
            return []
        encoded = [(doc_id, document, whole.encoded())]
        self._book(encoded)
        return encoded

    def _encode_all(self, documents: Sequence[Parsed], replaced: Collection[str]) -> list[Encoded]:
        """At once; if that fails, one by one."""
        inputs = [text_input(document, self._settings) for _, document in documents]
        known = known_windows(self._tables, replaced)
        try:
            found = self._encoder.encode_document(inputs, known=known, progress=self._on_encoded)
            self._count_windows(found, known)
            return [(i, d, e) for (i, d), e in zip(documents, found, strict=True)]
        except Interrupted:
            raise
        except Exception:
            if len(inputs) < 2 and not self._report.documents:
                raise  # not this document: nothing at all can be encoded
            logger.exception("a batch could not be encoded; trying its documents one by one")
        encoded = []
        for (doc_id, document), text in zip(documents, inputs, strict=True):
            try:
                (one,) = self._encoder.encode_document([text])
                encoded.append((doc_id, document, one))
            except Exception as error:
                self.failed[doc_id] = f"cannot be encoded: {error!r}"
        if not encoded and len(inputs) > 1:
            raise RuntimeError("none of the documents of a batch could be encoded; see the log")
        return encoded

    def _book(self, encoded: Sequence[Encoded]) -> None:
        self._report.documents += len(encoded)
        self._report.pages += sum(
            len(document.unit_starts) for _, document, _ in encoded if document.unit == "page"
        )

    def _count_windows(
        self, encoded: Sequence[EncodedDocument], known: Mapping[bytes, FloatMatrix]
    ) -> None:
        self._report.windows += sum(one.num_windows for one in encoded)
        self._report.windows_known += sum(w.digest in known for e in encoded for w in e.windows)

    def _on_encoded(self, stage: str, done: int, total: int | None) -> None:
        self._report.tokens = self._tokens_before + done
        self._on_progress(self._chars_before + (self._chars_now * done / total if total else 0))
