"""Progress: counts never go back, and end at what there was."""

import time
from pathlib import Path

from indexer.ingest.meter import Meter
from indexer.ingest.report import IngestReport
from tests.indexer.ingest.test_forecast import file


def test_bytes_count_as_they_are_encoded_and_what_holds_nothing_counts_no_more():
    told = []
    files = [file("a.txt", 100), file("b.txt", 300), file("broken.pdf", 50)]
    meter = Meter(files, IngestReport(), told.append, time.monotonic())
    meter.was_read(files[0], 100)
    meter.was_read(files[2], None)
    meter.begin(100, 100)
    meter.tell(50)
    meter.end()
    meter.tell()
    meter.was_read(files[1], 300)
    meter.begin(300, 300)
    meter.tell(150)
    meter.end()
    meter.tell()
    assert [(now.bytes_done, now.bytes_total) for now in told] == [
        (50, 400),
        (100, 400),
        (250, 400),
        (400, 400),
    ]
    assert [now.files_done for now in told] == [2, 2, 3, 3]
    assert [Path(now.current).name for now in told] == ["broken.pdf"] * 2 + ["b.txt"] * 2
    assert told[-1].remaining_s == 0


def test_nobody_needs_to_be_told():
    meter = Meter([], IngestReport(), None, time.monotonic())
    meter.begin(0, 0)
    meter.tell()
    meter.end()
