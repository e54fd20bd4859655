"""Spoil files of every format at random and parse them, within the limits of the parser's workers.

    python scripts/fuzz.py --seconds 180 --seed 1
    python scripts/fuzz.py --guided a.md a.html --seconds 300    with atheris, if it is installed

Each file must become a document, or an error in words. What a parser raises without meaning to, a
crash, a broken limit of time or memory is a fault: the file is kept and the exit code is 1.
"""

import argparse
import hashlib
import io
import random
import sys
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from indexer.documents import Document
from indexer.errors import GivenUp, ParseError
from indexer.parsing import ParserPool
from scripts.guided_fuzz import fuzz_all
from tests.indexer.parsing.test_fuzz import PIECES, WHOLE

TIMEOUT_S = 30
MEMORY_BYTES = 1 << 30
OURS = "a file should never do this"  # what the pool says of an exception nobody raised on purpose
TEXTS = {
    "a.html": b"<!doctype html><html><body><h1>Tides</h1><table><tr><td>3</table>&amp;</body>",
    "a.md": b"# Tides\n\n```py\nx = 1\n```\n\n- one\n  - two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "a.ipynb": b'{"cells": [{"cell_type": "code", "source": ["x = 1"], "outputs": []}]}',
    "a.mbox": b"From a@b Mon Mar  1 10:00:00 2021\nSubject: Tides\n\nHigh at noon.\n" * 2,
}
SEEDS = {**WHOLE, **TEXTS}


def spoiled(name: str, content: bytes, chance: random.Random) -> bytes:
    """``content`` with some damage; of a package now and then inside one of its parts."""
    if content.startswith(b"PK") and chance.random() < 0.7:
        return _spoiled_part(content, chance)
    return _damaged(content, chance)


def _spoiled_part(content: bytes, chance: random.Random) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as whole, zipfile.ZipFile(file, "w") as package:
        target = chance.choice(whole.namelist())
        for part in whole.namelist():
            data = whole.read(part)
            package.writestr(part, _damaged(data, chance) if part == target else data)
    return file.getvalue()


def _damaged(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(5):
            case 0:
                data[at : at + 1] = chance.randbytes(1)
            case 1:
                del data[at : at + chance.randint(1, 40)]
            case 2:
                data[at:at] = chance.choice(PIECES) * chance.choice([1, 3, 2000])
            case 3:
                begin = chance.randrange(len(data) + 1)
                data[at:at] = data[begin : begin + chance.randint(1, 200)]
            case _:
                number = str(chance.choice([0, -1, 255, 65536, 2**31, 10**12])).encode()
                data[at : at + len(number)] = number
    return bytes(data[: chance.randrange(1, len(data) + 1)] if chance.random() < 0.2 else data)


def main() -> int:
    """Run for the seconds asked for; print what came of the files. 1 if one was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("fuzz"), help="folder for what failed")
    parser.add_argument(
        "--guided", nargs="+", metavar="NAME", help="guide by coverage the parsers of these names"
    )
    options = parser.parse_args()
    if options.guided:
        faults = fuzz_all(options.guided, options.seconds, options.seed, options.keep)
        print(f"faults: {', '.join(faults) or 'none'}")
        return int(bool(faults))
    chance, counts = random.Random(options.seed), Counter[tuple[str, str]]()
    names, end = sorted(SEEDS), time.monotonic() + options.seconds
    with (
        tempfile.TemporaryDirectory() as folder,
        ParserPool(timeout_s=TIMEOUT_S, memory_bytes=MEMORY_BYTES) as pool,
    ):
        for number in range(sys.maxsize):
            if time.monotonic() > end:
                break
            name = names[number % len(names)]
            content = spoiled(name, SEEDS[name], chance)
            path = Path(folder, name)
            path.write_bytes(content)
            result = next(iter(pool.map([path])))[1]
            outcome = outcome_of(result)
            counts[name, outcome] += 1
            if outcome == "FAULT":
                options.keep.mkdir(parents=True, exist_ok=True)
                kept = options.keep / f"{hashlib.sha256(content).hexdigest()[:12]}-{name}"
                kept.write_bytes(content)
                print(f"{kept}: {result}", flush=True)
    for (name, outcome), count in sorted(counts.items()):
        print(f"{name:<10} {outcome:<9} {count:>6,}")
    return int(any(outcome == "FAULT" for _, outcome in counts))


def outcome_of(result: Document | ParseError) -> str:
    """``document``, ``error`` (in words) or ``FAULT``."""
    if isinstance(result, Document):
        return "document"
    return "FAULT" if isinstance(result, GivenUp) or OURS in str(result) else "error"


if __name__ == "__main__":
    sys.exit(main())
