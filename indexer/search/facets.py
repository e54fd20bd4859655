"""How many results have which type, folder, language and year. Counts of distinct texts."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.query.language import Condition, Field
from indexer.search.masks import Masks, paths_meeting
from indexer.search.results import FacetCount, FacetName
from indexer.search.snapshot import CatalogueEntry

MOST = 12  # values of one facet

_OF: dict[FacetName, tuple[tuple[str, ...], Callable[[CatalogueEntry], str]]] = {
    # facet: the fields that choose among its values, the value of a document
    "type": (("type",), lambda entry: entry.kind),
    "language": (("lang",), lambda entry: entry.language),
    "year": (("after", "before"), lambda entry: year_of(entry.modified)),
}


def count_facets(
    documents: Sequence[CatalogueEntry],
    same: NDArray[np.int64],
    conditions: Sequence[Condition],
    masks: Masks,
) -> dict[FacetName, tuple[FacetCount, ...]]:
    """Facets of a query's results; equal numbers in ``same`` are counted once.

    Types, languages and years are counted as if none of their kind were chosen yet, so that
    another can be; folders are those within the folder that all results share.
    """
    facets = {}
    for name, (fields, value_of) in _OF.items():
        others = [c for c in conditions if c.negated or c.field not in fields]
        within = np.flatnonzero(masks.allowed(others)).tolist()
        facets[name] = _counts(name, [(value_of(documents[i]), same[i]) for i in within])
    within = np.flatnonzero(masks.allowed(conditions)).tolist()
    facets["folder"] = _folders(
        [(path, int(same[i])) for i in within for path in paths_meeting(documents[i], conditions)]
    )
    return facets


def year_of(modified: int) -> str:
    """The year of nanoseconds since the epoch, in UTC; "" for the epoch itself."""
    if not modified:
        return ""
    return f"{datetime.fromtimestamp(modified // 1_000_000_000, UTC).year:04}"


def _counts(name: FacetName, values: Sequence[tuple[str, Any]]) -> tuple[FacetCount, ...]:
    counted = Counter(value for value, _ in set(values) if value)
    if name == "year":
        ordered = sorted(counted.items(), reverse=True)
    else:
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(FacetCount(v, n, condition_of(name, v)) for v, n in ordered[:MOST])


def condition_of(name: FacetName, value: str) -> str:
    """What keeps the results with a value: ``type:pdf``, ``after:2024 before:2025``."""
    if name == "year":
        return f"after:{value} before:{int(value) + 1:04}"
    field: Any = {"type": "type", "language": "lang", "folder": "path"}[name]
    return str(Field(field, _writable(value)))


def _writable(value: str) -> str:
    """A folder's name as a glob that can be written between quotation marks."""
    return "".join("?" if c == '"' or not c.isprintable() else c for c in value)


def _folders(paths: Sequence[tuple[str, int]]) -> tuple[FacetCount, ...]:
    folders = [(path.rpartition("/")[0], same) for path, same in paths]
    if not folders:
        return ()
    parts = {folder: folder.split("/") for folder, _ in folders}
    first, last = min(parts.values()), max(parts.values())
    shared = [
        a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    ]
    depth = len(shared)
    below = {("/".join(parts[folder][depth : depth + 1]), same) for folder, same in folders}
    counted = Counter(name for name, _ in below if name)
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    base = "".join(f"{part}/" for part in shared)
    return tuple(FacetCount(n, c, condition_of("folder", f"{base}{n}")) for n, c in ordered)
