"""The database: levels in SQLite, one row for each station and time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from collector.quality import Flag, Level

SCHEMA = """
CREATE TABLE IF NOT EXISTS level (
    station  TEXT NOT NULL,
    time     INTEGER NOT NULL,
    metres   REAL,
    flag     INTEGER NOT NULL,
    PRIMARY KEY (station, time)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (
    station  TEXT PRIMARY KEY,
    sequence INTEGER NOT NULL
);
"""


class LevelStore:
    """Reads and writes levels. One writer, many readers (write-ahead logging)."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA busy_timeout = 4000")
        self._connection.executescript(SCHEMA)

    def add(self, levels: Iterable[Level]) -> int:
        """Insert levels; a better flag replaces a worse one at the same time, never the reverse."""
        rows = [(lv.station, int(lv.time.timestamp()), lv.metres, int(lv.flag)) for lv in levels]
        before = self._connection.total_changes
        self._connection.executemany(
            "INSERT INTO level VALUES (?, ?, ?, ?) ON CONFLICT (station, time) DO UPDATE "
            "SET metres = excluded.metres, flag = excluded.flag WHERE excluded.flag < level.flag",
            rows,
        )
        return self._connection.total_changes - before

    def is_new(self, station: str, sequence: int) -> bool:
        """Remember the highest sequence number; a replayed frame may fill a gap, so it passes.

        Numbers wrap at 2**32: a step back of more than half the range counts as forward.
        """
        row = self._connection.execute(
            "SELECT sequence FROM seen WHERE station = ?", (station,)
        ).fetchone()
        ahead = row is None or 0 < (sequence - row[0]) % 2**32 < 2**31
        if ahead:
            self._connection.execute(
                "INSERT INTO seen VALUES (?, ?) ON CONFLICT (station) DO UPDATE "
                "SET sequence = excluded.sequence",
                (station, sequence),
            )
        return ahead

    def between(self, station: str, start: datetime, end: datetime) -> list[Level]:
        """Levels with ``start <= time < end``, oldest first."""
        cursor = self._connection.execute(
            "SELECT time, metres, flag FROM level "
            "WHERE station = ? AND time >= ? AND time < ? ORDER BY time",
            (station, int(start.timestamp()), int(end.timestamp())),
        )
        return [
            Level(station, datetime.fromtimestamp(time, tz=UTC), metres, Flag(flag))
            for time, metres, flag in cursor
        ]

    def thin(self, now: datetime, keep_days: int) -> int:
        """Delete old readings that are not on a multiple of ten minutes; return how many.

        Storm days are spared: a day whose highest level is among the fifty highest of the station
        keeps every reading for ever.
        """
        limit = int((now - timedelta(days=keep_days)).timestamp())
        cursor = self._connection.execute(
            "DELETE FROM level WHERE time < ? AND time % 600 != 0 AND time / 86400 NOT IN ("
            "  SELECT time / 86400 FROM level AS l WHERE l.station = level.station"
            "  AND l.flag <= 2 ORDER BY l.metres DESC LIMIT 50)",
            (limit,),
        )
        return cursor.rowcount

    def close(self) -> None:
        """Fold the write-ahead log into the main file and let go of it."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
