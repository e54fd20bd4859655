"""What grows with a collection, or with one file: time and memory.

Each figure is taken in a process of its own, whose peak is its own. Without a ``model`` the encoder
is the keyword encoder of ``lmk_encoder.testing``, as wide as the built-in model, and all the rest
is measured.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.harness.corpus import ROOT
from indexer import DocumentIndex, Settings
from lmk_encoder.testing import KeywordEncoder
from lmk_encoder.types import DocumentEncoder

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


def nochange(scratch: Path, count: int, model: Path | None = None) -> dict[str, float]:
    """Seconds and peak MB of a run over ``count`` files of which none has changed."""
    write_files(scratch / "files", count, contents=min(count, _CONTENTS))
    _run(scratch, model)
    found = _run(scratch, model)
    return {"nochange_files": count, "nochange_s": found["seconds"], "nochange_mb": found["mb"]}


def peak_mb(scratch: Path, count: int, model: Path | None = None) -> float:
    """Peak memory in MB of indexing ``count`` different files, parsers not counted."""
    write_files(scratch / "files", count)
    return _run(scratch, model)["mb"]


def write_long_text(path: Path, megabytes: int) -> None:
    """A text of so many million characters, in lines of a hundred words."""
    words = [f"item{i}" for i in range(5_000)]
    with path.open("w", encoding="utf-8") as file:
        for line in range(megabytes * 1_000_000 // 900):
            file.write(" ".join(words[(line * 31 + k * 13) % 5_000] for k in range(100)) + ".\n")


def write_long_pdf(path: Path, sources: Sequence[Path], pages: int) -> None:
    """The pages of ``sources`` over and over, up to ``pages``."""
    import pypdfium2

    opened = [pypdfium2.PdfDocument(source) for source in sources]
    whole = pypdfium2.PdfDocument.new()
    while len(whole) < pages:
        for source in opened:
            if wanted := min(len(source), pages - len(whole)):  # no pages would mean all of them
                whole.import_pages(source, list(range(wanted)))
    whole.save(path)


def peak_mb_of_all(scratch: Path, model: Path | None = None) -> dict[str, float]:
    """Seconds and peak MB of indexing ``scratch / "files"``: all processes together, each page of
    memory that several share counted once. Looked at ten times a second (Linux)."""
    command = _command(scratch, model)
    peak = 0
    begun = time.perf_counter()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, sum(map(_proportional_kb, _family(process.pid))))
            time.sleep(0.1)
    if process.returncode:
        raise SystemExit(f"Indexing {scratch / 'files'} failed.")
    return {"seconds": time.perf_counter() - begun, "mb": peak / 1e3}


def _family(pid: int) -> Iterator[int]:
    """A process and all that it started, directly or not (Linux)."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):  # a thread may have started it
        try:
            started = children.read_text().split()
        except OSError:  # it has just ended
            continue
        for child in started:
            yield from _family(int(child))


def _proportional_kb(pid: int) -> int:
    """Memory of a process in kB, what it shares divided among those who do; 0 if it has ended."""
    return _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")


def _high_water(pid: int) -> int:
    """Peak memory of a process in kB; 0 if it has just ended."""
    return _kilobytes(Path(f"/proc/{pid}/status"), "VmHWM:")


def _kilobytes(file: Path, name: str) -> int:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), 0)


def _command(scratch: Path, model: Path | None) -> list[str]:
    """What indexes ``scratch / "files"`` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.harness.scale", str(scratch)]
    return command if model is None else [*command, str(model.resolve())]


def _run(scratch: Path, model: Path | None) -> dict[str, float]:
    command = _command(scratch, model)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def main() -> None:
    """The child's side: index ``files`` of a folder into ``index`` beside it, with a model if one
    is named."""
    scratch, model = Path(sys.argv[1]), sys.argv[2:]
    encoder: DocumentEncoder = KeywordEncoder(_WIDTH)
    if model:
        from lmk_encoder import LandmarkEncoder  # here: torch would count in every figure

        encoder = LandmarkEncoder(model[0])
    settings = Settings(ocr_pages=0, parse_timeout_s=3600)  # of the clock: a machine may be busy
    index = DocumentIndex.open(scratch / "index", encoder=encoder, settings=settings)
    begun = time.perf_counter()
    report = index.add([scratch / "files"])
    seconds = time.perf_counter() - begun
    if report.failed:
        raise SystemExit(f"Not indexed: {report.failed[0]}")
    print(json.dumps({"seconds": seconds, "mb": _peak_mb()}))


def _peak_mb() -> float:
    """Most memory this process ever held, that of its parent before it started not counted."""
    if Path("/proc/self/status").exists():
        return _high_water(os.getpid()) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # bytes, on macOS


if __name__ == "__main__":
    main()
