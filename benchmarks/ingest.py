"""Indexing: speed, where the time goes, memory and size, beside the plain way.

    python benchmarks/ingest.py --quick
    python benchmarks/ingest.py --source FOLDER --pages 100
    python benchmarks/ingest.py --model FOLDER --rivals-python PATH/TO/python

Both ways read the same files in the same run, turn about; medians are shown. The models are
loaded before the clock starts. The plain way is what a user would put together: langchain's
splitter, sentence-transformers with the base model, LanceDB. Our parsers run in processes beside
the encoder, so the shares are of the work (processor time of the parsers, wall time of encoding
and writing), not of the wall time.
"""

import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

# Run as a script, also where the project is installed without this folder.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import outside
from benchmarks.harness.corpus import CorpusFile, gather
from benchmarks.harness.measure import Ingested, ingest_ours, ingest_plain, load_ours
from benchmarks.harness.options import make_parser
from benchmarks.harness.parsing import pdf_rates
from benchmarks.harness.plain import BUILTIN, base_model_folder, load_plain_way
from benchmarks.harness.report import result, table, where
from benchmarks.harness.scale import (
    nochange,
    peak_mb,
    peak_mb_of_all,
    write_long_pdf,
    write_long_text,
)

FULL_PAGES, FULL_ROUNDS = 40, 3
QUICK_PAGES, QUICK_ROUNDS, QUICK_FILES = 5, 1, 6
# Files of the run that changes nothing, and documents of the two runs whose memory is compared.
FULL_UNCHANGED, FULL_DOCUMENTS = 100_000, (1_000, 10_000)
QUICK_UNCHANGED, QUICK_DOCUMENTS = 5_000, (100, 1_000)
LONG_PAGES, LONG_MEGABYTES = 5_000, 200  # of one PDF, of one text; not in a quick run


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark and print what it found."""
    parser = make_parser(__doc__, pages=FULL_PAGES, rounds=FULL_ROUNDS)
    parser.add_argument(
        "--model",
        type=Path,
        help="checkpoint folder that growth is measured with (default: words are counted)",
    )
    parser.add_argument(
        "--rivals-python",
        type=Path,
        help="Python in which frameworks to compare with are installed (default: none are run)",
    )
    options = parser.parse_args(argv)
    pages = options.pages or (QUICK_PAGES if options.quick else FULL_PAGES)
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else FULL_ROUNDS)

    with tempfile.TemporaryDirectory() as scratch:
        everything = gather(options.source, Path(scratch, "files"), max_pages=pages)
        files = spread(everything, QUICK_FILES) if options.quick else everything
        encoder, plain = load_ours(), load_plain_way(options.plain_dtype)
        ways: dict[str, Callable[[Path], Ingested]] = {
            "lmk": lambda folder: ingest_ours(encoder, files, folder)
        }
        if plain is not None:
            ways["plain"] = lambda folder: ingest_plain(plain, files, folder)
        runs: dict[str, list[Ingested]] = {way: [] for way in ways}
        for number in range(rounds):
            for way, run in ways.items():
                runs[way].append(run(Path(scratch, f"{way}-{number}")))
        unchanged = QUICK_UNCHANGED if options.quick else FULL_UNCHANGED
        small, large = QUICK_DOCUMENTS if options.quick else FULL_DOCUMENTS
        grown = {
            **pdf_rates(everything),
            **nochange(Path(scratch, "nochange"), unchanged, options.model),
            "peak_mb_small": peak_mb(Path(scratch, "small"), small, options.model),
            "peak_mb_large": peak_mb(Path(scratch, "large"), large, options.model),
        }
        if not options.quick:
            grown |= long_files(Path(scratch), files, options.model)
        folder = Path(scratch, "rivals")
        outcomes = outside.run_all(
            options.rivals_python, base_model_folder() or BUILTIN, files, folder
        )
        if options.rivals_python is not None:
            outcomes = {"lmk": outside.run_ours(encoder, files, folder), **outcomes}

    num_pages = sum(file.num_pages for file in files)
    print(where())
    print(f"{len(files)} files, {num_pages} pages (a PDF has at most {pages}), {rounds} rounds")
    print(f"lmk: {encoder.name} | plain: {plain.model_name if plain else 'not run'}\n")
    ours = summary(runs["lmk"], num_pages)
    other = summary(runs["plain"], num_pages) if plain else dict.fromkeys(ours)
    print(table(["", "lmk", "plain"], [[name, ours[name], other[name]] for name in ours]))
    print(f"\nparsing, and growth (memory of {small:,} and {large:,} documents):")
    print(table(["", "lmk"], list(grown.items())))
    print("\nframeworks, once on the same files and up to three awkward ones:")
    print(table(*outside.as_table(outcomes)))
    rivals = {k: v for way, found in outcomes.items() for k, v in found.figures(way).items()}
    prefixed = {f"plain_{name}": value for name, value in other.items()}
    print(result("ingest", {**ours, **grown, **prefixed, **rivals}))


def long_files(scratch: Path, files: Sequence[CorpusFile], model: Path | None) -> dict[str, float]:
    """Seconds and peak MB, all processes together, of one PDF of 5,000 pages (those of ``files``
    over and over) and of one text of 200 MB."""
    figures: dict[str, float] = {}
    pdfs = [file.path for file in files if file.path.suffix.lower() == ".pdf"]
    for name, path in (("long_text", "text/files/long.txt"), ("long_pdf", "pdf/files/long.pdf")):
        file = scratch / path
        file.parent.mkdir(parents=True)
        if name == "long_text":
            write_long_text(file, LONG_MEGABYTES)
        elif pdfs:
            write_long_pdf(file, pdfs, LONG_PAGES)
        else:
            continue
        found = peak_mb_of_all(file.parents[1], model)
        figures |= {f"{name}_s": found["seconds"], f"{name}_mb": found["mb"]}
    return figures


def spread(files: Sequence[CorpusFile], count: int) -> list[CorpusFile]:
    """``count`` files evenly from the list, the first among them: some of every source."""
    step = max(len(files) / count, 1)
    return [files[int(i * step)] for i in range(min(count, len(files)))]


def summary(runs: Sequence[Ingested], num_pages: int) -> dict[str, float | None]:
    """The figures of one way: medians over its runs."""
    work = [run.parse + run.encode + run.write for run in runs]
    shares = {
        f"share_{part}": statistics.median(
            getattr(run, part) / total for run, total in zip(runs, work, strict=True)
        )
        for part in ("parse", "encode", "write")
    }
    return {
        "seconds": statistics.median(run.seconds for run in runs),
        "encoder_busy": statistics.median(run.encode / run.seconds for run in runs),
        "bytes_per_token": statistics.median(run.bytes / run.tokens for run in runs),
        "pages_per_s": statistics.median(num_pages / run.seconds for run in runs),
        "tokens_per_s": statistics.median(run.tokens / run.seconds for run in runs),
        "tokens_per_cpu_s": statistics.median(run.tokens / run.cpu_seconds for run in runs),
        **shares,
    }


if __name__ == "__main__":
    main()
