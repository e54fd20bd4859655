"""The time left, by hand: what files of one suffix held so far is expected of the others."""

import pytest

from indexer.ingest.forecast import Forecast
from indexer.sources.files import SourceFile


def file(name, size):
    return SourceFile(f"/d/{name}", f"/d/{name}".encode(), size, 0, "/d")


def test_characters_are_expected_by_suffix():
    pdfs = [file(f"{i}.pdf", 1000) for i in range(3)]
    texts = [file(f"{i}.txt", 100) for i in range(2)]
    forecast = Forecast([*pdfs, *texts])
    assert forecast.chars == 3200  # a character a byte, before anything is known

    forecast.was_read(pdfs[0], 50)
    assert forecast.chars == 50 + 2 * 50 + 2 * 100 * 0.05  # texts: as all that was read so far
    forecast.was_read(texts[0], 100)
    assert forecast.chars == 50 + 2 * 50 + 100 + 100


def test_what_holds_no_text_is_not_waited_for():
    scans = [file(f"{i}.pdf", 10_000_000) for i in range(2)]
    text = file("a.txt", 100)
    forecast = Forecast([*scans, text])
    for scan in scans:
        forecast.was_read(scan, 0)
    forecast.was_read(text, 100)
    assert forecast.chars == 100
    assert forecast.remaining_s(50, elapsed_s=10) == 10


def test_the_end_moves_slowly_and_nothing_is_guessed_at_once():
    forecast = Forecast([file("a.txt", 1000)])
    assert forecast.remaining_s(0, 1) is None
    assert forecast.remaining_s(9, 1) is None
    assert forecast.remaining_s(100, 10) == pytest.approx(90)  # ends at 100 s
    # Alone it would say 20 + 180: 0.7 of the old end and 0.3 of the new one.
    assert forecast.remaining_s(100, 20) == pytest.approx(0.7 * 100 + 0.3 * 200 - 20)
    assert forecast.remaining_s(1000, 30) == 0
