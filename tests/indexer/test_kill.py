"""SIGKILL at any moment: every document is absent or whole, and the next run goes on."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write
from tests.indexer.invariants import check_shown, check_whole, contents

ROOT = Path(__file__).parents[2]
FILES = 120
KILLS = 50
RUN = """
import sys
from indexer import DocumentIndex
from indexer.config import Settings
from lmk_encoder.testing import KeywordEncoder
settings = Settings(parse_workers=1, batch_chars=600)
index = DocumentIndex(sys.argv[1], settings=settings, encoder=KeywordEncoder())
print("ready", flush=True)
index.add([sys.argv[2]])
index.close()
"""


def start(index: DocumentIndex, folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(index.path), str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
def test_killed_in_a_loop_while_files_change(tmp_path):
    """Fifty kills at random moments, between which files change, move and go."""
    rng = random.Random(7)
    folder = tmp_path / "files"
    for i in range(FILES):
        write(folder / f"{i:03d}.txt", f"Text number{i}. " * 20)
    index = DocumentIndex(tmp_path / "i", settings=Settings(), encoder=KeywordEncoder())
    killed = 0
    for turn in range(KILLS):
        process = start(index, folder)
        time.sleep(rng.uniform(0.05, 1.0))
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        if index.exists:
            check_shown(index)
            index.search(f"number{turn}")
        present = sorted(folder.iterdir())
        write(rng.choice(present), f"Changed in turn{turn}. " * 20, age_s=30)
        rng.choice(present).rename(folder / f"moved{turn}.txt")
        rng.choice(sorted(folder.iterdir())).unlink()
    assert killed >= KILLS / 3, "the loop must really interrupt runs"
    process = start(index, folder)
    assert process.wait(300) == 0
    texts = {file.read_bytes() for file in folder.iterdir()}
    assert check_whole(index) == len(texts)
    assert {record.path for record in index.files()} == {str(p) for p in folder.iterdir()}
    assert index.doctor() == []
    undisturbed = DocumentIndex(tmp_path / "u", settings=Settings(), encoder=KeywordEncoder())
    undisturbed.add([folder])
    assert contents(index) == contents(undisturbed)
