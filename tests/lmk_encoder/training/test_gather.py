"""Two processes together against one that has all of it: the gradients must be the same."""

import subprocess
import sys
from pathlib import Path

import torch

from lmk_encoder.training.config import LossSettings
from lmk_encoder.training.objective import Encoded, Objective

ROOT = Path(__file__).parents[3]
LOSSES = [
    LossSettings(kind="distillation"),
    LossSettings(kind="infonce", on="landmarks", temperature=0.1),
]


def vectors(seed, rows):
    random = torch.Generator().manual_seed(seed)
    return torch.nn.functional.normalize(torch.randn(rows, 8, generator=random), dim=1)


def gradients(queries, passages, keys, counts, labels):
    """Gradients of both vectors and the landmarks for some rows of the batch."""
    leaves = [queries, passages, passages.repeat_interleave(counts, dim=0)]
    leaves = [leaf.detach().requires_grad_() for leaf in leaves]
    asked = Encoded(leaves[0], leaves[0], torch.arange(len(queries)))
    owners = torch.arange(len(passages)).repeat_interleave(counts)
    encoded = Encoded(leaves[1], leaves[2], owners)
    objective = Objective(torch.nn.Identity(), LOSSES)
    terms = objective._ranking_terms(
        {"keys": keys[: len(queries)]}, asked, {"keys": keys}, encoded, labels
    )
    sum(terms.values()).backward()
    return [leaf.grad for leaf in leaves]


def share(rank, world):
    """The rows of one process of ``world``: two queries and four passages in all, two each."""
    queries, passages = vectors(1, 2), vectors(2, 4)
    keys, counts = torch.arange(4), torch.tensor([1, 3, 2, 1])
    labels = torch.tensor([[2.0, 1.0], [3.0, 1.0]])
    q = slice(rank * 2 // world, (rank + 1) * 2 // world)
    p = slice(rank * 4 // world, (rank + 1) * 4 // world)
    return gradients(queries[q], passages[p], keys[p], counts[p], labels[q])


def main(rank, port):
    address = f"tcp://127.0.0.1:{port}"
    torch.distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    torch.save(share(rank, 2), sys.argv[3])


def test_two_devices_have_the_gradients_of_one(tmp_path, free_port):
    """Trap T17: gradients are averaged over devices, so each device's gradient counts double."""
    files = [tmp_path / str(rank) for rank in range(2)]
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, str(rank), str(free_port), str(file)],
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT)},
        )
        for rank, file in enumerate(files)
    ]
    assert [process.wait(120) for process in processes] == [0, 0]
    shares = [torch.load(file) for file in files]

    for whole, *parts in zip(share(0, 1), *shares, strict=True):
        torch.testing.assert_close(torch.cat(parts) / 2, whole)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
