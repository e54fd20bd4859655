"""A time of writing: what a writer leaves for the next one if it dies, and how it ends.

The tables of an index lie in a folder inside it that ``index.json`` names. A rebuild fills
another folder and then replaces ``index.json``: one atomic step from the old rows to the new.
"""

import logging
import shutil
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from indexer.errors import IndexMismatch, IndexNotFound
from indexer.store.manifest import (
    FILE_NAME,
    Manifest,
    check_same,
    read_manifest,
    write_manifest,
)
from indexer.store.tables import Tables

logger = logging.getLogger(__name__)

UNFINISHED_MARK = "unfinished"  # this file is there while somebody writes, and after a kill
TABLES_PREFIX = "tables-"
# Publications between two foldings: every version of a table lists all its data files, so
# without them the disk would fill with the square of their number.
OPTIMIZE_EVERY = 100


class WriteSession:
    """Writes to the tables of one index. The caller holds the write lock.

    ``manifest`` is what ``index.json`` says, or will say: while ``is_hidden`` nothing of the
    session is told to readers, until ``reveal``.
    """

    def __init__(
        self,
        index_path: Path,
        manifest: Manifest,
        tables: Tables,
        *,
        announce: Callable[[], None],
        is_hidden: bool = False,
    ) -> None:
        """``announce`` tells others who is writing (``lock.write_lock``)."""
        self.index_path, self.manifest, self.tables = index_path, manifest, tables
        self.announce = announce
        self._is_hidden = is_hidden
        self._mark = index_path / manifest.tables / UNFINISHED_MARK
        self._published = 0

    def begin(self) -> None:
        """Remove what a writer that died has left invisible."""
        if self._mark.exists():
            swept = self.tables.sweep()
            logger.info("swept %d documents of an interrupted run", swept)

    def about_to_write(self) -> None:
        """Say so on disk, before the first row is touched."""
        self.announce()
        self._mark.touch()

    def published(self) -> None:
        """Tell readers that there is something new."""
        self.manifest = self.manifest.next()
        self._write_manifest()
        self._published += 1
        if self._published % OPTIMIZE_EVERY == 0:
            self.tables.optimize()

    def set_roots(self, roots: tuple[str, ...]) -> None:
        """Remember the paths that were named, so that a rebuild finds them again."""
        if roots != self.manifest.roots:
            self.manifest = replace(self.manifest, roots=roots)
            if not self._is_hidden:  # hidden tables that hold nothing yet are not worth a sign
                self._write_manifest()

    def end(self, orphans: Collection[str]) -> None:
        """Remove documents that no path holds any more, fold new rows into the indexes."""
        if not self._mark.exists():
            return  # nothing was written
        self.tables.delete_documents(orphans)
        self.tables.optimize()
        self.published()
        self._mark.unlink()

    def reveal(self) -> None:
        """Let readers go over to these tables, in one step; the old ones are deleted."""
        self._is_hidden = False
        self._write_manifest()
        for name in other_tables(self.index_path, self.manifest.tables, unfinished=True):
            shutil.rmtree(self.index_path / name)
        remove_other_tables(self.index_path, keep=self.manifest.tables)

    def _write_manifest(self) -> None:
        """For readers; of hidden tables, for the next rebuild, which goes on from there."""
        folder = self.index_path / self.manifest.tables if self._is_hidden else self.index_path
        write_manifest(folder, self.manifest)


def hidden_session(
    index_path: Path, wanted: Manifest, current: str | None, announce: Callable[[], None]
) -> WriteSession:
    """A session on tables beside the ``current`` ones, which nobody sees until ``reveal``.

    They are those of a rebuild that was interrupted, if it was for the same model, parser and
    policy, else new ones.
    """
    for name in other_tables(index_path, current, unfinished=True):
        try:
            begun = read_manifest(index_path / name)
            check_same(index_path, begun, wanted)
            tables = Tables(index_path / name)
        except (IndexNotFound, IndexMismatch):
            shutil.rmtree(index_path / name)
            continue
        begun = replace(begun, generation=max(begun.generation, wanted.generation))
        return WriteSession(index_path, begun, tables, announce=announce, is_hidden=True)
    manifest = replace(wanted, tables=next_tables(current))
    tables = Tables.create(index_path / manifest.tables, manifest.dimension)
    return WriteSession(index_path, manifest, tables, announce=announce, is_hidden=True)


def next_tables(current: str | None) -> str:
    """The name of the folder for tables that are made anew beside the ``current`` ones."""
    number = (current or "").removeprefix(TABLES_PREFIX)
    return f"{TABLES_PREFIX}{int(number) + 1 if number.isdecimal() else 1}"


def remove_other_tables(index_path: Path, keep: str | None) -> None:
    """Delete folders of tables that ``index.json`` does not name: old ones, half-made ones."""
    if keep is not None:
        (index_path / keep / FILE_NAME).unlink(missing_ok=True)  # of when they were hidden
    for name in other_tables(index_path, keep):
        shutil.rmtree(index_path / name)


def remove_all_tables(index_path: Path) -> None:
    """Delete all folders of tables, also those of an unfinished rebuild."""
    for name in other_tables(index_path, None, unfinished=True):
        shutil.rmtree(index_path / name)


def other_tables(index_path: Path, keep: str | None, *, unfinished: bool = False) -> list[str]:
    """Names of the folders of tables that are not ``keep``; without those of an ``unfinished``
    rebuild, which the next one goes on with, unless they are asked for."""
    return [
        folder.name
        for folder in sorted(index_path.glob(f"{TABLES_PREFIX}*"))
        if folder.name != keep
        and folder.name.removeprefix(TABLES_PREFIX).isdecimal()
        and (unfinished or not (folder / FILE_NAME).exists())
    ]
