"""Speed of search by engine and size, each engine beside the raw library in the same run.

    python benchmarks/search.py --quick
    python benchmarks/search.py --landmarks 10000 100000 1000000 --engine exact lance faiss

A small real index is enlarged by mixing its rows (harness/enlarge.py). For every engine a
process of its own opens the index, as a reader does, and is asked the sample questions through
DocumentIndex.search: ten documents with their passages, the encoding of the question included.

``overhead_p50``: the median of that over the median of the same work done by the libraries
alone, less 1: the question encoded, the vectors' top k (numpy, LanceDB or FAISS; k as our
engine asks) and LanceDB's full text over landmarks and documents. No fusion, no passages.
They are asked one after the other, while a search asks them beside one another: the work of all
threads is ``cpu_p50_ms`` against ``raw_cpu_p50_ms``.
``qps_8``: questions a second of eight threads. ``reader_mb``: memory of that process.
The small index itself is asked beside the plain way (chunks in a LanceDB table, harness/plain.py),
question by question in turn: ``p50_ms``, ``p95_ms``, ``plain_p50_ms``, ``plain_p95_ms``.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness.corpus import SAMPLES, CorpusFile, default_sources, gather
from benchmarks.harness.enlarge import enlarge
from benchmarks.harness.plain import load_plain_way, open_table
from benchmarks.harness.raw import raw_search
from benchmarks.harness.report import Figure, result, table, where
from indexer import DocumentIndex
from indexer.engines.base import ExactEngine
from indexer.engines.choose import open_engine
from indexer.engines.faiss import import_faiss, save_faiss
from indexer.errors import LmkError
from indexer.search.snapshot import load_snapshot
from indexer.store.manifest import read_manifest
from indexer.store.tables import Tables
from indexer.store.vector_index import train_index

ENGINES = ("exact", "lance", "faiss", "faiss-gpu")
FULL_SIZES, QUICK_SIZES = (10_000, 100_000, 1_000_000), (10_000,)
FULL_PAGES, QUICK_PAGES = 60, 4
FULL_QUESTIONS, QUICK_QUESTIONS = 150, 30
CLIENTS = 8
COLUMNS = ("p50_ms", "p95_ms", "p99_ms", "raw_p50_ms", "overhead_p50", "recall@10")
MORE_COLUMNS = ("cpu_p50_ms", "raw_cpu_p50_ms", "qps_1", "qps_8", "reader_mb", "build_s", "open_s")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark and print what it found."""
    options = _options(argv)
    if options.measure:
        print(json.dumps(_measure(options.index, options.measure, options.questions)))
        return
    sizes = options.landmarks or (QUICK_SIZES if options.quick else FULL_SIZES)
    questions = options.questions or (QUICK_QUESTIONS if options.quick else FULL_QUESTIONS)
    print(where())
    figures: dict[str, Any] = {}
    rows: list[list[Figure]] = []
    with tempfile.TemporaryDirectory() as scratch:
        base = options.index
        if base is None:
            base, files = _small_index(options, Path(scratch))
            figures = _beside_the_plain_way(base, files, Path(scratch), questions)
            print(table(["small index", *figures], [["", *figures.values()]]), end="\n\n")
        for size in sizes:
            folder = Path(scratch, str(size))
            enlarge(base, folder, size)
            for engine in options.engine:
                measured = _in_a_process(folder, engine, questions)
                if measured is None:
                    continue
                name = engine if len(sizes) == 1 else f"{engine}@{size}"
                figures[name] = {"landmarks": size, **measured}
                rows.append([name, *(measured[c] for c in (*COLUMNS, *MORE_COLUMNS))])
    print(table(["engine", *COLUMNS, *MORE_COLUMNS], rows))
    print(result("search", figures))


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="10,000 landmarks, few questions")
    parser.add_argument("--landmarks", type=int, nargs="+", help="sizes to measure")
    parser.add_argument("--engine", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--questions", type=int, help="sample questions asked of each engine")
    parser.add_argument("--index", type=Path, help="an index to enlarge instead of --source")
    parser.add_argument(
        "--source", type=Path, nargs="+", default=default_sources(), help="files of the real index"
    )
    parser.add_argument("--measure", choices=ENGINES, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def _small_index(options: argparse.Namespace, scratch: Path) -> tuple[Path, Sequence[CorpusFile]]:
    """The index that is enlarged, and the real files that it is of."""
    pages = QUICK_PAGES if options.quick else FULL_PAGES
    sources = options.source[:1] if options.quick else options.source
    files = gather(sources, scratch / "files", max_pages=pages)
    with DocumentIndex.open(scratch / "base") as index:
        index.add([file.path for file in files])
    return scratch / "base", files


def _beside_the_plain_way(
    base: Path, files: Sequence[CorpusFile], scratch: Path, number: int
) -> dict[str, Any]:
    """Latencies of both ways on the same files; None for the plain one where it cannot run."""
    with DocumentIndex.open(base) as index:
        index.warm_up()
        ways: dict[str, Callable[[str], object]] = {"": index.search}
        if (plain := load_plain_way()) is not None:
            plain.index(files, scratch / "plain")
            chunks = open_table(scratch / "plain")
            ways["plain_"] = lambda question: plain.search(chunks, question, 10)
        taken: dict[str, list[float]] = {way: [] for way in ways}
        questions = _questions(number)
        for question in [*questions[:3], *questions]:
            for way, ask in ways.items():
                taken[way] += _timed([question], ask)[0]
    measured = {way: times[3:] for way, times in taken.items()}  # caches fill at first
    figures: dict[str, Any] = {}
    for way in ("", "plain_"):
        times = measured.get(way)
        figures[f"{way}p50_ms"] = statistics.median(times) if times else None
        figures[f"{way}p95_ms"] = _percentile(times, 95) if times else None
    return figures


def _in_a_process(folder: Path, engine: str, questions: int) -> dict[str, Any] | None:
    """The figures of one engine; None, with a line on stderr, where it cannot run."""
    build = _prepare(folder, engine)
    if build is None:
        return None
    command = [sys.executable, __file__, "--index", str(folder), "--measure", engine]
    command += ["--questions", str(questions)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return {**json.loads(done.stdout.splitlines()[-1]), "build_s": build}


def _prepare(folder: Path, engine: str) -> float | None:
    """Make the index of an engine, as a run of ``lmk index`` does; seconds it took."""
    manifest = read_manifest(folder)
    tables = Tables(folder / manifest.tables)
    began = time.perf_counter()
    try:
        if engine == "lance":
            train_index(tables.landmarks, at_least=1)
        elif engine.startswith("faiss"):
            import_faiss(gpu=engine == "faiss-gpu")
            snapshot = load_snapshot(tables, 0)
            began = time.perf_counter()
            save_faiss(snapshot.landmark_vectors, tables.folder, snapshot.content_key)
    except LmkError as error:
        print(f"{engine} is left out: {error}", file=sys.stderr)
        return None
    return time.perf_counter() - began


def _measure(folder: Path, engine: str, number: int) -> dict[str, Any]:
    """The figures of one engine, in this process."""
    began = time.perf_counter()
    index = DocumentIndex.open(folder, engine=engine)
    index.warm_up()
    opened = time.perf_counter() - began
    questions = _questions(number)
    for question in questions[:3]:
        index.search(question)
    ours, ours_cpu = _timed(questions, index.search)
    began = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(index.search, _questions(number, again=True)))
    together_s = time.perf_counter() - began
    memory = _resident_mb()

    manifest = read_manifest(folder)
    tables = Tables(folder / manifest.tables)
    snapshot = load_snapshot(tables, 0)
    rows, places = snapshot.landmark_vectors, snapshot.landmark_places
    own = open_engine(engine, tables, rows, places, snapshot.content_key)
    raw = raw_search(engine, index.encoder, tables, snapshot)
    for question in questions[:3]:
        raw(question)
    alone, alone_cpu = _timed(questions, raw)

    exact, shared = ExactEngine(rows), 0
    vectors = index.encoder.encode_query(questions[:30])
    for vector in vectors:
        shared += len({*own.search(vector, 10).rows} & {*exact.search(vector, 10).rows})
    p50, raw_p50 = statistics.median(ours), statistics.median(alone)
    return {
        "p50_ms": p50,
        "p95_ms": _percentile(ours, 95),
        "p99_ms": _percentile(ours, 99),
        "raw_p50_ms": raw_p50,
        "overhead_p50": p50 / raw_p50 - 1,
        "recall@10": shared / (10 * len(vectors)),
        "cpu_p50_ms": statistics.median(ours_cpu),
        "raw_cpu_p50_ms": statistics.median(alone_cpu),
        "qps_1": 1000 * len(questions) / sum(ours),
        "qps_8": number / together_s,
        "reader_mb": memory,
        "open_s": opened,
    }


def _questions(number: int, *, again: bool = False) -> list[str]:
    """Sample questions; ``again`` in other words, so that no cache of queries knows them."""
    rows = []
    for name in ("questions.jsonl", "questions-hard.jsonl"):
        lines = (SAMPLES / name).read_text(encoding="utf-8").splitlines()
        rows += [json.loads(line)["question"] for line in lines]
    asked = [rows[i % len(rows)] for i in range(number)]
    return [f"Tell me: {question}" for question in asked] if again else asked


def _timed(
    questions: Sequence[str], ask: Callable[[str], object]
) -> tuple[list[float], list[float]]:
    """Milliseconds of each question, on the clock and of the processor (all threads)."""
    taken, computed = [], []
    for question in questions:
        began, began_cpu = time.perf_counter(), time.process_time()
        ask(question)
        taken.append(1000 * (time.perf_counter() - began))
        computed.append(1000 * (time.process_time() - began_cpu))
    return taken, computed


def _percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _resident_mb() -> float:
    """Memory of this process that lies in RAM, where the system tells it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
