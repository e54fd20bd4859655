"""The running service: sockets in, database and alarms out. All decisions live elsewhere."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
from datetime import UTC, datetime
from pathlib import Path

from collector.alarms import Notice, SurgeAlarm
from collector.config import Settings, load_settings
from collector.frames import FrameSplitter, Reading
from collector.quality import QualityControl
from collector.store import LevelStore
from collector.tides import TideTable

logger = logging.getLogger(__name__)
ACKNOWLEDGE = b"\x06"
REFUSE_STATION = b"\x15"


class Collector:
    """Owns the parts and leads every reading through them."""

    def __init__(self, settings: Settings, tables: dict[str, TideTable]) -> None:
        self._settings = settings
        self._tables = tables
        self._store = LevelStore(settings.database)
        self._control = {code: QualityControl(g) for code, g in settings.gauges.items()}
        self._alarms = {code: SurgeAlarm(g) for code, g in settings.gauges.items()}
        self._surges: dict[str, tuple[datetime, float]] = {}

    def accept(self, reading: Reading) -> Notice | None:
        """Judge and store one reading. A reading is acknowledged only after it is on disk."""
        fresh = self._store.is_new(reading.station, reading.sequence)
        if not fresh and not reading.replayed:
            return None
        level = self._control[reading.station].judge(reading)
        self._store.add([level])
        table = self._tables.get(reading.station)
        if level.metres is None or table is None or reading.replayed:
            return None
        surge = table.surge(level.time, level.metres)
        self._surges[reading.station] = (level.time, surge)
        return self._alarms[reading.station].update(level, surge, self._surges)

    async def serve_gauge(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Talk to one agent until it hangs up or falls silent."""
        peer = writer.get_extra_info("peername")
        splitter = FrameSplitter()
        try:
            while True:
                data = await asyncio.wait_for(reader.read(4096), self._settings.idle_timeout_s)
                if not data:
                    break
                for reading in splitter.feed(data):
                    if reading.station not in self._control:
                        logger.warning("%s: unknown station %s", peer, reading.station)
                        writer.write(REFUSE_STATION)
                        return
                    notice = self.accept(reading)
                    if notice is not None:
                        await self.publish(notice)
                    writer.write(ACKNOWLEDGE)
                await writer.drain()
        except TimeoutError:
            logger.info("%s: silent for %.0f s", peer, self._settings.idle_timeout_s)
        finally:
            if splitter.discarded:
                logger.info("%s: %d bytes of noise", peer, splitter.discarded)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def publish(self, notice: Notice) -> None:
        """Hand a notice on; for now the log is read by the paging system."""
        logger.warning("NOTICE %s %+.2f m: %s", notice.state.value, notice.surge_m, notice.text)

    async def thin_nightly(self) -> None:
        """Thin old readings at 03:20 UTC, when no high water of the year falls."""
        while True:
            now = datetime.now(tz=UTC)
            minutes = (3 * 60 + 20 - now.hour * 60 - now.minute) % (24 * 60)
            await asyncio.sleep(max(minutes, 1) * 60)
            removed = self._store.thin(datetime.now(tz=UTC), self._settings.keep_raw_days)
            logger.info("thinned %d readings", removed)

    async def run(self) -> None:
        """Serve until cancelled."""
        server = await asyncio.start_server(
            self.serve_gauge, self._settings.listen_host, self._settings.listen_port
        )
        thinning = asyncio.create_task(self.thin_nightly())
        try:
            async with server:
                await server.serve_forever()
        finally:
            thinning.cancel()
            self._store.close()


def main() -> None:
    """Command line: settings file and the folder of tide tables."""
    parser = argparse.ArgumentParser(description="Receive and judge tide-gauge readings.")
    parser.add_argument("settings", type=Path)
    parser.add_argument("--tables", type=Path, default=Path("tables"))
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    settings = load_settings(options.settings)
    tables = {path.stem.upper(): TideTable.read(path) for path in options.tables.glob("*.csv")}
    asyncio.run(Collector(settings, tables).run())


if __name__ == "__main__":
    main()
