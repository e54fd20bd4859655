"""Surge alarms with hysteresis, so that a level which trembles on the limit does not ring twice."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from collector.config import Gauge
from collector.quality import Flag, Level

logger = logging.getLogger(__name__)


class State(Enum):
    """Where an alarm stands."""

    QUIET = "quiet"
    WATCH = "watch"
    RAISED = "raised"


@dataclass(frozen=True)
class Notice:
    """Something a person should read."""

    station: str
    time: datetime
    state: State
    surge_m: float
    text: str


class SurgeAlarm:
    """Raises after three readings above the limit, clears after an hour fifteen below 80 per cent.

    A single gauge cannot raise an alarm alone where it has neighbours: at least one of them must
    show half the surge within the last twenty minutes. A broken mounting bracket at Norhavn once
    got forty people out of bed.
    """

    CONFIRMATIONS = 3
    CLEAR_SHARE = 0.8
    CLEAR_AFTER = timedelta(minutes=75)
    NEIGHBOUR_SHARE = 0.5
    NEIGHBOUR_AGE = timedelta(minutes=20)

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge
        self.state = State.QUIET
        self._above = 0
        self._below_since: datetime | None = None

    def update(
        self, level: Level, surge_m: float, neighbours: dict[str, tuple[datetime, float]]
    ) -> Notice | None:
        """Take one judged level; return a notice when the state changes, else None."""
        if level.flag not in (Flag.GOOD, Flag.CALM):
            return None
        if surge_m >= self._gauge.surge_alarm_m:
            self._below_since = None
            self._above += 1
            return self._maybe_raise(level, surge_m, neighbours)
        self._above = 0
        if self.state is State.WATCH:
            return self._change(State.QUIET, level, surge_m, "surge fell before it was confirmed")
        if self.state is State.RAISED:
            return self._maybe_clear(level, surge_m)
        return None

    def _maybe_raise(
        self, level: Level, surge_m: float, neighbours: dict[str, tuple[datetime, float]]
    ) -> Notice | None:
        if self.state is State.QUIET:
            return self._change(State.WATCH, level, surge_m, "surge above the limit")
        enough = self._above >= self.CONFIRMATIONS
        if self.state is State.WATCH and enough and self._supported(level, neighbours):
            return self._change(State.RAISED, level, surge_m, "surge confirmed")
        return None

    def _maybe_clear(self, level: Level, surge_m: float) -> Notice | None:
        if surge_m > self.CLEAR_SHARE * self._gauge.surge_alarm_m:
            self._below_since = None
            return None
        self._below_since = self._below_since or level.time
        if level.time - self._below_since >= self.CLEAR_AFTER:
            return self._change(State.QUIET, level, surge_m, "surge has passed")
        return None

    def _supported(self, level: Level, neighbours: dict[str, tuple[datetime, float]]) -> bool:
        if not self._gauge.neighbours:
            return True
        needed = self.NEIGHBOUR_SHARE * self._gauge.surge_alarm_m
        return any(
            level.time - time <= self.NEIGHBOUR_AGE and surge >= needed
            for code, (time, surge) in neighbours.items()
            if code in self._gauge.neighbours
        )

    def _change(self, state: State, level: Level, surge_m: float, text: str) -> Notice:
        logger.info("%s: %s -> %s", self._gauge.code, self.state.value, state.value)
        self.state = state
        return Notice(level.station, level.time, state, surge_m, f"{self._gauge.name}: {text}")
