"""Pages a second of one core: our PDF parser, boxes and structure included, and pdfium alone."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.harness.corpus import CorpusFile
from benchmarks.harness.plain import page_texts
from indexer.parsing import parse

_ROUNDS = 3  # the best counts


def pdf_rates(files: Sequence[CorpusFile]) -> dict[str, float | None]:
    """Processor time decides, so a busy machine changes little; None without a PDF.

    The files are read once before (a language model may have to be loaded), then turn about.
    """
    paths = [file.path for file in files if file.path.suffix.lower() == ".pdf"]
    pages = sum(file.num_pages for file in files if file.path in paths)
    if not pages:
        return {"pdf_pages_per_s_core": None, "pdfium_pages_per_s_core": None}
    readers: dict[str, Callable[[Path], object]] = {
        "pdf_pages_per_s_core": parse,
        "pdfium_pages_per_s_core": page_texts,
    }
    rounds = [
        {name: _cpu_seconds(read, paths) for name, read in readers.items()}
        for _ in range(1 + _ROUNDS)
    ]
    return {name: pages / min(seconds[name] for seconds in rounds[1:]) for name in readers}


def _cpu_seconds(read: Callable[[Path], object], paths: Sequence[Path]) -> float:
    begun = time.process_time()
    for path in paths:
        read(path)
    return time.process_time() - begun
