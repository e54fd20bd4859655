"""``index.json``: what made the rows of an index, and its generation.

Replaced by write-new-then-rename, so a reader sees the old or the new one, never half.
"""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from indexer.errors import IndexMismatch, IndexNotFound
from lmk_encoder.errors import ConfigError

FILE_NAME = "index.json"
SCHEMA_VERSION = 2  # of the tables in store.schema


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the rows depend on. ``generation`` rises with every publication."""

    model: str
    fingerprint: str
    dimension: int
    policy: str
    parser: str
    model_path: str | None = None  # what --model named; None: the built-in model
    tables: str = "tables-1"  # the folder, inside the index, that holds the tables
    roots: tuple[str, ...] = ()  # every path that was named to be indexed, as it opens
    schema_version: int = SCHEMA_VERSION
    generation: int = 0

    def next(self) -> "Manifest":
        """The manifest of the next generation."""
        return replace(self, generation=self.generation + 1)


def read_manifest(index_path: Path) -> Manifest:
    """Read ``index.json``. Raises IndexNotFound or IndexMismatch; creates nothing."""
    file = index_path / FILE_NAME
    if index_path.exists() and not index_path.is_dir():
        raise IndexNotFound(f"{index_path} is a file, no index.", "Name the folder of an index.")
    try:
        raw = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise IndexNotFound(
            f"There is no index in {index_path}.",
            f"Make one with: lmk index PATH --index {index_path}",
        ) from None
    except (OSError, ValueError) as error:
        raise IndexMismatch(f"{file} cannot be read: {error}.", _rebuild(index_path)) from error
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if version != SCHEMA_VERSION:
        raise IndexMismatch(
            f"The index in {index_path} was made by another version of lmk: "
            f"its schema is {version}, this program's is {SCHEMA_VERSION}.",
            _rebuild(index_path),
        )
    try:
        return Manifest(**{**raw, "roots": tuple(raw["roots"])})
    except (TypeError, KeyError) as error:
        raise IndexMismatch(
            f"{file} lacks or has unknown keys: {error}.", _rebuild(index_path)
        ) from error


def read_foreign_manifest(index_path: Path) -> tuple[tuple[str, ...], str | None]:
    """Roots and tables folder of an index that ``read_manifest`` refuses, as far as it tells."""
    try:
        raw = json.loads((index_path / FILE_NAME).read_text(encoding="utf-8"))
        roots = tuple(root for root in raw.get("roots", ()) if isinstance(root, str))
        return roots, raw.get("tables")
    except (OSError, ValueError, AttributeError, TypeError):
        return (), None


def require_ours(index_path: Path) -> None:
    """Raise ConfigError unless the folder is an index, holds nothing, or is not there yet.

    An index is only ever made in a folder of its own: what else lies there is not ours.
    """
    if not index_path.exists() or (index_path / FILE_NAME).is_file():
        return
    if not index_path.is_dir():
        raise ConfigError(f"{index_path} is a file.", "Name a folder for the index: --index DIR.")
    foreign = [entry.name for entry in index_path.iterdir() if not _is_ours(entry.name)]
    if foreign:
        raise ConfigError(
            f"{index_path} is no index, and it holds other things ({min(foreign)}).",
            "Name a new folder for the index: --index DIR.",
        )


def _is_ours(name: str) -> bool:
    """Whether an index that was being made when its writer died may have left the entry."""
    return name in ("lmk.toml", "write.lock") or name.startswith(("tables-", FILE_NAME))


def write_manifest(index_path: Path, manifest: Manifest) -> None:
    """Replace ``index.json`` in one step."""
    file = index_path / FILE_NAME
    new = file.with_name(f"{FILE_NAME}.{os.getpid()}.new")
    with new.open("w", encoding="utf-8") as stream:
        json.dump(asdict(manifest), stream, indent=1)
        stream.flush()
        os.fsync(stream.fileno())
    new.replace(file)


def check_same(index_path: Path, stored: Manifest, wanted: Manifest) -> None:
    """Raise IndexMismatch if rows made as ``wanted`` may not stand beside those ``stored``."""
    check_model(index_path, stored, wanted.model, wanted.fingerprint)
    for what, old, new in (
        ("landmark policy", stored.policy, wanted.policy),
        ("parser version", stored.parser, wanted.parser),
    ):
        if old != new:
            raise IndexMismatch(
                f"The index in {index_path} was built with {what} {old!r}, now it is {new!r}.",
                _rebuild(index_path),
            )


def check_model(index_path: Path, stored: Manifest, name: str, fingerprint: str) -> None:
    """Raise IndexMismatch if queries of this model cannot be compared with the stored vectors."""
    if stored.fingerprint != fingerprint:
        raise IndexMismatch(
            f"The index in {index_path} was built with the model {stored.model} "
            f"({stored.fingerprint[:12]}), the model now is {name} ({fingerprint[:12]}).",
            "Put that model back, or make the index anew: "
            f"lmk index --rebuild --index {index_path}",
        )


def _rebuild(index_path: Path) -> str:
    return f"Make it anew with: lmk index --rebuild --index {index_path}"
