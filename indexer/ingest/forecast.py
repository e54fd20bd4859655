"""How long a run will still take: by the characters that are to be encoded.

Bytes tell little of them (a PDF may be pictures), so what files of one suffix held so far is
expected of those that wait.
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePath

from indexer.sources.files import SourceFile

_NEWEST = 0.3  # weight of a new estimate of the end beside those before
_AGE_S = 1.0  # the end is estimated anew after so long


class Forecast:
    """What is expected of a run over ``files``. Times are seconds since its start."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self._waiting: dict[str, int] = defaultdict(int)  # suffix -> bytes not read yet
        self._bytes: dict[str, int] = defaultdict(int)  # suffix -> bytes that were read
        self._chars: dict[str, int] = defaultdict(int)  # suffix -> characters found in them
        self._end_s: float | None = None
        self._estimated_s = 0.0
        for file in files:
            self._waiting[_suffix(file)] += file.size

    def was_read(self, file: SourceFile, chars: int) -> None:
        """``file`` was looked at, and ``chars`` characters of it are to be encoded."""
        suffix = _suffix(file)
        self._waiting[suffix] -= file.size
        self._bytes[suffix] += file.size
        self._chars[suffix] += chars

    @property
    def chars(self) -> float:
        """Characters that are to be encoded in the whole run, as far as it is known."""
        read, found = sum(self._bytes.values()), sum(self._chars.values())
        expected = 0.0
        for suffix, waiting in self._waiting.items():
            known = self._bytes.get(suffix, 0)
            rate = self._chars[suffix] / known if known else found / read if read else 1.0
            expected += waiting * rate
        return found + expected

    def remaining_s(self, done_chars: float, elapsed_s: float) -> float | None:
        """Seconds left, without jumps; None before a hundredth is done: it would be a guess."""
        expected = self.chars
        if not done_chars or done_chars * 100 < expected:
            return None
        if self._end_s is None or elapsed_s - self._estimated_s >= _AGE_S:
            end_s = elapsed_s * max(expected / done_chars, 1.0)
            before = end_s if self._end_s is None else self._end_s
            self._end_s = before + _NEWEST * (end_s - before)
            self._estimated_s = elapsed_s
        return max(self._end_s - elapsed_s, 0.0) if done_chars < expected else 0.0


def _suffix(file: SourceFile) -> str:
    return PurePath(file.path).suffix.lower()
