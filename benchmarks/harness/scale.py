"""What grows with a collection: time and memory of many small files, without a model.

Each figure is taken in a process of its own, whose peak is its own. The encoder is the keyword
encoder of ``lmk_encoder.testing``, as wide as the built-in model: what is measured is all the rest.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.harness.corpus import ROOT
from indexer import DocumentIndex
from lmk_encoder.testing import KeywordEncoder

_WIDTH = 384  # of the built-in model's vectors
_CONTENTS = 500  # different texts among the files of the run that changes nothing


def write_files(folder: Path, count: int, *, contents: int | None = None) -> None:
    """``count`` text files of some 60 words, a thousand a folder; ``contents`` different ones."""
    for i in range(count):
        part = folder / f"{i // 1000:03d}"
        if i % 1000 == 0:
            part.mkdir(parents=True, exist_ok=True)
        n = i % (contents or count)
        words = " ".join(f"item{(n * 7 + k * 13) % 5000}" for k in range(50))
        (part / f"{i:06d}.txt").write_text(f"File number{n} tells of things. {words}.\n")


def nochange(scratch: Path, count: int) -> dict[str, float]:
    """Seconds and peak MB of a run over ``count`` files of which none has changed."""
    write_files(scratch / "files", count, contents=min(count, _CONTENTS))
    _run("add", scratch)
    found = _run("add", scratch)
    return {"nochange_files": count, "nochange_s": found["seconds"], "nochange_mb": found["mb"]}


def peak_mb(scratch: Path, count: int) -> float:
    """Peak memory in MB of indexing ``count`` different files, parsers not counted."""
    write_files(scratch / "files", count)
    return _run("add", scratch)["mb"]


def _run(what: str, scratch: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.harness.scale", what, str(scratch)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def main() -> None:
    """The child's side: index ``files`` of a folder into ``index`` beside it."""
    scratch = Path(sys.argv[2])
    index = DocumentIndex.open(scratch / "index", encoder=KeywordEncoder(_WIDTH))
    begun = time.perf_counter()
    report = index.add([scratch / "files"])
    seconds = time.perf_counter() - begun
    if report.failed:
        raise SystemExit(f"Not indexed: {report.failed[0]}")
    print(json.dumps({"seconds": seconds, "mb": _peak_mb()}))


def _peak_mb() -> float:
    """Most memory this process ever held, that of its parent before it started not counted."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # bytes, on macOS


if __name__ == "__main__":
    main()
