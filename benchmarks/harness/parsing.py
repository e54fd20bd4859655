"""Pages a second of one core: our PDF parser, boxes and structure included, and pdfium alone."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.harness.corpus import CorpusFile
from benchmarks.harness.plain import page_texts
from indexer.parsing import parse


def pdf_rates(files: Sequence[CorpusFile]) -> dict[str, float | None]:
    """Processor time decides, so a busy machine changes little; None without a PDF."""
    paths = [file.path for file in files if file.path.suffix.lower() == ".pdf"]
    pages = sum(file.num_pages for file in files if file.path in paths)
    if not pages:
        return {"pdf_pages_per_s_core": None, "pdfium_pages_per_s_core": None}
    return {
        "pdf_pages_per_s_core": pages / _cpu_seconds(parse, paths),
        "pdfium_pages_per_s_core": pages / _cpu_seconds(page_texts, paths),
    }


def _cpu_seconds(read: Callable[[Path], object], paths: Sequence[Path]) -> float:
    read(paths[0])  # what is loaded at the first call
    begun = time.process_time()
    for path in paths:
        read(path)
    return time.process_time() - begun
