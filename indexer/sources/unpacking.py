"""Where a file can be read: itself, or a member of an archive unpacked to a file of its own."""

import itertools
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from indexer.sources.archives import OpenArchive, split_member
from indexer.sources.files import raw_to_path


class Unpacker:
    """Gives paths that can be opened. What it unpacked goes with ``forget``, all at the end.

    The archive of the last member is held open: to open a compressed one anew for each member
    would read it as often as it has members. So members are best asked for in their order. For
    one thread at a time.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="lmk-")
        self._numbers = itertools.count()
        self._archive: OpenArchive | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove what is still there."""
        if self._archive is not None:
            self._archive.close()
            self._archive = None
        self._folder.cleanup()

    def path_of(self, raw_path: bytes) -> Path:
        """Where the file of this path can be read. Raises OSError if it is a member that cannot
        be unpacked."""
        member = split_member(raw_path)
        if member is None:
            return raw_to_path(raw_path)
        archive, name = member
        folder = Path(self._folder.name, str(next(self._numbers)))
        folder.mkdir()
        path = folder / name.rpartition("/")[2]
        self._opened(archive).extract(name, path)
        return path

    def forget(self, path: Path) -> None:
        """Remove what ``path_of`` unpacked there; a file that was not unpacked stays."""
        if path.is_relative_to(self._folder.name):
            shutil.rmtree(path.parent, ignore_errors=True)

    def _opened(self, path: Path) -> OpenArchive:
        if self._archive is None or self._archive.path != path or self._archive.has_changed():
            if self._archive is not None:
                self._archive.close()
                self._archive = None
            self._archive = OpenArchive(path)
        return self._archive
