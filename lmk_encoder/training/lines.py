"""Any line of a JSON Lines file at once, compressed or not: what shuffled training reads."""

import gzip
import json
import lzma
import mmap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.errors import DataError

_DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".xz": lzma.decompress}


class JsonLines:
    """The lines of a ``.jsonl`` file by number; blank ones are left out.

    A plain file is mapped, so that one of many gigabytes costs no memory; ``.gz`` and ``.xz``
    are unpacked into memory. Can be sent to worker processes: each opens the file anew.

    Raises:
        DataError: the file is missing or cannot be unpacked; a line is no JSON object.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._content = _content(path)
        except (OSError, EOFError, lzma.LZMAError) as error:
            fix = "Name a file of JSON objects, one a line."
            raise DataError(f"{path} cannot be read: {error}.", fix) from error
        self._ranges, self._numbers = _line_ranges(self._content)

    def __reduce__(self) -> tuple[type["JsonLines"], tuple[Path]]:
        return (JsonLines, (self.path,))

    def __len__(self) -> int:
        return len(self._ranges)

    def __getitem__(self, row: int) -> dict[str, Any]:
        start, end = self._ranges[row]
        try:
            value = json.loads(self._content[start:end])
        except ValueError as error:
            what = f"{self.where(row)} is no JSON: {error}."
            raise DataError(what, "Mend or delete the line.") from error
        if not isinstance(value, dict):
            raise DataError(f"{self.where(row)} is no JSON object.", "Mend or delete the line.")
        return value

    def where(self, row: int) -> str:
        """``file:line`` of a row, for messages."""
        return f"{self.path}:{self._numbers[row]}"


def _content(path: Path) -> bytes | mmap.mmap:
    unpack = _DECOMPRESS.get(path.suffix)
    if unpack is not None:
        return unpack(path.read_bytes())
    with path.open("rb") as file:
        if path.stat().st_size == 0:  # an empty file cannot be mapped
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _line_ranges(
    content: bytes | mmap.mmap,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Byte range (N, 2) and 1-based number (N,) of every line that is not blank."""
    ranges: list[tuple[int, int]] = []
    numbers: list[int] = []
    start, number = 0, 0
    while start < len(content):
        number += 1
        found = content.find(b"\n", start)
        end = len(content) if found == -1 else found
        if content[start:end].strip():
            ranges.append((start, end))
            numbers.append(number)
        start = end + 1
    return np.array(ranges, np.int64).reshape(-1, 2), np.array(numbers, np.int64)
