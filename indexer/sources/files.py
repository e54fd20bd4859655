"""One file of a source: its identity on disk, and the hash of its bytes."""

import hashlib
import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MEMBER_SEPARATOR = "!/"  # between an archive and the name of a file in it
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as the walk saw it. ``path`` is its key; ``raw_path`` opens it.

    The key is absolute, in NFC and printable: a name that arrives in another normal form
    (macOS) or in bytes that are no UTF-8 still has one key, which tables and JSON can hold.
    """

    path: str
    raw_path: bytes
    size: int
    mtime_ns: int
    root: str  # key of the named path it was found under

    def open_path(self) -> Path:
        """The path to open, with the exact bytes of the file system."""
        return raw_to_path(self.raw_path)


def raw_to_path(raw_path: bytes) -> Path:
    """The path that opens a file, from the bytes of its name."""
    return Path(os.fsdecode(raw_path))


def mtime_of(status: os.stat_result) -> int:
    """When a file was last changed, in nanoseconds; the nearest time that 64 bits can say, which
    end in April 2262."""
    return max(-(1 << 63), min(status.st_mtime_ns, (1 << 63) - 1))


def exists(path: Path) -> bool:
    """Whether there is something at a path; False, too, where nobody lets us look.

    The same questions of ``Path`` raise in a folder that we may not enter, and one such folder
    must not end a run over all others.
    """
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: Path) -> bool:
    """Whether a path leads to a regular file, as far as we may look."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder, as far as we may look."""
    return os.path.isdir(path)  # noqa: PTH112


def why_absent(path: Path) -> str | None:
    """Why nothing can be read at a path: "does not exist", "permission denied"; None if it can
    be looked at."""
    try:
        path.stat()
    except OSError as error:
        return reason_of(error)
    return None


def reason_of(error: OSError) -> str:
    """An error of the file system in a few words, without the path."""
    reasons = {FileNotFoundError: "does not exist", PermissionError: "permission denied"}
    return reasons.get(type(error), error.strerror or str(error))


def path_key(path: Path) -> str:
    """The key of a path: absolute (links not resolved), NFC, without lone surrogates."""
    absolute = os.path.abspath(path)  # noqa: PTH100 - Path.absolute() keeps "..", resolve() follows links
    readable = os.fsencode(absolute).decode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", readable)


def merged_roots(known: Iterable[str], paths: Iterable[Path]) -> tuple[str, ...]:
    """Named paths as an index remembers them: the ``known`` ones, and ``paths``.

    They are spelt as they open, which a key may not (another normal form, bytes that are no
    UTF-8); of one key there is one, the newest.
    """
    roots = {path_key(Path(root)): root for root in known}
    for path in paths:
        roots[path_key(path)] = os.path.abspath(path)  # noqa: PTH100 - see path_key
    return tuple(roots.values())


def named_below(paths: Iterable[Path], roots: Iterable[str]) -> list[Path]:
    """Roots below ``paths`` that are there: what was named by itself once, such as a hidden folder
    or an ignored file, stays in when the folder around it is named."""
    keys = [path_key(path) for path in paths]
    inner = [(Path(root), path_key(Path(root))) for root in roots]
    return [
        path
        for path, key in inner
        if key not in keys and exists(path) and any(is_under(key, folder) for folder in keys)
    ]


def is_under(path: str, folder: str) -> bool:
    """Whether the key ``path`` is ``folder`` or lies inside it, by whole path parts.

    An archive is a folder, too: ``a.zip!/b`` lies in ``a.zip``.
    """
    inside = (folder.rstrip(os.sep) + os.sep, folder + MEMBER_SEPARATOR)
    return path == folder or path.startswith(inside)


def content_hash(path: Path) -> str:
    """SHA-256 of the file's bytes, in hex. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
