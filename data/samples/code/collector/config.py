"""Settings of the collector, read once from an INI file and checked before anything starts."""

from __future__ import annotations

import configparser
from dataclasses import dataclass, field
from pathlib import Path


class ConfigError(ValueError):
    """A setting is missing or makes no sense; the message names section and key."""


@dataclass(frozen=True)
class Gauge:
    """One station: where it stands and how its readings become metres above chart datum."""

    code: str
    name: str
    sensor_height_m: float
    allowed_rate_m_per_min: float = 0.08
    surge_alarm_m: float = 0.60
    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """Everything the service needs to know; nothing else reads the environment."""

    listen_host: str = "0.0.0.0"
    listen_port: int = 7411
    database: Path = Path("tidewatch.sqlite")
    idle_timeout_s: float = 330.0
    keep_raw_days: int = 400
    gauges: dict[str, Gauge] = field(default_factory=dict)


def load_settings(path: Path) -> Settings:
    """Read an INI file with a ``[service]`` section and one ``[gauge CODE]`` for each station.

    Raises:
        ConfigError: if a gauge has no sensor height, or names a neighbour that is not configured.
    """
    parser = configparser.ConfigParser()
    if not parser.read(path, encoding="utf-8"):
        raise ConfigError(f"{path}: cannot be read")
    service = parser["service"] if parser.has_section("service") else {}
    gauges = {}
    for section in parser.sections():
        if section.startswith("gauge "):
            gauge = _gauge(section, parser[section])
            gauges[gauge.code] = gauge
    _check_neighbours(gauges)
    return Settings(
        listen_host=service.get("host", "0.0.0.0"),
        listen_port=int(service.get("port", 7411)),
        database=Path(service.get("database", "tidewatch.sqlite")),
        idle_timeout_s=float(service.get("idle_timeout_s", 330.0)),
        keep_raw_days=int(service.get("keep_raw_days", 400)),
        gauges=gauges,
    )


def _gauge(section: str, values: configparser.SectionProxy) -> Gauge:
    code = section.removeprefix("gauge ").strip().upper()
    if len(code) != 4 or not code.isalnum():
        raise ConfigError(f"[{section}]: a station code has exactly four letters or digits")
    if "sensor_height_m" not in values:
        raise ConfigError(f"[{section}] sensor_height_m: required, there is no safe default")
    return Gauge(
        code=code,
        name=values.get("name", code),
        sensor_height_m=values.getfloat("sensor_height_m"),
        allowed_rate_m_per_min=values.getfloat("allowed_rate_m_per_min", 0.08),
        surge_alarm_m=values.getfloat("surge_alarm_m", 0.60),
        neighbours=tuple(values.get("neighbours", "").upper().split()),
    )


def _check_neighbours(gauges: dict[str, Gauge]) -> None:
    for gauge in gauges.values():
        for other in gauge.neighbours:
            if other not in gauges:
                raise ConfigError(f"[gauge {gauge.code}] neighbours: {other} is not configured")
            if other == gauge.code:
                raise ConfigError(f"[gauge {gauge.code}] neighbours: a gauge is not its own")
