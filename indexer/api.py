"""DocumentIndex: the Python door. Opens nothing and creates nothing until it is asked to.

Heavy libraries (torch, lancedb) are imported when a method first needs them.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from indexer.access.arguments import (
    require_number,
    require_range,
    require_text,
    require_type,
    require_whole,
)
from indexer.access.model import IndexModel
from indexer.access.named import absence, as_paths, require_all, require_some
from indexer.access.reading import Reader
from indexer.access.writing import Writer
from indexer.config import DEFAULT_INDEX, EngineName, Settings, load_settings
from indexer.documents import FileRecord, Hit, Passage
from indexer.ingest.report import IngestReport, ProgressCallback
from indexer.query.filters import Filters
from indexer.search.context import ContextBlock, build_context
from indexer.sources.files import is_file, is_under, merged_roots, path_key
from indexer.store.lock import held_still, write_lock
from indexer.store.manifest import (
    FILE_NAME,
    check_same,
    read_manifest,
    require_not_lost,
    require_ours,
)
from lmk_encoder.errors import ConfigError, LmkError

if TYPE_CHECKING:
    from indexer.ingest.pending import Pending
    from indexer.query.language import Condition
    from indexer.search.grep import GrepResult
    from indexer.search.pages import PageImage, PageRenderer
    from indexer.search.recall import Recall
    from indexer.search.results import SearchPage
    from indexer.search.searcher import LandmarkHeat, Searcher
    from indexer.store.documents import StoredDocument
    from indexer.store.session import WriteSession
    from indexer.store.status import Status
    from indexer.upkeep.findings import Finding
    from indexer.upkeep.verify import Verification
    from lmk_encoder.types import DocumentEncoder

PathLike = str | Path

MAX_WEIGHT = 1e6  # of a signal
MAX_TIMEOUT_S = 1e6  # for looking through texts
MIN_SCALE, MAX_SCALE = 0.01, 100.0  # of a page's image; large ones are made smaller


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
        self.path = Path(path).absolute()
        self.settings = settings
        self._model = IndexModel(self.path, settings, encoder)
        self._reader = Reader(self.path, settings, self._model)
        self._writer = Writer(self.path, settings, self._model)
        self._pages: PageRenderer | None = None

    @classmethod
    def open(
        cls,
        path: PathLike = DEFAULT_INDEX,
        *,
        model: str | None = None,
        engine: EngineName | None = None,
        encoder: "DocumentEncoder | None" = None,
        settings: Settings | None = None,
    ) -> "DocumentIndex":
        """Name an index; ``add`` creates it if need be, reading one that is absent is an error.

        Args:
            path: the folder of the index.
            model: a checkpoint folder; by default the one the index was made with, else the
                built-in model.
            engine: what compares vectors; see docs/engines.md.
            encoder: an encoder to use instead of loading a checkpoint.
            settings: instead of environment, ``lmk.toml`` and defaults; ``model`` and ``engine``
                have precedence.

        Raises:
            ConfigError: a setting is unknown or out of range.
        """
        if settings is None:
            settings = load_settings(Path(path), model=model, engine=engine)
        elif model is not None or engine is not None:
            named = {"model": model, "engine": engine}
            given = {name: value for name, value in named.items() if value is not None}
            settings = load_settings(**(settings.model_dump() | given))
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
        self._reader.forget()
        if self._pages is not None:
            self._pages.close()

    @property
    def exists(self) -> bool:
        """Whether there is an index in the folder."""
        return (self.path / FILE_NAME).is_file()

    @property
    def version(self) -> str:
        """Changes whenever an answer of the index may change. Raises IndexNotFound."""
        return read_manifest(self.path).state

    @property
    def encoder(self) -> "DocumentEncoder":
        """The encoder; its model is loaded when it first has to encode."""
        return self._model.encoder

    def warm_up(self) -> None:
        """Load what a question needs of the model, and the current generation, now: so that the
        first search is fast."""
        self._reader.load()
        self._model.warm_up()

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

        named = as_paths(paths)
        require_some(named)
        with self._writing(create=True) as session:
            run = Ingest(
                session, self.encoder, self.settings, progress=progress, should_stop=should_stop
            )
            return run.run(named)

    def rebuild(
        self,
        paths: Sequence[PathLike] | PathLike = (),
        *,
        progress: ProgressCallback | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> IngestReport:
        """Make the index anew from every path that was ever named, and from ``paths``.

        The new tables are made beside the old ones, which stay searchable, and take their
        place in one step at the end. An interrupted or failed rebuild changes nothing, and the
        next one goes on from there. With another model (``open(model=...)``) the index goes
        over to that.

        Raises:
            SourceNotFound: one of the paths is not there, so that its documents would be lost.
            IndexBusy: another process is writing.
        """
        from indexer.ingest.pipeline import Ingest
        from indexer.store.session import hidden_session, remove_other_tables

        named = as_paths(paths)
        if not self.exists:
            require_some(named)
            self._writer.clear()
            return self.add(named, progress=progress, should_stop=should_stop)
        with write_lock(self.path) as announce:
            announce()
            roots, tables, generation = self._writer.before()
            spent = self._spent(roots, tables, named)
            roots = tuple(root for root in roots if root not in spent)
            named = [Path(root) for root in merged_roots(roots, named)]
            require_all(named, roots, self.path)
            self._model.load()
            remove_other_tables(self.path, keep=tables)
            wanted = replace(self._model.manifest(), generation=generation)
            session = hidden_session(self.path, wanted, tables, announce)
            run = Ingest(
                session, self.encoder, self.settings, progress=progress, should_stop=should_stop
            )
            report = run.run(named)
            if not report.interrupted:
                self._writer.keep_engine(session.tables)
                session.published()  # also where nothing was found: it is another generation
                session.reveal()
            return report

    def remove(self, paths: Sequence[PathLike] | PathLike) -> int:
        """Take files, or all files below folders, out of the index; return how many.

        The files themselves are not touched. Raises IndexNotFound, IndexBusy.
        """
        from indexer.ingest.remove import remove_paths

        named = as_paths(paths)
        with self._writing(create=False) as session:
            return remove_paths(session, named)

    # -- keeping well ----------------------------------------------------------------------

    def doctor(self, *, repair: bool = False) -> "list[Finding]":
        """Check every invariant of the index on its rows; an empty list if all is well.

        With ``repair``, rows that are wrong are taken out, and the next ``add`` reads their
        files again. Raises IndexNotFound, IndexMismatch, IndexBusy.
        """
        from indexer.upkeep import doctor

        manifest = read_manifest(self.path)
        with held_still(self.path):  # what is half done looks broken
            findings = list(doctor.examine(self.path, manifest))
        if not repair or not doctor.can_repair(findings):
            return findings
        with self._writing(create=False) as session:
            return doctor.repair(session, findings)

    def verify(self, sample: int | None = 20) -> "Verification":
        """Derive ``sample`` documents (None: all) anew from their files and compare the rows.

        Raises:
            IndexMismatch: the index was made by another model, parser or policy.
        """
        from indexer.upkeep.verify import verify

        if sample is not None:
            require_whole("sample", sample, 1)
        check_same(self.path, read_manifest(self.path), self._model.manifest())
        return verify(self._reader.tables(), self.encoder, self.settings, sample=sample)

    def export(self, file: PathLike) -> None:
        """Write all that is in the index into one portable file.

        Raises IndexBusy while somebody is writing, ConfigError if the file is there.
        """
        from indexer.upkeep.archive import write_archive

        manifest = read_manifest(self.path)
        with held_still(self.path):
            write_archive(Path(file), manifest, self._reader.tables())

    def import_from(self, file: PathLike) -> None:
        """Make this index, which must not exist yet, from a file that ``export`` wrote.

        Raises ConfigError: there is an index, or the file is none that was exported.
        """
        from indexer.upkeep.archive import read_archive

        require_ours(self.path)
        if not Path(file).is_file():
            raise ConfigError(f"{file} is no file.", "Name one that lmk export wrote.")
        if self.exists:
            raise ConfigError(
                f"There is an index in {self.path}.", "Name another folder: --index DIR."
            )
        require_not_lost(self.path)
        self._writer.make_folder()
        with write_lock(self.path):
            read_archive(Path(file), self.path)

    def watch(
        self,
        paths: Sequence[PathLike] | PathLike,
        *,
        quiet_s: float = 2.0,
        on_update: "Callable[[IngestReport | LmkError], None] | None" = None,
        stop: threading.Event | None = None,
    ) -> None:
        """Keep the index in step with ``paths`` until ``stop`` is set.

        After each change, once nothing has changed for ``quiet_s`` seconds, they are added
        anew; ``on_update`` is told what that did, or why it could not be done.
        """
        from indexer.upkeep.watch import watch

        named, stop = [path.absolute() for path in as_paths(paths)], stop or threading.Event()
        roots = self._writer.before()[0] if self.exists else ()
        require_all(named, roots, self.path)
        add = partial(self.add, named, should_stop=stop.is_set)
        watch(add, named, index_path=self.path, quiet_s=quiet_s, on_update=on_update, stop=stop)

    # -- reading ---------------------------------------------------------------------------

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        passages: int = 3,
        offset: int = 0,
        filters: Filters | None = None,
        weights: Mapping[str, float] | None = None,
        fusion: str = "z",
        rerank: str | None = None,
        explain: bool = False,
    ) -> list[Hit]:
        """The best ``k`` documents for a query, each with its best passages; best first.

        Args:
            query: any string, in the query language (docs/query.md). A blank one finds nothing,
                unless there are filters: then what meets them, in the order of paths.
            k: most documents.
            passages: most passages of each.
            offset: so many of the best documents are left out: they were on pages before.
            filters: what documents must meet, beside what the query says itself.
            weights: of the signals, instead of the default ones: ``places`` (best landmarks by
                vector), ``document`` (document vector), ``text_places`` and ``text_document``
                (BM25 of the best landmark, of the whole document). One not named is left out.
            fusion: how signals are brought together: "z" (standardised scores), "rank"
                (reciprocal ranks).
            rerank: look at the first 50 documents again: "landmarks" (every part of the query
                looks for its own best landmark), or the folder or name of a cross-encoder (extra
                ``rerank``). None, the default, does not.
            explain: give every hit its ``explanation``.

        Raises:
            IndexNotFound, IndexMismatch: there is no such index, or it cannot be used.
            QueryError: a filter names no date, or a condition takes too long to check.
            TypeError: ``query`` is no string, or a number no whole one.
            ValueError: ``k`` or ``passages`` is below 1, ``offset`` below 0, or a signal or a way
                of fusion is unknown.
        """
        page = self.search_page(
            query,
            k,
            passages=passages,
            offset=offset,
            filters=filters,
            weights=weights,
            fusion=fusion,
            rerank=rerank,
            explain=explain,
            facets=False,
        )
        return list(page.hits)

    def search_page(
        self,
        query: str,
        k: int = 10,
        *,
        passages: int = 3,
        offset: int = 0,
        filters: Filters | None = None,
        weights: Mapping[str, float] | None = None,
        fusion: str = "z",
        rerank: str | None = None,
        explain: bool = False,
        facets: bool = True,
    ) -> "SearchPage":
        """``search`` with what stands beside the hits: their number in all, facets, notes."""
        from indexer.query.parse import parse
        from indexer.search.searcher import WEIGHTS, Request

        require_text("query", query)
        if rerank is not None:
            require_text("rerank", rerank)
        _check_page(k, passages, offset)
        require_type("weights", weights, Mapping)
        for signal, weight in (weights or {}).items():
            require_number(f"weights[{signal!r}]", weight, -MAX_WEIGHT, MAX_WEIGHT)
        request = Request(
            query=parse(query).adding(*_conditions(filters)),
            k=k,
            offset=offset,
            passages=passages,
            weights=WEIGHTS if weights is None else weights,
            fusion=fusion,
            rerank=rerank,
            facets=facets,
            explain=explain,
        )
        return self._reader.ask(lambda searcher: searcher.page(request))

    def similar(
        self,
        doc_id: str,
        *,
        place: tuple[int, int] | None = None,
        k: int = 10,
        offset: int = 0,
        passages: int = 3,
        filters: Filters | None = None,
        explain: bool = False,
    ) -> list[Hit]:
        """Documents that resemble a document, or the part ``[start, end)`` of its text; best
        first, itself and its copies left out.

        Raises:
            KeyError: no such document.
            ValueError: ``place`` lies behind its end; ``k``, ``passages`` or ``offset`` too small.
        """
        page = self.similar_page(
            doc_id,
            place=place,
            k=k,
            offset=offset,
            passages=passages,
            filters=filters,
            explain=explain,
            facets=False,
        )
        return list(page.hits)

    def similar_page(
        self,
        doc_id: str,
        *,
        place: tuple[int, int] | None = None,
        k: int = 10,
        offset: int = 0,
        passages: int = 3,
        filters: Filters | None = None,
        explain: bool = False,
        facets: bool = True,
    ) -> "SearchPage":
        """``similar`` with what stands beside the hits."""
        from indexer.query.language import Query
        from indexer.search.searcher import Like, Request

        require_text("doc_id", doc_id)
        _check_page(k, passages, offset)
        if place is not None:
            require_range("place", place)
        request = Request(
            query=Query(_conditions(filters)),
            k=k,
            offset=offset,
            passages=passages,
            facets=facets,
            explain=explain,
            like=Like(doc_id, place),
        )
        return self._reader.ask(lambda searcher: searcher.page(request), check=False)

    def grep(
        self,
        pattern: str,
        *,
        ignore_case: bool = False,
        filters: Filters | None = None,
        limit: int = 1000,
        timeout_s: float = 20,
    ) -> "GrepResult":
        """Every match of a regular expression in the texts, by path and place.

        ``^`` and ``$`` are the borders of lines. Stops at ``limit`` matches, and after
        ``timeout_s`` seconds whatever the pattern: the result says so.

        Raises:
            QueryError: the pattern is no regular expression, or a filter names no date.
        """
        from indexer.query.exact import checked_pattern

        require_text("pattern", pattern)
        require_whole("limit", limit, 1)
        require_number("timeout_s", timeout_s, 0, MAX_TIMEOUT_S)
        wanted = checked_pattern(pattern, ignore_case=ignore_case)
        conditions = _conditions(filters)
        return self._reader.ask(
            lambda searcher: searcher.grep(wanted, conditions, limit=limit, timeout_s=timeout_s),
            check=False,
        )

    def doc_id_of(self, path: PathLike) -> str | None:
        """The document that a file holds, by the file's path; None if it is not indexed."""
        wanted, raw = path_key(Path(path)), os.fsencode(Path(path).absolute())
        found = [r for r in self.files() if r.path == wanted or r.raw_path == raw]
        # Of two names that differ in their normal form only, the one that is spelt like this.
        found.sort(key=lambda record: record.raw_path != raw)
        return found[0].doc_id if found else None

    def context(
        self,
        query: str,
        token_budget: int = 2000,
        *,
        k: int = 8,
        passages: int = 3,
        filters: Filters | None = None,
    ) -> list[ContextBlock]:
        """Passages with citations for a prompt; all of them together fit ``token_budget``.

        Tokens are counted with the encoder's tokenizer, citations included.
        """
        require_whole("token_budget", token_budget, 0)
        hits = self.search(query, k, passages=passages, filters=filters)
        return build_context(hits, token_budget, self.encoder.count_tokens)

    def status(self) -> "Status":
        """Counts, sizes and the model of the index."""
        from indexer.store.status import read_status
        from indexer.store.tables import Tables

        manifest = read_manifest(self.path)
        return read_status(self.path, manifest, Tables(self.path / manifest.tables))

    def recall(self, k: int = 10) -> "Recall":
        """How many of the ``k`` nearest landmarks the engine finds, measured on this index.

        Every landmark is compared for the answer: it takes as long as 50 exact searches.
        """
        from indexer.search.recall import measure_recall

        require_whole("k", k, 1)

        def measure(searcher: "Searcher") -> "Recall":
            own = searcher.tables, searcher.snapshot, searcher.engine
            return measure_recall(*own, self.encoder, k=k)

        return self._reader.ask(measure)

    def pending(self) -> "Pending":
        """What the next ``add`` of all that was ever named would have to do."""
        from indexer.ingest.pending import count_pending
        from indexer.store.ledger import read_ledger

        manifest = read_manifest(self.path)
        known = read_ledger(self._reader.tables())
        return count_pending(known, manifest.roots, self.settings, self.path)

    def files(self) -> list[FileRecord]:
        """Every path the index knows, with its state and reason, sorted by path."""
        from indexer.store.ledger import read_ledger

        return list(read_ledger(self._reader.tables()).values())

    def document(self, doc_id: str) -> "StoredDocument":
        """A document with its text and structure. Raises KeyError if there is none."""
        from indexer.store.documents import read_document

        require_text("doc_id", doc_id)

        def read(searcher: "Searcher") -> "StoredDocument":
            entry = searcher.snapshot.documents[searcher.snapshot.position[doc_id]]
            return read_document(searcher.tables, doc_id, entry.paths)

        return self._reader.ask(read, check=False)

    def passages(self, query: str, doc_id: str, *, limit: int = 3) -> tuple[Passage, ...]:
        """The best places of one document for a query, best first. Raises KeyError."""
        from indexer.query.parse import parse

        require_text("query", query)
        require_text("doc_id", doc_id)
        require_whole("limit", limit, 1)
        return self._reader.ask(lambda searcher: searcher.passages(parse(query), doc_id, limit))

    def heat(self, query: str, doc_id: str) -> "list[LandmarkHeat]":
        """How well each landmark of a document fits the query. Raises KeyError."""
        from indexer.query.parse import parse

        require_text("query", query)
        require_text("doc_id", doc_id)
        return self._reader.ask(lambda searcher: searcher.heat(parse(query), doc_id))

    def page_image(
        self,
        doc_id: str,
        page: int,
        *,
        ranges: Sequence[tuple[int, int]] = (),
        scale: float = 2.0,
    ) -> "PageImage":
        """Page ``page`` (1-based) of a PDF as an image, with boxes around ``ranges`` of the text.

        Raises:
            KeyError: no such document.
            ValueError: the document is no PDF, or has no such page.
            ParseError: the file is gone or can no longer be read.
        """
        from indexer.search.pages import PageRenderer

        require_whole("page", page, 1)
        require_number("scale", scale, MIN_SCALE, MAX_SCALE)
        document = self.document(doc_id)
        if self._pages is None:
            self._pages = PageRenderer()
        return self._pages.render(
            document, self._file_of(doc_id), page, ranges, scale, self.settings.passwords()
        )

    # -- inside ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def _writing(self, *, create: bool) -> Iterator["WriteSession"]:
        try:
            with self._writer.session(create=create) as session:
                yield session
        finally:
            self._reader.forget()  # what we have written we see at once

    def _spent(
        self, roots: Sequence[str], tables: str | None, named: Sequence[Path]
    ) -> Collection[str]:
        """Roots that are gone, and so is all that was found below them: nothing is lost with
        them. Those ``named`` now are not among them, nor any if the tables cannot be read."""
        from indexer.store.tables import Tables

        keys = {path_key(path) for path in named}
        gone = {root: path_key(Path(root)) for root in roots if absence(Path(root))}
        gone = {root: key for root, key in gone.items() if key not in keys}
        if not gone or tables is None:
            return ()
        try:
            opened = Tables(self.path / tables)
            paths = opened.read(opened.files, ["path"])["path"].to_pylist()
        except LmkError:
            return ()
        return {r for r, key in gone.items() if not any(is_under(path, key) for path in paths)}

    def _file_of(self, doc_id: str) -> Path:
        """A file that holds the document and is there; the first one, if none is."""
        tables = self._reader.tables()
        rows = tables.read_in(tables.files, ["path", "raw_path"], "doc_id", [doc_id]).to_pylist()
        paths = [Path(os.fsdecode(r["raw_path"])) for r in sorted(rows, key=lambda r: r["path"])]
        return next((path for path in paths if is_file(path)), paths[0])


def _conditions(filters: Filters | None) -> "tuple[Condition, ...]":
    require_type("filters", filters, Filters)
    return filters.conditions() if filters else ()


def _check_page(k: int, passages: int, offset: int) -> None:
    require_whole("k", k, 1)
    require_whole("passages", passages, 1)
    require_whole("offset", offset, 0)
