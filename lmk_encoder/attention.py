"""Attention within each of several sequences that lie one after another, without padding.

On a GPU one kernel takes sequences of all lengths. On a CPU there is none: each run of equal
lengths is one call, so that neither padding nor masks are needed.
"""

from collections.abc import Sequence
from itertools import groupby

import torch
import torch.nn.functional as F  # noqa: N812 - its name in every torch program
from torch import Tensor


def attend(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    *,
    num_queries: Sequence[int],
    num_keys: Sequence[int],
) -> Tensor:
    """Scaled dot product attention, sequence by sequence.

    Args:
        queries: (N, heads, head), those of all sequences; rows behind the last are ignored.
        keys: (M, heads, head), and ``values`` alike.
        num_queries: of each sequence.
        num_keys: of each sequence.

    Returns:
        (N, heads * head); zeros in rows behind the last sequence.
    """
    if queries.is_cuda and num_queries == num_keys:
        mixed = attend_nested(queries, keys, values, num_keys)
    else:
        mixed = _attend_runs(queries, keys, values, num_queries, num_keys)
    unused = len(queries) - len(mixed)
    return F.pad(mixed, (0, 0, 0, unused)) if unused else mixed


def _attend_runs(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    num_queries: Sequence[int],
    num_keys: Sequence[int],
) -> Tensor:
    parts: list[Tensor] = []
    shape = queries.shape[1:]  # heads, head
    query = key = 0
    for (queried, length), run in groupby(zip(num_queries, num_keys, strict=True)):
        count = len(list(run))
        query_end, key_end = query + count * queried, key + count * length
        if queried == 0:
            key = key_end
            continue
        mixed = F.scaled_dot_product_attention(
            queries[query:query_end].view(count, queried, *shape).transpose(1, 2),
            keys[key:key_end].view(count, length, *shape).transpose(1, 2),
            values[key:key_end].view(count, length, *shape).transpose(1, 2),
        )  # (count, heads, queried, head)
        parts.append(mixed.transpose(1, 2).flatten(2).flatten(0, 1))
        query, key = query_end, key_end
    return torch.cat(parts) if len(parts) > 1 else parts[0]


def attend_nested(queries: Tensor, keys: Tensor, values: Tensor, lengths: Sequence[int]) -> Tensor:
    """The same for as many queries as keys, in one call of torch's kernels for ragged batches."""
    ends = torch.tensor([0, *lengths]).cumsum(0).to(queries.device, non_blocking=True)
    total, longest, shortest = sum(lengths), max(lengths), min(lengths)
    ragged_queries, ragged_keys, ragged_values = (
        torch.nested.nested_tensor_from_jagged(
            part[:total], ends, min_seqlen=shortest, max_seqlen=longest
        ).transpose(1, 2)
        for part in (queries, keys, values)
    )
    mixed = F.scaled_dot_product_attention(ragged_queries, ragged_keys, ragged_values)
    return mixed.transpose(1, 2).values().flatten(1)
