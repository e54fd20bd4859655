"""lancedb, loaded without the client for catalogue servers that it brings along.

That client (``lance_namespace``, hundreds of pydantic models) takes longer to load than all the
rest, and is used for remote catalogues only. While lancedb is imported, empty classes stand in
for it; who imports the client itself afterwards gets the real one.
"""

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pyarrow as pa

from lmk_encoder.process import require_own_process

_CLIENT = ("lance_namespace", "lance_namespace_urllib3_client")


class _StandIn(ModuleType):
    """A module that has every class one asks for, each an empty one of its own."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        base = Exception if name.endswith("Error") else object
        return _stand_ins.setdefault(name, type(name, (base,), {}))


_stand_ins: dict[str, type] = {}  # one class a name: lancedb compares signatures


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in _CLIENT:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = _StandIn(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is in it."""


@contextmanager
def _without_the_client() -> Iterator[None]:
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.partition(".")[0] in _CLIENT]:
            del sys.modules[name]


if "lancedb" in sys.modules or any(name in sys.modules for name in _CLIENT):
    import lancedb  # somebody has loaded it all: nothing to save
else:
    with _without_the_client():
        import lancedb

LOOP = lancedb.background_loop.LOOP
FTS, BTree, IvfRq = lancedb.index.FTS, lancedb.index.BTree, lancedb.index.IvfRq
MatchQuery = lancedb.query.MatchQuery


def connect(folder: str) -> Any:
    """A connection to the tables in a folder. Raises LmkError in a forked process."""
    require_own_process("LanceDB", "an index")
    return lancedb.connect(folder)


def is_failure(error: BaseException) -> bool:
    """Whether the engine raises such a thing where it cannot read or write: ValueError for a table
    that is missing, and what stands for a panic of its own where bytes make no sense."""
    is_panic = type(error).__module__.startswith("pyo3_")
    return is_panic or isinstance(error, RuntimeError | OSError | ValueError)


def query_of(table: Any) -> Any:
    """A query on a table, for ``run``. The table's own blocking queries go to the engine and
    back five times for what this does at once."""
    return table._table.query()


def run(query: Any) -> pa.Table:
    """The rows that a query finds."""
    return LOOP.run(query.to_arrow())
