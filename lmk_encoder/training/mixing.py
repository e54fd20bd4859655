"""Which rows make up each batch: every batch from one source, sources drawn by weight (pure)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.training.examples import Key

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Mix:
    """What the sampler needs to know of a source.

    ``clusters`` (rows,) are numbers, equal for rows that make hard negatives for one another: half
    of the rows of an epoch come in batches of one cluster. None: all come at random.
    """

    rows: int
    weight: float
    batch: int
    clusters: IntArray | None = None


class MixedBatches:
    """Batches of keys, as a batch sampler of torch; the same seed gives the same batches.

    Args:
        sources: at least one; rows of each are shuffled anew whenever all were seen.
        rounds: batches each device gets.
        devices: so many batches in a row come from one source, so that all devices work on the
            same one and their passages can serve one another as negatives.
        seed: of the draw of sources and of the shuffling.
    """

    def __init__(self, sources: Sequence[Mix], *, rounds: int, devices: int, seed: int) -> None:
        self._sources = list(sources)
        self._rounds, self._devices, self._seed = rounds, devices, seed

    def __len__(self) -> int:
        return self._rounds * self._devices

    def __iter__(self) -> Iterator[list[Key]]:
        streams = [self._stream(index) for index in range(len(self._sources))]
        weights = np.array([source.weight for source in self._sources])
        draws = np.random.default_rng([self._seed, len(self._sources)])
        for _ in range(self._rounds):
            index = int(draws.choice(len(weights), p=weights / weights.sum()))
            for _ in range(self._devices):
                yield next(streams[index])

    def _stream(self, index: int) -> Iterator[list[Key]]:
        visit = 0
        while True:
            random = np.random.default_rng([self._seed, index, visit])
            for batch in epoch_batches(self._sources[index], random):
                yield [Key(index, row, visit) for row in batch]
            visit += 1


def epoch_batches(source: Mix, random: np.random.Generator) -> list[list[int]]:
    """The rows of one epoch in batches: no row twice, and fewer than a batch left out.

    A source of fewer rows than a batch gives one batch of all of them.
    """
    order = random.permutation(source.rows)
    batch = min(source.batch, source.rows)
    batches: list[list[int]] = []
    if source.clusters is not None:
        half = order[: source.rows // 2]
        half = half[np.argsort(source.clusters[half], kind="stable")]
        borders = np.flatnonzero(np.diff(source.clusters[half])) + 1
        left = [order[source.rows // 2 :]]
        for cluster in np.split(half, borders):
            whole = len(cluster) // batch * batch
            batches += cluster[:whole].reshape(-1, batch).tolist()
            left.append(cluster[whole:])
        order = random.permutation(np.concatenate(left))
    whole = len(order) // batch * batch
    batches += order[:whole].reshape(-1, batch).tolist()
    return [batches[place] for place in random.permutation(len(batches))]
