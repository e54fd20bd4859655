"""Our way, and the plain way, run once over the same files: what a round of a benchmark is."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.corpus import CorpusFile
from benchmarks.harness.plain import PlainWay
from indexer import DocumentIndex, Settings
from lmk_encoder import Interval, LandmarkEncoder, TextInput

WARM_UP = "The first pass of a model is slow: memory is fetched, kernels are chosen. " * 8


@dataclass(frozen=True, slots=True)
class Ingested:
    """One run of indexing. Times in seconds; ``tokens`` without special tokens."""

    tokens: int
    seconds: float
    cpu_seconds: float  # of all processes: holds on a machine that is shared, wall time does not
    parse: float
    encode: float
    write: float
    bytes: int  # on disk


def load_ours() -> LandmarkEncoder:
    """The built-in checkpoint, warmed up."""
    encoder = LandmarkEncoder()
    encoder.encode_document([TextInput(WARM_UP, Interval(64))])
    return encoder


def ingest_ours(encoder: LandmarkEncoder, files: Sequence[CorpusFile], folder: Path) -> Ingested:
    """Build an index of ``files`` in ``folder``."""
    before = _cpu_seconds()
    # Without OCR, as the plain way: it takes seconds a page, and says nothing of the rest.
    index = DocumentIndex.open(folder, encoder=encoder, settings=Settings(ocr_pages=0))
    report = index.add([str(file.path) for file in files])
    if report.failed:
        raise SystemExit(f"Not indexed: {', '.join(record.path for record in report.failed)}")
    return Ingested(
        report.tokens,
        report.seconds,
        _cpu_seconds() - before,
        report.seconds_parse,
        report.seconds_encode,
        report.seconds_write,
        index.status().size_bytes,
    )


def ingest_plain(way: PlainWay, files: Sequence[CorpusFile], folder: Path) -> Ingested:
    """Build a table of chunks of ``files`` in ``folder``."""
    way.encode([WARM_UP])
    before = _cpu_seconds()
    report = way.index(files, folder)
    return Ingested(
        report.tokens,
        report.seconds,
        _cpu_seconds() - before,
        report.seconds_parse,
        report.seconds_encode,
        report.seconds_write,
        sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
    )


def _cpu_seconds() -> float:
    """Processor time so far: this process, its threads, and its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
