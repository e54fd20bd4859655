"""The files that a benchmark reads, and the questions asked about them.

Large PDFs are cut to their first pages, as real files in a folder of their own, so that our
way and the plain way read exactly the same bytes.
"""

import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data" / "samples"
REAL_PDFS = ROOT.parent / "shared" / "pdfs"  # used where it is there, beside the repository
# PDFs, and what the plain way can read as it stands in the file.
SUFFIXES = frozenset(".pdf .md .txt .html .py .rs .go .js .ts .java .c .h .cpp".split())
LINES_PER_PAGE = 50  # how a text file is counted in pages


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to index, and the name by which questions know it: its path within its source."""

    path: Path
    name: str
    num_pages: int  # of a PDF; else lines / LINES_PER_PAGE, rounded up


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the place of its answer: 1-based pages of a PDF, lines of a text file."""

    text: str
    document: str
    first: int
    last: int

    def is_answered_by(self, document: str, first: int, last: int) -> bool:
        """Whether a passage, given by its first and last unit, touches the answer."""
        return document == self.document and first <= self.last and self.first <= last


def default_sources() -> list[Path]:
    """The sample files, and real PDFs if there are any beside the repository."""
    return [folder for folder in (SAMPLES, REAL_PDFS) if folder.is_dir()]


def gather(sources: Iterable[Path], folder: Path, *, max_pages: int) -> list[CorpusFile]:
    """Copy every readable file below ``sources`` into ``folder``, PDFs cut to ``max_pages``.

    Each source has a numbered subfolder, so that equal names do not meet.
    """
    files = []
    for number, source in enumerate(sources):
        if not source.exists():
            raise SystemExit(f"{source} does not exist: name a file or folder with --source.")
        paths = [source] if source.is_file() else sorted(source.rglob("*"))
        for path in paths:
            if path.suffix.lower() in SUFFIXES and path.is_file():
                name = path.relative_to(source if source.is_dir() else source.parent).as_posix()
                target = folder / str(number) / name
                target.parent.mkdir(parents=True, exist_ok=True)
                files.append(CorpusFile(target, name, _copy(path, target, max_pages)))
    if not files:
        raise SystemExit(f"No file to index in {', '.join(map(str, sources))}.")
    return files


def _copy(path: Path, target: Path, max_pages: int) -> int:
    """Write ``target``, the beginning of ``path``; return its number of pages."""
    if path.suffix.lower() != ".pdf":
        shutil.copyfile(path, target)
        return -(-path.read_bytes().count(b"\n") // LINES_PER_PAGE) or 1
    document = pypdfium2.PdfDocument(path)
    try:
        num_pages = min(len(document), max_pages)
        if num_pages == len(document):
            shutil.copyfile(path, target)
            return num_pages
        beginning = pypdfium2.PdfDocument.new()
        beginning.import_pages(document, list(range(num_pages)))
        beginning.save(target)
        beginning.close()
        return num_pages
    finally:
        document.close()


def load_questions(path: Path, files: Sequence[CorpusFile]) -> list[Question]:
    """The questions of a ``questions.jsonl`` whose answers stand in ``files`` as they were cut."""
    num_pages = {file.name: file.num_pages for file in files}
    questions = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        is_kept = row["unit"] != "page" or row["last"] <= num_pages.get(row["document"], 0)
        if row["document"] in num_pages and is_kept:
            questions.append(Question(row["question"], row["document"], row["first"], row["last"]))
    return questions
