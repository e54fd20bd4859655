"""``index.json``: what made the rows of an index, and its generation.

Replaced by write-new-then-rename, so a reader sees the old or the new one, never half.
"""

import json
import os
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from indexer.errors import IndexDamaged, IndexMismatch, IndexNotFound
from lmk_encoder.errors import ConfigError

FILE_NAME = "index.json"
SCHEMA_VERSION = 2  # of the tables in store.schema
_TABLES = re.compile(r"tables-[0-9]+")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the rows depend on. ``generation`` rises with every publication; ``identity`` is
    drawn when an index is made, since another one may be made in its folder."""

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
    identity: str = ""  # "": made when there was none

    @property
    def state(self) -> str:
        """Equal as long as the rows are."""
        return f"{self.identity} {self.fingerprint} {self.tables} {self.generation}"

    def next(self) -> "Manifest":
        """The manifest of the next generation."""
        return replace(self, generation=self.generation + 1)


def read_manifest(index_path: Path) -> Manifest:
    """Read ``index.json``. Raises IndexNotFound or IndexMismatch; creates nothing."""
    file = index_path / FILE_NAME
    if index_path.exists() and not index_path.is_dir():
        raise IndexNotFound(f"{index_path} is a file, no index.", "Name the folder of an index.")
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        require_not_lost(index_path)
        raise IndexNotFound(
            f"There is no index in {index_path}.",
            f"Make one with: lmk index PATH --index {index_path}",
        ) from None
    except (OSError, ValueError) as error:
        raise IndexMismatch(f"{file} cannot be read: {error}.", _rebuild(index_path)) from error
    return parse_manifest(text, f"The index in {index_path}", _rebuild(index_path))


def parse_manifest(text: str, index: str, fix: str) -> Manifest:
    """The manifest that ``text`` is. Raises IndexMismatch, which names ``index`` and ``fix``."""
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise IndexMismatch(f"{index} has an {FILE_NAME} that is no JSON: {error}.", fix) from error
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if version != SCHEMA_VERSION:
        raise IndexMismatch(
            f"{index} was made by another version of lmk: "
            f"its schema is {version}, this program's is {SCHEMA_VERSION}.",
            fix,
        )
    wrong = [key for key, value in raw.items() if not _may_be(key, value)]
    if wrong:
        raise IndexMismatch(
            f"{index} has an {FILE_NAME} with a wrong value: {wrong[0]} is {raw[wrong[0]]!r:.40}.",
            fix,
        )
    try:
        return Manifest(**{**raw, "roots": tuple(raw["roots"])})
    except (TypeError, KeyError) as error:
        raise IndexMismatch(
            f"{index} has an {FILE_NAME} that lacks or has unknown keys: {error}.", fix
        ) from error


def _may_be(key: str, value: Any) -> bool:
    """Whether the manifest may say ``value`` of ``key``."""
    if key in ("dimension", "generation", "schema_version"):
        least = 1 if key == "dimension" else 0
        return isinstance(value, int) and not isinstance(value, bool) and least <= value < 1 << 31
    if key == "roots":
        return isinstance(value, list) and all(isinstance(r, str) and "\0" not in r for r in value)
    if key == "tables":
        return _is_tables(value)
    return isinstance(value, str) or (key == "model_path" and value is None)


def _is_tables(value: Any) -> bool:
    """Whether it names a folder of tables, and none elsewhere."""
    return isinstance(value, str) and _TABLES.fullmatch(value) is not None


def require_not_lost(index_path: Path) -> None:
    """Raise IndexDamaged if tables that hold something lie in a folder without ``index.json``.

    One that is written into tables while nobody sees them is inside their folder; and tables that
    a first run has only made are empty.
    """
    if (index_path / FILE_NAME).exists():
        return
    for data in index_path.glob("tables-*/files.lance/data"):
        if any(data.iterdir()) and not (data.parents[1] / FILE_NAME).exists():
            raise IndexDamaged(
                f"The index in {index_path} is damaged: its {FILE_NAME} is missing.",
                "Put it back, or make the index anew from its files: "
                f"lmk index --rebuild PATH --index {index_path}",
            )


def read_foreign_manifest(index_path: Path) -> tuple[tuple[str, ...], str | None]:
    """Roots and tables folder of an index that ``read_manifest`` refuses, as far as it tells."""
    try:
        raw = json.loads((index_path / FILE_NAME).read_text(encoding="utf-8"))
        roots = tuple(root for root in raw.get("roots", ()) if isinstance(root, str))
        tables = raw.get("tables")
        return roots, tables if _is_tables(tables) else None
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
