"""The line that tells how far, how fast and how long still."""

import pytest

from indexer.cli.progress import duration, progress_line
from indexer.ingest.report import IngestProgress


def test_the_line_has_rates_and_the_time_left_where_a_narrow_terminal_shows_it():
    line = progress_line(IngestProgress(3, 4, 500, 1000, 2, 40, 9000, 10.0, "/a/b.pdf", 10.0))
    assert line[:40].startswith(" 50%, 10 s left  3/4 files")
    assert "2 documents (0.2/s)" in line
    assert "40 pages (4.0/s)" in line
    assert "9,000 tokens (900/s)" in line


def test_nothing_is_said_of_the_time_left_where_it_is_not_known():
    """When it is: tests/indexer/ingest/test_forecast.py."""
    assert "left" not in progress_line(IngestProgress(0, 4, 9, 1000, 0, 0, 0, 10.0, ""))


@pytest.mark.parametrize(
    ("seconds", "shown"), [(45, "45 s"), (89.4, "89 s"), (720, "12 min"), (11_100, "3 h 05 min")]
)
def test_durations(seconds, shown):
    assert duration(seconds) == shown
