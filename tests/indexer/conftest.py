"""A small collection and an index over it, with an encoder that needs no model."""

from pathlib import Path

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from lmk_encoder.testing import KeywordEncoder

TEXTS = {
    "notes/pump.md": "# Pumps\n\nThe cellar pump was replaced in March.\n\n## Valves\n\n"
    "A brass valve closes the inlet.\n",
    "notes/roof.txt": "The roof leaks above the library. Tiles were ordered from Lisbon.\n",
    "code/tide.py": '"""Tide tables."""\n\n\ndef high_water(day):\n    """Time of high water."""\n'
    "    return day * 2\n\n\ndef low_water(day):\n    return day * 3\n",
    "page.html": "<title>Bakery</title><h1>Bakery</h1><p>Rye bread on Fridays.</p>",
}


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Four files of four kinds, written long enough ago to be trusted unread."""
    folder = tmp_path / "collection"
    for name, text in TEXTS.items():
        write(folder / name, text)
    return folder


@pytest.fixture
def index(tmp_path: Path) -> DocumentIndex:
    """An empty place for an index."""
    settings = Settings(parse_workers=1, ocr_pages=0)  # OCR has tests of its own
    opened = DocumentIndex(tmp_path / "index.lmk", settings=settings, encoder=KeywordEncoder())
    yield opened
    opened.close()


def write(path: Path, content: str | bytes, *, age_s: float = 100) -> Path:
    """Write a file whose time stamp is ``age_s`` seconds old."""
    import os
    import time

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    then = time.time() - age_s
    os.utime(path, (then, then))
    return path
