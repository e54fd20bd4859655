"""The LanceDB index of a vector column: lists of neighbours, a bit for each dimension.

With 384 dimensions a row takes 60 bytes of it. A quarter of the lists is looked through for
every query: at a bit for each dimension that costs little, and it finds what fewer would miss
(docs/experiments.md). Whoever asks compares what it names exactly.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from indexer.store.lance import IvfRq, query_of, run

LIST_ROWS = 1_000  # rows in one list
PROBED_SHARE = 0.25  # of the lists, for a query
LEAST_PROBED = 16
REGROWN = 2.0  # an index is trained anew when its table has grown so many times over
TRAINING_ROWS = 64  # for each list: more takes minutes for a million rows, and finds no more
TRAINING_ROUNDS = 20
PREFIX = "vector_"  # of its name; then the number of its lists, which nothing else tells


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """An index: its name, its lists, the rows that are in it."""

    name: str
    lists: int
    rows: int


def find_index(table: Any) -> VectorIndex | None:
    """The vector index of a table, if it has one."""
    for index in table.list_indices():
        if index.name.startswith(PREFIX):
            lists = int(index.name.removeprefix(PREFIX))
            return VectorIndex(index.name, lists, int(index.num_indexed_rows))
    return None


def train_index(table: Any, *, at_least: int) -> None:
    """Give a table of ``at_least`` so many rows an index, and train an outgrown one anew.

    ``optimize`` folds new rows in, but the lists stay those of the rows they were made for.
    Raises RuntimeError if the new index does not hold every row.
    """
    number, before = table.count_rows(), find_index(table)
    if number < max(1, at_least):
        return
    if before is not None and number < REGROWN * before.lists * LIST_ROWS:
        return
    lists = max(1, number // LIST_ROWS)
    config = IvfRq(
        distance_type="cosine",
        num_partitions=lists,
        sample_rate=TRAINING_ROWS,
        max_iterations=TRAINING_ROUNDS,
    )
    table.create_index("vector", config=config, name=f"{PREFIX}{lists}")
    if before is not None and before.lists != lists:
        table.drop_index(before.name)
    made = find_index(table)
    if made is None or made.rows != number:
        held = made.rows if made else 0
        raise RuntimeError(f"the vector index of {table.name} holds {held} of {number} rows")


def nearest_rows(
    table: Any, vector: np.ndarray, number: int, index: VectorIndex | None
) -> np.ndarray:
    """The table's numbers of about the ``number`` rows nearest to a vector; without an index
    of exactly these. Rows that are not in the index yet are compared one by one."""
    query = query_of(table).nearest_to(vector).column("vector").distance_type("cosine")
    if index is not None:
        query = query.nprobes(max(LEAST_PROBED, round(index.lists * PROBED_SHARE)))
    found = run(query.limit(number).with_row_id().select(["_rowid", "_distance"]))
    return np.asarray(found["_rowid"].to_numpy())
