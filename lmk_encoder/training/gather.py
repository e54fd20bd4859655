"""Rows of all devices, as the paper gathers them; without several devices, the rows as they are."""

import torch
from torch import Tensor, distributed


def world_size() -> int:
    """Devices that train together."""
    return distributed.get_world_size() if _is_distributed() else 1


def part() -> None:
    """End what binds the devices; for a process that trains no more.

    A process that leaves it to the interpreter's end may be aborted by a thread of torch's.
    """
    if _is_distributed():
        distributed.destroy_process_group()


def gather_rows(rows: Tensor) -> Tensor:
    """Rows of all devices, the first device's first. Only our own slice carries a gradient.

    All devices must hold equally many rows of equal shape (``pad_to_longest``).
    """
    if not _is_distributed():
        return rows
    gathered = [torch.empty_like(rows) for _ in range(world_size())]
    distributed.all_gather(gathered, rows.detach().contiguous())
    gathered[distributed.get_rank()] = rows
    return torch.cat(gathered)


def pad_to_longest(rows: Tensor) -> Tensor:
    """Widen (N, L, ...) with zeros to the greatest L of all devices."""
    if not _is_distributed():
        return rows
    longest = torch.tensor(rows.shape[1], device=rows.device)
    distributed.all_reduce(longest, op=distributed.ReduceOp.MAX)
    missing = int(longest) - rows.shape[1]
    padding = rows.new_zeros(len(rows), missing, *rows.shape[2:])
    return torch.cat([rows, padding], dim=1)


def _is_distributed() -> bool:
    return distributed.is_available() and distributed.is_initialized()
