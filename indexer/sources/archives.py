"""Archives read as folders: what they hold, and one member at a time as a file on disk.

A member has the path ``archive.zip!/inner/name.txt``. Names are checked before anything is made of
them; what would unpack to more than the limits allow is left out, and archives within archives
are not opened.
"""

import os
import re
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path
from typing import IO

from indexer.sources.files import MEMBER_SEPARATOR, is_file

SUFFIXES = (
    *(".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2"),
    *(".tar.xz", ".txz"),
)
MAX_UNPACKED_BYTES = 4 << 30  # of all members of an archive
MAX_MEMBERS = 100_000
MAX_RATIO = 200  # of a large member to its packed size; text packs ten to one
_LARGE_BYTES = 10 << 20
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")  # a first member; the end of a zip without any
_DRIVE = re.compile(r"[A-Za-z]:")
_DAMAGED = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, LZMAError, EOFError),
    *(ValueError, NotImplementedError, OSError),
)


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive, or the rule that leaves it out."""

    name: str
    size: int
    excluded: str | None = None


class ArchiveRefused(Exception):
    """The archive as a whole is damaged, or breaks a limit; its text is the reason."""


def is_archive(name: str) -> bool:
    """Whether a file of this name is taken for an archive. Office files and books are none."""
    return name.lower().endswith(SUFFIXES)


def members(path: Path) -> list[Member]:
    """The files in the archive at ``path``, in its order. Raises ArchiveRefused."""
    try:
        found: list[Member] = []
        total = 0
        for member in _zip_members(path) if _is_zip(path) else _tar_members(path):
            total += member.size
            if total > MAX_UNPACKED_BYTES or len(found) == MAX_MEMBERS:
                limit = f"{MAX_UNPACKED_BYTES:,} bytes or {MAX_MEMBERS:,} files"
                raise ArchiveRefused(f"an archive that unpacks to more than {limit}")
            found.append(member)
    except _DAMAGED as error:
        raise ArchiveRefused(f"a damaged archive: {error}") from error
    return found


class OpenArchive:
    """An archive held open, for one member after the other. Raises OSError if it is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._status = _identity(path)
        self._zip: zipfile.ZipFile | None = None
        self._tar: tarfile.TarFile | None = None
        self._members: dict[str, tarfile.TarInfo] = {}
        try:
            if _is_zip(path):
                self._zip = zipfile.ZipFile(path)
            else:
                self._tar = tarfile.open(path, "r:*")  # noqa: SIM115 - close() does
                self._members = {member.name: member for member in self._tar}  # the last one counts
        except _DAMAGED as error:
            self.close()
            raise OSError(f"{path} cannot be read: {error}") from error

    def close(self) -> None:
        """Let go of the file."""
        for archive in (self._zip, self._tar):
            if archive is not None:
                archive.close()

    def has_changed(self) -> bool:
        """Whether another archive lies at its path by now. Raises OSError if none does."""
        return _identity(self.path) != self._status

    def extract(self, name: str, target: Path) -> None:
        """Write the member ``name`` to the file ``target``.

        Raises OSError if it is not there, damaged, or larger than its archive says.
        """
        try:
            if self._zip is not None:
                with self._zip.open(name) as source:
                    _copy(source, target, self._zip.getinfo(name).file_size)
            elif self._tar is not None:
                member = self._members[name]
                inside = self._tar.extractfile(member)
                if inside is None:
                    raise OSError(f"{name} is no file in {self.path}")
                with inside:
                    _copy(inside, target, member.size)
        except _DAMAGED as error:
            raise OSError(f"{name} cannot be read: {error}") from error
        except KeyError as error:
            raise OSError(f"there is no {name} in {self.path}") from error


def split_member(raw_path: bytes) -> tuple[Path, str] | None:
    """Archive and name of a member from its path; None for a path that is a file itself."""
    text = os.fsdecode(raw_path)
    at = text.find(MEMBER_SEPARATOR)
    while at != -1:
        archive = Path(text[:at])
        if is_archive(archive.name) and is_file(archive):
            return archive, text[at + len(MEMBER_SEPARATOR) :]
        at = text.find(MEMBER_SEPARATOR, at + 1)
    return None


def _is_zip(path: Path) -> bool:
    """Whether an archive is read as zip, by how it begins: the end record, which zip readers look
    for, may be that of an office file stored in a tar. A zip behind a program goes by its name.

    Raises OSError.
    """
    with path.open("rb") as file:
        if file.read(4) in _ZIP_MAGICS:
            return True
    return path.name.lower().endswith(".zip") and zipfile.is_zipfile(path)


def _identity(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _copy(source: IO[bytes], target: Path, size: int) -> None:
    with target.open("wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
        if file.tell() > size:
            raise OSError("it is larger than its archive says")


def _zip_members(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            is_swollen = info.file_size > _LARGE_BYTES and (
                info.file_size > MAX_RATIO * max(info.compress_size, 1)
            )
            excluded = _unsafe(info.filename)
            if info.flag_bits & 1:
                excluded = excluded or "encrypted in its archive"
            elif (info.external_attr >> 28) == 0xA:
                excluded = excluded or "a link in an archive"
            elif is_swollen:
                excluded = excluded or "packed too tightly to be true"
            yield Member(info.filename, 0 if is_swollen else info.file_size, excluded)


def _tar_members(path: Path) -> Iterator[Member]:
    with tarfile.open(path, "r:*") as archive:
        for info in archive:
            if info.isfile():
                yield Member(info.name, info.size, _unsafe(info.name))
            elif not info.isdir():
                yield Member(info.name, 0, _unsafe(info.name) or "a link or device in an archive")


def _unsafe(name: str) -> str | None:
    """Why a name is not to be trusted, or why what it names is not opened."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        return "a name that leads out of its archive"
    if not parts[-1] or _DRIVE.match(name):
        return "a name that leads out of its archive"
    return "an archive within an archive" if is_archive(name) else None
