"""What was used last, by key. For any number of threads."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The values of the ``most`` keys that were asked for or kept last.

    It may forget a value as soon as another is kept: who needs one holds on to it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._guard = threading.Lock()

    def known(self, keys: Iterable[K]) -> dict[K, V]:
        """The values of those keys that are known; these become the youngest."""
        with self._guard:
            found = {key: self._values[key] for key in keys if key in self._values}
            for key in found:
                self._values.move_to_end(key)
            return found

    def keep(self, values: Mapping[K, V]) -> None:
        """Know these as well, and forget the oldest of too many."""
        with self._guard:
            self._values.update(values)
            for key in values:
                self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
