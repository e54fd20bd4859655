"""Judge readings: is this the sea, or a gull standing under the sensor?

The flags follow the order of suspicion; the first test that fails decides.
"""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

from collector.config import Gauge
from collector.frames import Reading


class Flag(IntEnum):
    """Stored with every level. Only GOOD and CALM levels are published."""

    GOOD = 1
    CALM = 2
    SPIKE = 3
    STUCK = 4
    NO_ECHO = 5
    BAD_CLOCK = 6


@dataclass(frozen=True)
class Level:
    """Water level in metres above chart datum, with the verdict on it."""

    station: str
    time: datetime
    metres: float | None
    flag: Flag


class QualityControl:
    """Keeps half an hour of accepted levels for one gauge and compares each new one to them."""

    WINDOW = timedelta(minutes=30)
    STUCK_AFTER = 12  # identical readings; even in a dead calm the millimetres move
    CALM_SPREAD_M = 0.004
    MAX_REJECTS = 6  # after so many spikes in a row the sea has really moved: start afresh

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge
        self._accepted: deque[Level] = deque()
        self._same = 0
        self._last_distance: int | None = None
        self._rejects = 0

    def judge(self, reading: Reading) -> Level:
        """Return the level with its flag. Spikes do not enter the memory, real jumps do."""
        if reading.clock_not_set:
            return self._level(reading, None, Flag.BAD_CLOCK)
        if reading.distance_mm is None:
            return self._level(reading, None, Flag.NO_ECHO)
        metres = self._gauge.sensor_height_m - reading.distance_mm / 1000
        self._count_repeats(reading.distance_mm)
        if self._same >= self.STUCK_AFTER:
            return self._level(reading, metres, Flag.STUCK)
        self._forget_before(reading.time - self.WINDOW)
        if self._is_spike(metres, reading.time):
            self._rejects += 1
            if self._rejects < self.MAX_REJECTS:
                return self._level(reading, metres, Flag.SPIKE)
            self._accepted.clear()
        self._rejects = 0
        flag = Flag.CALM if self._spread() < self.CALM_SPREAD_M else Flag.GOOD
        level = self._level(reading, metres, flag)
        self._accepted.append(level)
        return level

    def _is_spike(self, metres: float, time: datetime) -> bool:
        """Compare with the median of the last three accepted levels, not with the mean:
        one boat wake among them must not move the yardstick."""
        if len(self._accepted) < 3:
            return False
        recent = list(self._accepted)[-3:]
        middle = statistics.median(level.metres for level in recent)
        minutes = max((time - recent[1].time).total_seconds() / 60, 1.0)
        return abs(metres - middle) > self._gauge.allowed_rate_m_per_min * minutes + 0.05

    def _spread(self) -> float:
        if len(self._accepted) < 10:
            return float("inf")
        return statistics.pstdev(level.metres for level in self._accepted)

    def _count_repeats(self, distance: int) -> None:
        self._same = self._same + 1 if distance == self._last_distance else 0
        self._last_distance = distance

    def _forget_before(self, time: datetime) -> None:
        while self._accepted and self._accepted[0].time < time:
            self._accepted.popleft()

    def _level(self, reading: Reading, metres: float | None, flag: Flag) -> Level:
        return Level(reading.station, reading.time, metres, flag)
