"""Which windows go through the model together (pure)."""

from collections.abc import Sequence


def plan_batches(
    lengths: Sequence[int], *, token_budget: int, equal_lengths: bool
) -> list[tuple[int, ...]]:
    """Divide windows into batches of at most ``token_budget`` ids, padding counted.

    Args:
        lengths: ids of each window.
        token_budget: ids in one batch; a longer window is a batch of its own.
        equal_lengths: never mix lengths, so that nothing is padded and no mask is needed.

    Returns:
        Indices into ``lengths``, each exactly once. Longest first: memory runs out at once or
        never, and the first batch shows the worst speed.
    """
    batches: list[tuple[int, ...]] = []
    batch: list[int] = []
    longest = 0
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        differs = equal_lengths and lengths[index] != longest
        if batch and (differs or (len(batch) + 1) * longest > token_budget):
            batches.append(tuple(batch))
            batch = []
        if not batch:
            longest = lengths[index]
        batch.append(index)
    if batch:
        batches.append(tuple(batch))
    return batches
