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

    Half of the rows of an epoch come in batches of rows that make hard negatives for one another,
    if it is known which do: by ``clusters`` (rows,), numbers that are equal for such rows, or by
    ``neighbours`` (rows, K), the rows that are hard for each row, the hardest first.
    """

    rows: int
    weight: float
    batch: int
    clusters: IntArray | None = None
    neighbours: IntArray | None = None


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
    if source.neighbours is not None:
        batches = _neighbour_batches(order, batch, source.neighbours)
    elif source.clusters is not None:
        batches = _cluster_batches(order[: source.rows // 2], batch, source.clusters)
    if batches:
        order = random.permutation(np.setdiff1d(order, np.concatenate(batches)))
    whole = len(order) // batch * batch
    batches += order[:whole].reshape(-1, batch).tolist()
    return [batches[place] for place in random.permutation(len(batches))]


def _cluster_batches(rows: IntArray, batch: int, clusters: IntArray) -> list[list[int]]:
    """The rows in batches of one cluster; less than a batch of each is left over."""
    rows = rows[np.argsort(clusters[rows], kind="stable")]
    borders = np.flatnonzero(np.diff(clusters[rows])) + 1
    batches: list[list[int]] = []
    for cluster in np.split(rows, borders):
        batches += cluster[: len(cluster) // batch * batch].reshape(-1, batch).tolist()
    return batches


def _neighbour_batches(order: IntArray, batch: int, neighbours: IntArray) -> list[list[int]]:
    """Half of the rows in batches that grow from one row over its neighbours and theirs."""
    free = np.ones(len(order), dtype=bool)
    batches: list[list[int]] = []
    for seed in order.tolist():
        if 2 * batch * (len(batches) + 1) > len(order):
            break
        if not free[seed]:
            continue
        grown = {seed: None}  # in order of appearance
        queue = [seed]
        for row in queue:
            near = [other for other in neighbours[row].tolist() if other >= 0 and free[other]]
            new = [other for other in near if other not in grown][: batch - len(grown)]
            grown |= dict.fromkeys(new)
            queue += new
            if len(grown) == batch:
                break
        if len(grown) == batch:
            free[list(grown)] = False
            batches.append(list(grown))
    return batches
