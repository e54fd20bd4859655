"""Frameworks that a user would pick instead, each run once on the same files in a process.

Their Python is another one (``--rivals-python``), so that their requirements do not touch ours.
"""

import json
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import frameworks
from benchmarks.harness.corpus import CorpusFile
from benchmarks.harness.report import Figure
from indexer import DocumentIndex, Settings
from lmk_encoder import LandmarkEncoder

NOT_RUN = "no --rivals-python"
# haiku.rag asks for Python 3.12 and torchvision, of which no CPU build could be had.
NEVER_RUN = {"haiku_rag": "could not be installed"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One ingest. ``lost``: files without readable text and without a word about them; ``absent``:
    why there are no figures."""

    seconds: float | None = None
    cpu_seconds: float | None = None
    megabytes: float | None = None  # on disk
    lost: tuple[str, ...] = ()
    absent: str = ""

    def figures(self, way: str) -> dict[str, float | None]:
        """As they are called in the benchmark's JSON."""
        return {
            f"{way}_s": self.seconds,
            f"{way}_cpu_s": self.cpu_seconds,
            f"{way}_mb": self.megabytes,
            f"{way}_lost": None if self.absent else len(self.lost),
        }


def as_table(outcomes: Mapping[str, Outcome]) -> tuple[list[str], list[list[Figure]]]:
    """Header and rows of what is printed: a framework without figures says why."""
    rows: list[list[Figure]] = []
    for way, found in outcomes.items():
        note = found.absent or (", ".join(found.lost) or "nothing")
        rows.append([way, found.seconds, found.cpu_seconds, found.megabytes, note])
    return ["", "seconds", "cpu seconds", "MB on disk", "lost without a word"], rows


def awkward_files(folder: Path, pdf: Path | None) -> list[Path]:
    """Files such as every folder holds: texts in two other encodings, and ``pdf`` with its last
    fifth cut off."""
    folder.mkdir(parents=True)
    text = "Where the café closes early, the ferry’s crew goes ashore for the evening. " * 40
    contents = {
        "utf-16.txt": text.encode("utf-16"),
        "windows-1252.txt": text.encode("cp1252"),
    }
    if pdf is not None:
        data = pdf.read_bytes()
        contents["cut-off.pdf"] = data[: len(data) * 4 // 5]
    paths = [folder / name for name in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        path.write_bytes(content)
    return paths


def run_all(
    python: Path | None, model: Path, files: Sequence[CorpusFile], scratch: Path
) -> dict[str, Outcome]:
    """What every framework made of ``files`` and some awkward ones, by its name."""
    paths = with_awkward(files, scratch)
    found = {way: Outcome(absent=why) for way, why in NEVER_RUN.items()}
    for way in frameworks.WAYS:
        if python is None:
            found[way] = Outcome(absent=NOT_RUN)
        else:
            found[way] = run_one(python, way, model, paths, scratch / way)
    return found


def run_one(python: Path, way: str, model: Path, paths: Sequence[Path], folder: Path) -> Outcome:
    """One framework; absent, with the reason, if it is not installed or fails as a whole."""
    job = {"files": [str(path) for path in paths], "model": str(model), "folder": str(folder)}
    command = [str(python), frameworks.__file__, way]
    try:
        done = subprocess.run(
            command, input=json.dumps(job), capture_output=True, text=True, check=False
        )
    except OSError as error:
        return Outcome(absent=f"{python} cannot be run: {error.strerror}")
    if done.returncode:
        return Outcome(absent=f"failed: {done.stderr.strip().splitlines()[-1][:200]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if "absent" in answer:
        return Outcome(absent=answer["absent"])
    return Outcome(
        answer["seconds"],
        answer["cpu_seconds"],
        megabytes_of(folder),
        lost(paths, answer["kept"], done.stdout.rpartition("\n{")[0] + done.stderr),
    )


def run_ours(encoder: LandmarkEncoder, files: Sequence[CorpusFile], scratch: Path) -> Outcome:
    """Ours on the same files."""
    paths = with_awkward(files, scratch)
    index = DocumentIndex.open(scratch / "lmk", encoder=encoder, settings=Settings(ocr_pages=0))
    report = index.add([str(path) for path in paths])
    told = " ".join(record.path for record in (*report.excluded, *report.no_text, *report.failed))
    kept = {*report.added, *report.unchanged}
    return Outcome(report.seconds, None, megabytes_of(scratch / "lmk"), lost(paths, kept, told))


def with_awkward(files: Sequence[CorpusFile], scratch: Path) -> list[Path]:
    """The paths of ``files``, and of awkward ones made in ``scratch`` at the first call."""
    paths = [file.path for file in files]
    folder = scratch / "awkward"
    if folder.exists():
        return paths + sorted(folder.iterdir())
    pdf = next((path for path in paths if path.suffix.lower() == ".pdf"), None)
    return paths + sorted(awkward_files(folder, pdf))


def lost(paths: Sequence[Path], kept: Collection[str], told: str) -> tuple[str, ...]:
    """Names of the files of which nothing is kept, and that nothing that was ``told`` names."""
    kept = {str(Path(name).resolve()) for name in kept}
    return tuple(
        path.name for path in paths if str(path.resolve()) not in kept and path.name not in told
    )


def megabytes_of(folder: Path) -> float:
    """What lies in a folder, in MB."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
