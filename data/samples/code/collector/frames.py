"""The wire format: bytes from a gauge in, checked readings out. Pure functions, no sockets.

A frame is 20 bytes, big-endian::

    0   2   magic "TG"
    2   1   version (currently 3)
    3   1   flags: bit 0 mains lost, bit 1 clock not set, bit 2 replayed from the spool
    4   4   station code, ASCII
    8   4   sequence number, wraps at 2**32
    12  4   time, seconds since 2000-01-01 UTC (not 1970: the first loggers had signed clocks)
    16  2   distance from sensor to water, millimetres; 0xFFFF means no echo
    18  2   checksum: CRC-16, polynomial 0x1021, start value 0x1D0F, over bytes 0 to 17
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

LAYOUT = struct.Struct(">2sBB4sIIHH")
MAGIC = b"TG"
VERSION = 3
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
NO_ECHO = 0xFFFF

FLAG_MAINS_LOST = 0b001
FLAG_CLOCK_NOT_SET = 0b010
FLAG_REPLAYED = 0b100


class FrameError(ValueError):
    """Bytes that are not a valid frame; ``reason`` is a short word used as a metric label."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"bad frame: {reason}")
        self.reason = reason


@dataclass(frozen=True)
class Reading:
    """One measurement as sent by a gauge, before any judgement about its quality."""

    station: str
    sequence: int
    time: datetime
    distance_mm: int | None
    mains_lost: bool
    clock_not_set: bool
    replayed: bool


def crc16(data: bytes, value: int = 0x1D0F) -> int:
    """CRC-16 bit by bit. Slow but obvious; a frame has eighteen bytes to check."""
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1) ^ 0x1021 if value & 0x8000 else value << 1
            value &= 0xFFFF
    return value


def decode(frame: bytes) -> Reading:
    """Turn one frame into a reading, or raise FrameError with the reason."""
    if len(frame) != LAYOUT.size:
        raise FrameError("length")
    magic, version, flags, station, sequence, seconds, distance, checksum = LAYOUT.unpack(frame)
    if magic != MAGIC:
        raise FrameError("magic")
    if crc16(frame[:-2]) != checksum:
        raise FrameError("checksum")
    if version != VERSION:
        raise FrameError("version")
    return Reading(
        station=station.decode("ascii", errors="replace"),
        sequence=sequence,
        time=EPOCH + timedelta(seconds=seconds),
        distance_mm=None if distance == NO_ECHO else distance,
        mains_lost=bool(flags & FLAG_MAINS_LOST),
        clock_not_set=bool(flags & FLAG_CLOCK_NOT_SET),
        replayed=bool(flags & FLAG_REPLAYED),
    )


class FrameSplitter:
    """Cuts a byte stream into frames and finds its feet again after line noise.

    On a bad frame only one byte is thrown away, not twenty, so that a real frame which begins
    inside the rubbish is still found.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.discarded = 0

    def feed(self, data: bytes) -> Iterator[Reading]:
        """Add bytes as they arrive and yield every complete, valid reading."""
        self._buffer += data
        while len(self._buffer) >= LAYOUT.size:
            try:
                reading = decode(bytes(self._buffer[: LAYOUT.size]))
            except FrameError:
                del self._buffer[0]
                self.discarded += 1
                continue
            del self._buffer[: LAYOUT.size]
            yield reading
