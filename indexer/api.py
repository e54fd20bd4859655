"""DocumentIndex: the Python door. Opens nothing and creates nothing until it is asked to.

Heavy libraries (torch, lancedb) are imported when a method first needs them.
"""

import contextlib
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from indexer.config import DEFAULT_INDEX, SETTINGS_FILE, Settings, load_settings
from indexer.documents import FileRecord, Hit
from indexer.errors import IndexMismatch, IndexNotFound, SourceNotFound
from indexer.ingest.report import IngestReport, ProgressCallback
from indexer.search.context import ContextBlock, build_context
from indexer.store.lock import write_lock
from indexer.store.manifest import (
    FILE_NAME,
    Manifest,
    check_model,
    check_same,
    read_manifest,
    write_manifest,
)

if TYPE_CHECKING:
    from indexer.parsing import ParserPool
    from indexer.search.searcher import LandmarkHeat, Searcher
    from indexer.store.documents import StoredDocument
    from lmk_encoder.types import DocumentEncoder

PathLike = str | Path


@dataclass(frozen=True, slots=True)
class Status:
    """What an index holds. ``files`` counts paths by state, ``kinds`` documents by kind."""

    path: Path
    model: str
    fingerprint: str
    documents: int
    landmarks: int
    tokens: int
    units: dict[str, int]
    files: dict[str, int]
    kinds: dict[str, int]
    size_bytes: int
    unindexed_rows: int
    generation: int


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as a PNG, with boxes (x0, y0, x1, y1) in its pixels, origin at the top left.

    ``boxes`` are empty where the file's text is no longer the one that was indexed.
    """

    png: bytes
    width: int
    height: int
    boxes: tuple[tuple[float, float, float, float], ...]


class DocumentIndex:
    """A collection of documents that can be added to and searched.

    Example:
        >>> index = DocumentIndex.open("reports.lmk")          # doctest: +SKIP
        >>> index.add(["reports"])                             # doctest: +SKIP
        >>> index.search("Which pump failed in March?", k=3)   # doctest: +SKIP
    """

    def __init__(
        self,
        path: PathLike,
        *,
        settings: Settings,
        encoder: "DocumentEncoder | None" = None,
    ) -> None:
        self.path = Path(path)
        self.settings = settings
        self._encoder = encoder
        self._searcher: Searcher | None = None
        self._pages: ParserPool | None = None
        self._guard = threading.RLock()

    @classmethod
    def open(
        cls,
        path: PathLike = DEFAULT_INDEX,
        *,
        model: str | None = None,
        encoder: "DocumentEncoder | None" = None,
        settings: Settings | None = None,
    ) -> "DocumentIndex":
        """Name an index; ``add`` creates it if need be, reading one that is absent is an error.

        Args:
            path: the folder of the index.
            model: a checkpoint folder; by default the one the index was made with, else the
                built-in model.
            encoder: an encoder to use instead of loading a checkpoint.
            settings: instead of environment, ``lmk.toml`` and defaults.

        Raises:
            ConfigError: a setting is unknown or out of range.
        """
        settings = settings or load_settings(Path(path), model=model)
        return cls(path, settings=settings, encoder=encoder)

    def __enter__(self) -> "DocumentIndex":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the tables and the page renderer. The index can be used again afterwards."""
        with self._guard:
            self._searcher = None
            if self._pages is not None:
                self._pages.close()
                self._pages = None

    @property
    def exists(self) -> bool:
        """Whether there is an index in the folder."""
        return (self.path / FILE_NAME).is_file()

    @property
    def generation(self) -> int:
        """Rises with every publication. Raises IndexNotFound."""
        return read_manifest(self.path).generation

    @property
    def encoder(self) -> "DocumentEncoder":
        """The encoder; its model is loaded when it first has to encode."""
        with self._guard:
            if self._encoder is None:
                from lmk_encoder.lazy import LazyEncoder

                self._encoder = LazyEncoder(self._model_folder())
            return self._encoder

    def warm_up(self) -> None:
        """Load the model and the current generation now, so that the first search is fast."""
        with self._guard:
            self._current()
        self._load_model()  # outside the guard: others can look at the index meanwhile

    # -- writing ---------------------------------------------------------------------------

    def add(
        self,
        paths: Sequence[PathLike] | PathLike,
        *,
        progress: ProgressCallback | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> IngestReport:
        """Bring the index in step with files and folders: new, changed, moved and gone ones.

        Published batch by batch: a stop or a crash loses at most the documents in flight, and
        the next call goes on from there.

        Raises:
            SourceNotFound: none of the paths exists; nothing is created.
            IndexMismatch: the index was made by another model, parser or policy.
            IndexBusy: another process is writing.
        """
        from indexer.ingest.pipeline import Ingest

        named = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
        if not any(path.exists() for path in named):
            listed = ", ".join(map(str, named)) or "(no path given)"
            raise SourceNotFound(f"Nothing to index: {listed} does not exist.", "Check the path.")
        with self._writing(create=True) as tables:
            run = Ingest(
                tables, self.encoder, self.settings, progress=progress, should_stop=should_stop
            )
            return run.run(named)

    def rebuild(
        self,
        paths: Sequence[PathLike] = (),
        *,
        progress: ProgressCallback | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> IngestReport:
        """Make the index anew from ``paths`` and everything that was indexed before.

        The new index is built beside the old one, which stays searchable and is replaced at
        the end. An interrupted rebuild changes nothing.
        """
        roots = dict.fromkeys([str(Path(path).absolute()) for path in paths])
        with contextlib.suppress(IndexNotFound):
            roots |= dict.fromkeys(self._roots())
        beside = self.path.with_name(f"{self.path.name}.rebuild")
        shutil.rmtree(beside, ignore_errors=True)
        fresh = DocumentIndex(beside, settings=self.settings, encoder=self.encoder)
        report = fresh.add(list(roots), progress=progress, should_stop=should_stop)
        fresh.close()
        if report.interrupted:
            shutil.rmtree(beside)
            return report
        with self._guard:
            self.close()
            self._swap_in(beside)
        return report

    def remove(self, paths: Sequence[PathLike] | PathLike) -> int:
        """Take files, or all files below folders, out of the index; return how many.

        The files themselves are not touched. Raises IndexNotFound, IndexBusy.
        """
        from indexer.ingest.remove import remove_paths

        named = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
        with self._writing(create=False) as tables:
            return remove_paths(tables, named)

    # -- reading ---------------------------------------------------------------------------

    def search(self, query: str, k: int = 10, *, passages: int = 3) -> list[Hit]:
        """The best ``k`` documents for a query, each with its best passages; best first.

        Any string is a valid query; a blank one finds nothing.
        Raises IndexNotFound, IndexMismatch; ValueError if ``k`` or ``passages`` is below 1.
        """
        if k < 1 or passages < 1:
            raise ValueError(f"k and passages must be at least 1, not {k} and {passages}")
        with self._guard:
            return self._current().search(query, k, passages=passages)

    def context(
        self, query: str, token_budget: int = 2000, *, k: int = 8, passages: int = 3
    ) -> list[ContextBlock]:
        """Passages with citations for a prompt; all of them together fit ``token_budget``.

        Tokens are counted with the encoder's tokenizer, citations included.
        """
        hits = self.search(query, k, passages=passages)
        return build_context(hits, token_budget, self._count_tokens)

    def status(self) -> Status:
        """Counts, sizes and the model of the index."""
        with self._guard:
            manifest = read_manifest(self.path)
            tables = self._open_tables()
            files = self.files()
            shown = {record.doc_id for record in files if record.doc_id}
            rows = tables.read(
                tables.documents, ["doc_id", "kind", "n_tokens", "n_landmarks", "unit", "n_units"]
            ).to_pylist()
            rows = [row for row in rows if row["doc_id"] in shown]
            units: Counter[str] = Counter()
            for row in rows:
                units[row["unit"]] += row["n_units"]
            return Status(
                path=self.path,
                model=manifest.model,
                fingerprint=manifest.fingerprint,
                documents=len(rows),
                landmarks=sum(row["n_landmarks"] for row in rows),
                tokens=sum(row["n_tokens"] for row in rows),
                units=dict(units),
                files=dict(Counter(record.state for record in files)),
                kinds=dict(Counter(row["kind"] for row in rows)),
                size_bytes=sum(f.stat().st_size for f in self.path.rglob("*") if f.is_file()),
                unindexed_rows=tables.unindexed_rows(),
                generation=manifest.generation,
            )

    def files(self) -> list[FileRecord]:
        """Every path the index knows, with its state and reason, sorted by path."""
        from indexer.store.ledger import read_ledger

        return list(read_ledger(self._open_tables()).values())

    def document(self, doc_id: str) -> "StoredDocument":
        """A document with its text and structure. Raises KeyError if there is none."""
        from indexer.store.documents import read_document

        with self._guard:
            snapshot = self._current(check=False).snapshot
            entry = snapshot.documents[snapshot.position[doc_id]]
            return read_document(self._open_tables(), doc_id, entry.paths)

    def heat(self, query: str, doc_id: str) -> "list[LandmarkHeat]":
        """How well each landmark of a document fits the query. Raises KeyError."""
        with self._guard:
            return self._current().heat(query, doc_id)

    def page_image(
        self,
        doc_id: str,
        page: int,
        *,
        ranges: Sequence[tuple[int, int]] = (),
        scale: float = 2.0,
    ) -> PageImage:
        """Page ``page`` (1-based) of a PDF as an image, with boxes around ``ranges`` of the text.

        Raises:
            KeyError: no such document.
            ValueError: the document is no PDF, or has no such page.
            ParseError: the file is gone or can no longer be read.
        """
        from indexer.parsing import ParserPool
        from indexer.parsing.pdf_view import render_page

        document = self.document(doc_id)
        if document.kind != "pdf" or not 1 <= page <= len(document.unit_starts):
            raise ValueError(f"{document.path} has no page {page}")
        start = document.unit_starts[page - 1]
        end = (*document.unit_starts[1:], len(document.text))[page - 1]
        inside = tuple(
            (max(a, start) - start, min(b, end) - start) for a, b in ranges if a < end and b > start
        )
        with self._guard:
            if self._pages is None:
                self._pages = ParserPool(workers=1, timeout_s=60)
            path = self._file_of(document.path)
            render = partial(render_page, scale=scale)
            shown = self._pages.call(render, path, page, inside, document.text[start:end])
        return PageImage(shown.png, shown.width, shown.height, shown.boxes)

    # -- inside ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def _writing(self, *, create: bool) -> Iterator[Any]:
        """The tables, under the write lock, after checking that our rows may join them."""
        from indexer.store.tables import Tables

        if not create or self.exists:
            stored = read_manifest(self.path)
            if create:
                check_same(self.path, stored, self._manifest())
        wanted = self._manifest() if create and not self.exists else None
        if wanted is not None:
            self._load_model()  # a broken checkpoint must not leave an empty index behind
        self.path.mkdir(parents=True, exist_ok=True)
        with write_lock(self.path):
            if wanted is not None and not self.exists:
                for leftover in self.path.glob("*.lance"):  # of a creation that was killed
                    shutil.rmtree(leftover)
                tables = Tables.create(self.path, wanted.dimension)
                write_manifest(self.path, wanted)
            else:
                tables = Tables(self.path)
            yield tables

    def _load_model(self) -> None:
        from lmk_encoder.lazy import LazyEncoder

        if isinstance(self.encoder, LazyEncoder):
            self.encoder.load()

    def _manifest(self) -> Manifest:
        from indexer.parsing import PARSER_VERSION
        from indexer.policy import policy_name

        return Manifest(
            model=self.encoder.name,
            fingerprint=self.encoder.fingerprint,
            dimension=self.encoder.dimension,
            policy=policy_name(self.settings),
            parser=PARSER_VERSION,
            model_path=self._model_folder(),
        )

    def _model_folder(self) -> str | None:
        if self.settings.model is not None:
            return str(Path(self.settings.model).absolute())
        return read_manifest(self.path).model_path if self.exists else None

    def _current(self, *, check: bool = True) -> "Searcher":
        """The searcher of the newest generation; ``check`` that queries fit its vectors."""
        from indexer.search.searcher import Searcher
        from indexer.search.snapshot import load_snapshot

        manifest = read_manifest(self.path)
        if check:
            encoder = self.encoder
            check_model(self.path, manifest, encoder.name, encoder.fingerprint)
        if self._searcher is None or self._searcher.snapshot.generation != manifest.generation:
            tables = self._open_tables()
            snapshot = load_snapshot(tables, manifest.generation)
            self._searcher = Searcher(tables, snapshot, lambda: self.encoder)
        return self._searcher

    def _open_tables(self) -> Any:
        from indexer.store.tables import Tables

        read_manifest(self.path)  # a clear error, and nothing created, if there is no index
        return Tables(self.path)

    def _count_tokens(self, text: str) -> int:
        return self.encoder.count_tokens(text)

    def _file_of(self, path: str) -> Path:
        import os

        for record in self.files():
            if record.path == path:
                return Path(os.fsdecode(record.raw_path))
        raise KeyError(path)

    def _roots(self) -> list[str]:
        try:
            return sorted({record.source_root for record in self.files()})
        except IndexMismatch:
            return []  # another schema: only the paths given now are known

    def _swap_in(self, beside: Path) -> None:
        """Put the new index where the old one is. The settings file stays."""
        old = self.path.with_name(f"{self.path.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        if self.path.exists():
            toml = self.path / SETTINGS_FILE
            if toml.is_file():
                shutil.copy2(toml, beside)
            with contextlib.suppress(IndexNotFound, IndexMismatch):
                # Go on counting: a reader must not take a new index for the one it knows.
                before = read_manifest(self.path).generation
                fresh = read_manifest(beside)
                write_manifest(beside, replace(fresh, generation=before + 1))
            self.path.rename(old)
        beside.rename(self.path)
        shutil.rmtree(old, ignore_errors=True)
