"""An index as one portable file: a zip of ``index.json`` and a stream of Arrow batches a table.

Whatever version of the engine or of its files: the rows are what counts, and they are read back
batch by batch, so that memory stays flat. The zip's checksums tell a damaged file.
"""

import errno
import json
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from indexer.errors import DiskFull, IndexMismatch
from indexer.store import schema
from indexer.store.manifest import FILE_NAME, Manifest, parse_manifest, write_manifest
from indexer.store.session import next_tables, other_tables
from indexer.store.tables import Tables
from lmk_encoder.errors import ConfigError

_BATCH_ROWS = 4096
_WRITE_BYTES = 256 << 20  # rows are written back in pieces of about this size
_TABLES = ("landmarks", "documents", "files")  # in the order of the commit rule


def write_archive(file: Path, manifest: Manifest, tables: Tables) -> None:
    """Write what is visible. The file appears when it is whole, and must not be there yet.

    Raises ConfigError: the file is there already, or its folder is missing or not to be written.
    """
    if file.exists():
        raise ConfigError(f"{file} is there already.", "Name another file, or remove it.")
    shown = pa.array(tables.read(tables.files, ["doc_id"])["doc_id"].drop_null().unique())
    new = file.with_name(f"{file.name}.new")
    try:
        new.touch()
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be written: {error.strerror}.", "Name a file in a folder that can be."
        ) from error
    try:
        _write(new, manifest, tables, shown)
        new.replace(file)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            what = f"{file} cannot be written: the disk is full."
            raise DiskFull(what, "Make room, or name a file on another disk.") from error
        raise
    finally:
        new.unlink(missing_ok=True)


def _write(new: Path, manifest: Manifest, tables: Tables, shown: pa.Array) -> None:
    with zipfile.ZipFile(new, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr(FILE_NAME, json.dumps(asdict(manifest)))
        for name in _TABLES:
            table = getattr(tables, name)
            with archive.open(f"{name}.arrows", "w", force_zip64=True) as stream:
                options = pa.ipc.IpcWriteOptions(compression="zstd")
                with pa.ipc.new_stream(stream, table.schema, options=options) as writer:
                    for batch in tables.batches(table, _BATCH_ROWS):
                        if name != "files":
                            batch = batch.filter(pc.is_in(batch["doc_id"], value_set=shown))
                        writer.write_batch(batch.cast(table.schema))


def read_archive(file: Path, index_path: Path) -> None:
    """Make the tables and then ``index.json`` in ``index_path``, where there is no index yet.

    Nothing stays of one that fails, so that it can be tried again; what a killed one left goes.
    Raises ConfigError.
    """
    _clear(index_path)
    try:
        manifest = _read_tables(file, index_path)
    except BaseException:
        _clear(index_path)
        raise
    write_manifest(index_path, manifest)
    (index_path / manifest.tables / FILE_NAME).unlink()


def _clear(index_path: Path) -> None:
    for name in other_tables(index_path, None, unfinished=True):
        shutil.rmtree(index_path / name)


def _read_tables(file: Path, index_path: Path) -> Manifest:
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = _manifest_of(archive, index_path)
            tables = Tables.create(index_path / manifest.tables, manifest.dimension)
            for name in _TABLES:
                with archive.open(f"{name}.arrows") as stream:
                    for piece in _pieces(stream, _schema_of(name, manifest.dimension)):
                        tables.append(getattr(tables, name), piece)
                    stream.read()  # what is behind the rows; at its end the checksum is looked at
            tables.optimize()
            return manifest
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, pa.ArrowException) as error:
        raise ConfigError(
            f"{file} cannot be read as an exported index: {error}.", "Export it anew: lmk export."
        ) from error


def _manifest_of(archive: zipfile.ZipFile, index_path: Path) -> Manifest:
    """The manifest inside, checked. It stays in the folder of the tables while they are filled:
    the sign that they are no index yet."""
    text = archive.read(FILE_NAME).decode()
    try:
        inside = parse_manifest(text, "the index in it", "")
    except IndexMismatch as error:
        raise ValueError(error.what.removesuffix(".")) from error
    manifest = replace(inside, tables=next_tables(None), identity=secrets.token_hex(8))
    (index_path / manifest.tables).mkdir(exist_ok=True)
    write_manifest(index_path / manifest.tables, manifest)
    return manifest


def _schema_of(name: str, dimension: int) -> pa.Schema:
    if name == "files":
        return schema.FILES
    return schema.documents(dimension) if name == "documents" else schema.landmarks(dimension)


def _pieces(stream: Any, expected: pa.Schema) -> Iterator[pa.Table]:
    batches: list[pa.RecordBatch] = []
    with pa.ipc.open_stream(stream) as reader:
        if reader.schema != expected:
            raise ValueError("a table has other columns")
        for batch in reader:
            batches.append(batch)
            if sum(b.nbytes for b in batches) >= _WRITE_BYTES:
                yield pa.Table.from_batches(batches)
                batches = []
    if batches:
        yield pa.Table.from_batches(batches)
