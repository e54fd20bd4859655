"""The searcher of the newest generation of an index, and its tables."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from indexer.access.model import IndexModel
from indexer.config import Settings
from indexer.errors import IndexMismatch
from indexer.store.lock import has_writer
from indexer.store.manifest import Manifest, check_model, read_manifest
from lmk_encoder.process import require_own_process

if TYPE_CHECKING:
    from indexer.search.searcher import Searcher
    from indexer.store.tables import Tables

T = TypeVar("T")

RELOAD_PATIENCE = 5  # an index is used at least so many times as long as loading it took


class Reader:
    """Answers from the newest generation. For any number of threads at once: they wait for one
    another only while a generation is read."""

    def __init__(self, path: Path, settings: Settings, model: IndexModel) -> None:
        self._path, self._settings, self._model = path, settings, model
        self._searcher: Searcher | None = None
        self._manifest: Manifest | None = None  # of the searcher
        self._loaded_at = self._load_s = 0.0  # of the searcher, time.monotonic()
        self._guard = threading.RLock()

    def forget(self) -> None:
        """Let go of the searcher: the next question reads the index anew."""
        with self._guard:
            self._searcher = None

    def load(self) -> None:
        """Read the newest generation now."""
        with self._guard:
            self._current(check=True)

    def ask(self, question: "Callable[[Searcher], T]", *, check: bool = True) -> T:
        """Ask the searcher of the newest generation; ``check`` that queries fit its vectors.

        If tables were replaced under it while it answered, it is asked again with the new ones.
        """
        with self._guard:
            searcher = self._current(check=check)
            asked = self._manifest
        try:
            return question(searcher)
        except IndexMismatch:
            if asked is not None and read_manifest(self._path).state == asked.state:
                raise
        with self._guard:
            if self._searcher is searcher:  # else another thread has read the new ones already
                self._searcher = None
            searcher = self._current(check=check)
        return question(searcher)

    def tables(self) -> "Tables":
        """The tables of the newest generation. Raises IndexNotFound, and creates nothing."""
        from indexer.store.tables import Tables

        return Tables(self._path / read_manifest(self._path).tables)

    def _current(self, *, check: bool) -> "Searcher":
        """While somebody writes, a large index is not read anew for every batch: it is used for a
        few times as long as reading it took. What a finished run published is there at once."""
        require_own_process("LanceDB", "an index")  # a searcher that was forked would hang
        manifest = read_manifest(self._path)
        if check:
            encoder = self._model.encoder
            check_model(self._path, manifest, encoder.name, encoder.fingerprint)
        current, known = self._searcher, self._manifest
        begun = time.monotonic()
        is_fresh = known is not None and (
            known.state == manifest.state
            or (
                known.identity == manifest.identity
                and begun - self._loaded_at < RELOAD_PATIENCE * self._load_s
                and has_writer(self._path)
            )
        )
        if current is None or not is_fresh:
            current = self._read(self._path / manifest.tables, manifest.generation)
            self._searcher, self._manifest = current, manifest
            self._loaded_at = time.monotonic()
            self._load_s = self._loaded_at - begun
        return current

    def _read(self, folder: Path, generation: int) -> "Searcher":
        from indexer.engines.choose import open_engine
        from indexer.search.searcher import Searcher
        from indexer.search.snapshot import load_snapshot
        from indexer.store.tables import Tables

        tables = Tables(folder)
        snapshot = load_snapshot(tables, generation)
        engine = open_engine(
            self._settings.engine,
            tables,
            snapshot.landmark_vectors,
            snapshot.landmark_places,
            snapshot.content_key,
        )
        return Searcher(tables, snapshot, engine, lambda: self._model.encoder)
