"""What a run leaves to read: ``metrics.jsonl``, a line every few steps, and ``curves.png``.

The only file that knows matplotlib.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

METRICS_FILE, CURVES_FILE = "metrics.jsonl", "curves.png"


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far a run is. Seconds and tokens count from where this process began."""

    step: int
    steps: int
    first_step: int
    tokens: int
    elapsed_s: float
    loss: float | None

    @property
    def tokens_per_s(self) -> float:
        """Tokens that went through the model a second."""
        return self.tokens / self.elapsed_s if self.elapsed_s else 0.0

    @property
    def remaining_s(self) -> float | None:
        """Seconds still to go at the speed so far; None before the first step."""
        done = self.step - self.first_step
        return self.elapsed_s / done * (self.steps - self.step) if done else None


ProgressCallback = Callable[[TrainingProgress], None]


class Journal:
    """The metrics of a run folder.

    Args:
        folder: the run folder.
        resume_from: steps already done; lines of later ones, written after the last checkpoint,
            are dropped, so that the file is that of an undisturbed run.
    """

    def __init__(self, folder: Path, *, resume_from: int = 0) -> None:
        self._folder = folder
        self._path = folder / METRICS_FILE
        self._rows = [row for row in read_metrics(folder) if row["step"] <= resume_from]
        text = "".join(json.dumps(row) + "\n" for row in self._rows)
        self._path.write_text(text, encoding="utf-8")

    def add(self, row: dict[str, Any]) -> None:
        """Append a line; it holds ``step``."""
        self._rows.append(row)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def draw(self) -> None:
        """Draw ``curves.png`` anew."""
        draw_curves(self._rows, self._folder / CURVES_FILE)


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run folder's metrics; none if there is no file yet."""
    path = folder / METRICS_FILE
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def draw_curves(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """A picture with the loss and its terms, the accuracy within the batch, and the rate."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 9), layout="constrained")
    loss, accuracy, rate = figure.subplots(3, 1, sharex=True)
    terms = sorted({key for row in rows for key in row if key.startswith("loss")})
    for axis, keys in ((loss, terms), (accuracy, ["accuracy"]), (rate, ["learning_rate"])):
        for key in keys:
            points = [(row["step"], row[key]) for row in rows if row.get(key) is not None]
            if points:
                axis.plot(*zip(*points, strict=True), label=key, linewidth=1)
        axis.grid(alpha=0.3)
        if axis.has_data():
            axis.legend(fontsize="small")
    rate.set_xlabel("step")
    figure.savefig(path, dpi=100)
