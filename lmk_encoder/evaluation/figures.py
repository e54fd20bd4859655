"""From what systems found to the figures of one set: quality with intervals, beside cost."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lmk_encoder.errors import ConfigError
from lmk_encoder.evaluation.datasets import RetrievalSet
from lmk_encoder.evaluation.localisation import passage_hits
from lmk_encoder.evaluation.metrics import MAIN_METRIC, METRICS, QueryValues, per_query
from lmk_encoder.evaluation.ranked import Ranked
from lmk_encoder.evaluation.statistics import bootstrap_interval, compare

Figures = dict[str, Any]
DEPTH_BINS = 5  # of equal width, from a document's start to its end


def figures(
    data: RetrievalSet, systems: Mapping[str, Ranked], *, against: str | None = None
) -> dict[str, Figures]:
    """The documented JSON of one set (docs/evaluation.md): system -> its figures.

    Args:
        data: the set.
        systems: what each found.
        against: the system that all others are compared with, query by query.

    Raises:
        ConfigError: ``against`` is none of them.
    """
    if against is not None and against not in systems:
        known = ", ".join(systems)
        raise ConfigError(f"There is no system {against!r} to compare with.", f"Use: {known}.")
    values = {name: per_query(data.qrels, ranked.run) for name, ranked in systems.items()}
    result = {}
    for name, ranked in systems.items():
        row = _quality(values[name]) | passage_hits(ranked.places, data.evidence)
        row |= _cost(data, ranked) | ranked.settings
        if len(data.depths) == len(data.queries):
            row["by_depth"] = by_depth(data, values[name]["accuracy@1"])
        if against is not None and against != name:
            paired = compare(values[name][MAIN_METRIC], values[against][MAIN_METRIC])
            row["compared"] = {"with": against, **paired._asdict()}
        result[name] = row
    return result


def by_depth(data: RetrievalSet, right: QueryValues) -> list[float | None]:
    """Means of ``right`` (Q,) in each fifth of the answers' depth; None where no answer stands."""
    depths = np.array([data.depths[query] for query in data.qrels])
    bins = np.minimum((depths * DEPTH_BINS).astype(int), DEPTH_BINS - 1)
    parts = [right[bins == index] for index in range(DEPTH_BINS)]
    return [float(part.mean()) if len(part) else None for part in parts]


def _quality(values: Mapping[str, QueryValues]) -> Figures:
    intervals = {name: list(bootstrap_interval(values[name])) for name in METRICS}
    means = {name: float(values[name].mean()) for name in METRICS}
    return {**means, "ci": intervals[MAIN_METRIC], "intervals": intervals}


def _cost(data: RetrievalSet, ranked: Ranked) -> Figures:
    effort, count = ranked.effort, len(data.documents)
    return {
        "tokens_per_s": effort.tokens / effort.seconds if effort.seconds else 0.0,
        "tokens_per_cpu_s": effort.tokens / effort.cpu_seconds if effort.cpu_seconds else 0.0,
        "seconds": effort.seconds,
        "cpu_seconds": effort.cpu_seconds,
        "tokens": effort.tokens,
        "vectors_per_doc": ranked.num_vectors / count,
        "bytes_per_doc": ranked.num_bytes / count,
        "documents": count,
        "queries": len(data.queries),
        "localised_queries": len(ranked.places),
    }
