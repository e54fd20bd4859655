"""Length extrapolation: hidden sentences by length and depth, through all systems."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from lmk_encoder.evaluation.figures import Figures, figures
from lmk_encoder.evaluation.needles import (
    NEEDLE_TASKS,
    RULER_TASKS,
    HiddenSet,
    make_hidden_set,
)
from lmk_encoder.evaluation.prose import generated, taken_from
from lmk_encoder.evaluation.ranked import Ranked

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
    """Name and figures of every set, as ``figures`` gives them."""
    for hidden in sets:
        systems = {
            name: replace(ranked, run=hidden.fair(ranked.run))
            for name, ranked in run(hidden).items()
        }
        yield hidden.data.name, figures(hidden.data, systems, against=against)
