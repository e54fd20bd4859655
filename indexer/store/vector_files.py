"""The vectors of a large table once more, in files that a reader maps instead of reading.

A file for each fragment of the table, named by its number: fragments never change, so neither
do their files, and a run writes those of new fragments only. Row ``n`` of a fragment is row
``n`` of its file, float16; rows that are deleted are never asked for. The table stays the truth:
whoever finds no file reads the table instead.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

FOLDER = "vectors"
SUFFIX = ".f16"
_FRAGMENT_BITS = 32  # of a row's number: its fragment, then its place there

Fragments = NDArray[np.int64]


def split_ids(row_ids: np.ndarray) -> tuple[Fragments, NDArray[np.int64]]:
    """The fragments of rows, and their places in them."""
    numbers = row_ids.astype(np.int64)
    return numbers >> _FRAGMENT_BITS, numbers & ((1 << _FRAGMENT_BITS) - 1)


def map_vectors(folder: Path, fragment: int, num_rows: int, dimension: int) -> np.ndarray | None:
    """The first ``num_rows`` vectors of a fragment, (n, D) float16 that stay on the disk until
    they are read; None where no file holds them."""
    file = _file(folder, fragment)
    try:
        if file.stat().st_size < 2 * num_rows * dimension:
            return None
        return np.memmap(file, np.float16, "r", shape=(num_rows, dimension))
    except OSError:  # a writer has just replaced it
        return None


def missing_fragments(folder: Path, row_ids: np.ndarray, dimension: int) -> Fragments:
    """The fragments of rows that have no whole file."""
    return np.array(
        [
            fragment
            for fragment, num_rows in fragment_sizes(row_ids)
            if map_vectors(folder, fragment, num_rows, dimension) is None
        ],
        dtype=np.int64,
    )


def fragment_sizes(row_ids: np.ndarray) -> Iterator[tuple[int, int]]:
    """Fragments with the least number of rows that their files must have, in rising order."""
    fragments, places = split_ids(row_ids)
    for fragment in np.unique(fragments).tolist():
        yield fragment, int(places[fragments == fragment].max()) + 1


def write_files(folder: Path, fragments: Fragments, batches: Iterable[pa.RecordBatch]) -> None:
    """Write the files of ``fragments`` from batches of ``vector`` and ``_rowid``, each in one
    step."""
    (folder / FOLDER).mkdir(exist_ok=True)
    new = {int(f): _file(folder, f).with_suffix(f".{os.getpid()}.new") for f in fragments}
    for file in new.values():
        file.unlink(missing_ok=True)
    for batch in batches:
        of, places = split_ids(batch["_rowid"].to_numpy())
        block = vectors_of(batch)
        # Rows that follow one another go in one write.
        breaks = np.flatnonzero((np.diff(places) != 1) | (np.diff(of) != 0)) + 1
        for begin, stop in zip(np.r_[0, breaks], np.r_[breaks, len(places)], strict=True):
            if begin < stop and (target := new.get(int(of[begin]))) is not None:
                with target.open("r+b" if target.exists() else "w+b") as out:
                    out.seek(2 * int(places[begin]) * block.shape[1])
                    out.write(block[begin:stop].tobytes())
    for fragment, made in new.items():
        if made.exists():
            made.replace(_file(folder, fragment))


def spoiled_fragments(folder: Path, batches: Iterable[pa.RecordBatch]) -> set[int]:
    """Fragments whose file holds other vectors than ``batches`` of ``vector`` and ``_rowid``."""
    spoiled: set[int] = set()
    for batch in batches:
        of, places = split_ids(batch["_rowid"].to_numpy())
        block = vectors_of(batch)
        for fragment in np.unique(of).tolist():
            here = of == fragment
            mapped = map_vectors(folder, fragment, int(places[here].max()) + 1, block.shape[1])
            if mapped is not None and not np.array_equal(mapped[places[here]], block[here]):
                spoiled.add(fragment)
    return spoiled


def remove_other_files(folder: Path, keep: Fragments) -> None:
    """Remove files of fragments that are no more; a reader that maps one keeps it."""
    names = {_file(folder, fragment).name for fragment in keep}
    for file in (folder / FOLDER).glob("*"):
        if file.name not in names:
            try:
                file.unlink()
            except PermissionError:  # Windows: somebody maps it
                continue


def vectors_of(batch: pa.RecordBatch) -> np.ndarray:
    """(n, D), the column ``vector`` of a batch as it is stored."""
    flat = batch["vector"].flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(len(batch), -1))


def _file(folder: Path, fragment: int) -> Path:
    return folder / FOLDER / f"{fragment}{SUFFIX}"
