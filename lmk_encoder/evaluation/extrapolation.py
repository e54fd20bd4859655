"""Length extrapolation: hidden sentences by length and depth, through all systems."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from lmk_encoder.evaluation.figures import Figures, figures
from lmk_encoder.evaluation.metrics import per_query
from lmk_encoder.evaluation.needles import (
    NEEDLE_TASKS,
    RULER_TASKS,
    HiddenSet,
    make_hidden_set,
)
from lmk_encoder.evaluation.prose import generated, taken_from
from lmk_encoder.evaluation.ranked import Ranked

DEPTH_BINS = 5  # of equal width, from a document's start to its end
Run = Callable[[HiddenSet], Mapping[str, Ranked]]


def hidden_sets(
    *, needle: bool, ruler: bool, lengths: Sequence[int], documents: int, seed: int, hay: str | None
) -> Iterator[HiddenSet]:
    """The sets of needle and passkey, and of RULER's tasks, each at every length in words.

    ``hay`` is a text to hide the sentences in; None is generated prose.
    """
    tasks = (*(NEEDLE_TASKS if needle else ()), *(RULER_TASKS if ruler else ()))
    prose = generated if hay is None else partial(taken_from, hay)
    for task in tasks:
        for words in sorted(set(lengths)):
            yield make_hidden_set(task, words, documents=documents, seed=seed, hay=prose)


def extrapolation(
    sets: Iterable[HiddenSet], run: Run, *, against: str
) -> Iterator[tuple[str, dict[str, Figures]]]:
    """Name and figures of every set, as ``figures`` gives them, and ``by_depth``.

    ``by_depth`` is accuracy@1 in each of ``DEPTH_BINS`` bins of the answer's depth, None where
    no answer stands.
    """
    for hidden in sets:
        systems = {
            name: replace(ranked, run=hidden.fair(ranked.run))
            for name, ranked in run(hidden).items()
        }
        result = figures(hidden.data, systems, against=against)
        for name, ranked in systems.items():
            result[name]["by_depth"] = by_depth(hidden, ranked)
        yield hidden.data.name, result


def by_depth(hidden: HiddenSet, ranked: Ranked) -> list[float | None]:
    """accuracy@1 in every bin of depth."""
    right = per_query(hidden.data.qrels, ranked.run)["accuracy@1"]
    depths = np.array([hidden.depths[query] for query in hidden.data.qrels])
    bins = np.minimum((depths * DEPTH_BINS).astype(int), DEPTH_BINS - 1)
    return [
        float(right[bins == i].mean()) if (bins == i).any() else None for i in range(DEPTH_BINS)
    ]
