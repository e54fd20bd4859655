"""Sessions of writing: one at a time, and only rows that belong together."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.access.model import IndexModel
from indexer.config import Settings
from indexer.errors import IndexMismatch
from indexer.store.lock import write_lock
from indexer.store.manifest import (
    FILE_NAME,
    check_same,
    read_foreign_manifest,
    read_manifest,
    require_not_lost,
    require_ours,
    write_manifest,
)
from lmk_encoder.errors import ConfigError

if TYPE_CHECKING:
    from indexer.store.session import WriteSession
    from indexer.store.tables import Tables


class Writer:
    """Opens sessions of writing. What is written is published by the session."""

    def __init__(self, path: Path, settings: Settings, model: IndexModel) -> None:
        self._path, self._settings, self._model = path, settings, model

    @contextlib.contextmanager
    def session(self, *, create: bool) -> Iterator["WriteSession"]:
        """A session on the index as it is, under the lock; with ``create`` it is made if need
        be, after checking that our rows may join those that are there.

        Raises IndexNotFound without ``create``, IndexMismatch, IndexBusy.
        """
        from indexer.store.session import (
            WriteSession,
            next_tables,
            remove_all_tables,
            remove_other_tables,
        )
        from indexer.store.tables import Tables

        if create:
            require_ours(self._path)
            if not self._exists():
                require_not_lost(self._path)
                self._model.load()  # a broken checkpoint must not leave an empty index behind
                self.make_folder()
        else:
            read_manifest(self._path)
        with write_lock(self._path) as announce:
            if self._exists():
                manifest = read_manifest(self._path)
                if create:
                    check_same(self._path, manifest, self._model.manifest())
                remove_other_tables(self._path, keep=manifest.tables)
                tables = Tables(self._path / manifest.tables)
            else:
                require_not_lost(self._path)
                remove_all_tables(self._path)
                manifest = replace(self._model.manifest(), tables=next_tables(None))
                tables = Tables.create(self._path / manifest.tables, manifest.dimension)
                write_manifest(self._path, manifest)
            yield WriteSession(self._path, manifest, tables, announce=announce)
            self.keep_engine(tables)

    def before(self) -> tuple[tuple[str, ...], str | None, int]:
        """Roots, tables folder and generation of the index, also if it cannot be used."""
        try:
            manifest = read_manifest(self._path)
        except IndexMismatch:
            roots, tables = read_foreign_manifest(self._path)
            return roots, tables, 0
        return manifest.roots, manifest.tables, manifest.generation

    def clear(self) -> None:
        """Remove tables that nothing describes any more, so that an index can be made anew."""
        from indexer.store.session import remove_all_tables

        require_ours(self._path)
        if not self._path.is_dir():
            return
        self._model.load()  # a broken checkpoint must not cost what may still be saved by hand
        with write_lock(self._path):
            if not self._exists():
                remove_all_tables(self._path)

    def make_folder(self) -> None:
        """Make the folder of the index. Raises ConfigError if it cannot be made."""
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"The folder {self._path} cannot be made: {error.strerror}.",
                "Name another one for the index: --index DIR.",
            ) from error

    def keep_engine(self, tables: "Tables") -> None:
        """Write what the engine keeps beside the tables, if it keeps anything."""
        if not self._settings.engine.startswith("faiss"):
            return
        from indexer.engines.faiss import save_faiss
        from indexer.search.snapshot import load_snapshot

        snapshot = load_snapshot(tables, 0)
        save_faiss(snapshot.landmark_vectors, tables.folder, snapshot.content_key)

    def _exists(self) -> bool:
        return (self._path / FILE_NAME).is_file()
