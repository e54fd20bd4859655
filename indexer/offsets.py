"""Whole numbers in eight bytes each, where a tuple takes forty: a log has millions of lines."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import numpy as np


class Offsets(Sequence[int]):
    """An immutable sequence of integers of 64 bits. Equal to any tuple or list of the same ones;
    numpy reads it where it lies."""

    __slots__ = ("_numbers",)
    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._numbers = array("q", numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> "Offsets": ...
    def __getitem__(self, index: int | slice) -> "int | Offsets":
        found = self._numbers[index]
        return found if isinstance(found, int) else Offsets(found)

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Offsets):
            return self._numbers == other._numbers
        if isinstance(other, list | tuple):
            return len(self) == len(other) and all(map(int.__eq__, self, other))
        return NotImplemented

    def __repr__(self) -> str:
        return f"Offsets({self._numbers.tolist()})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> "np.ndarray":
        import numpy as np  # here: who only parses does without it

        numbers = np.frombuffer(memoryview(self._numbers).toreadonly(), dtype=np.int64)
        return numbers.astype(dtype or np.int64, copy=bool(copy))
