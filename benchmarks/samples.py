"""Search latency (p50, p95) and how often the first hit is right, beside the plain way.

    python benchmarks/samples.py --quick
    python benchmarks/samples.py --source FOLDER --data data/samples/questions.jsonl

A question is asked of both ways in turn, as a person does: one at a time, the encoding of the
question included. "top1_document" is the share of questions whose first hit is the right file,
"top1_place" the share where its best passage touches the answer's page or lines, "top3_place"
where one of the first three places does: the passages of our first hit, the plain way's first
three chunks.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

# Run as a script, also where the project is installed without this folder.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness.corpus import SAMPLES, Question, gather, load_questions
from benchmarks.harness.measure import ingest_ours, ingest_plain, load_ours
from benchmarks.harness.options import make_parser
from benchmarks.harness.plain import PlainWay, load_plain_way, open_table
from benchmarks.harness.report import Figure, result, table, where
from indexer import DocumentIndex

FULL_PAGES, FULL_ROUNDS = 60, 5
QUICK_PAGES, QUICK_ROUNDS = 8, 2
TOP_K = 10  # documents asked of us, chunks asked of the plain way
PLACES = 3


class Place(NamedTuple):
    """A file, and the first and last page or line of a passage in it."""

    document: str
    first: int
    last: int


Search = Callable[[str], list[Place]]  # the first places shown, best first


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark and print what it found."""
    parser = make_parser(__doc__, pages=FULL_PAGES, rounds=FULL_ROUNDS)
    parser.add_argument(
        "--data",
        type=Path,
        default=SAMPLES / "questions.jsonl",
        help="questions with their places (default: data/samples/questions.jsonl)",
    )
    options = parser.parse_args(argv)
    pages = options.pages or (QUICK_PAGES if options.quick else FULL_PAGES)
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else FULL_ROUNDS)
    sources = options.source[:1] if options.quick else options.source

    with tempfile.TemporaryDirectory() as scratch:
        files = gather(sources, Path(scratch, "files"), max_pages=pages)
        questions = load_questions(options.data, files)
        if not questions:
            raise SystemExit(f"{options.data} asks nothing about these files; see --source.")
        encoder, plain = load_ours(), load_plain_way(options.plain_dtype)
        ingest_ours(encoder, files, Path(scratch, "lmk"))
        index = DocumentIndex.open(Path(scratch, "lmk"), encoder=encoder)
        names = {str(file.path.resolve()): file.name for file in files}
        ways: dict[str, Search] = {"lmk": lambda text: search_ours(index, names, text)}
        if plain is not None:
            ingest_plain(plain, files, Path(scratch, "plain"))
            chunks = open_table(Path(scratch, "plain"))
            ways["plain"] = lambda text: search_plain(plain, chunks, text)
        timings, answers = ask(ways, questions, rounds)
        num_landmarks = index.status().landmarks

    print(where())
    print(f"{len(files)} files, {sum(file.num_pages for file in files)} pages", end=", ")
    print(f"{num_landmarks} landmarks; {len(questions)} questions, {rounds} rounds")
    print(f"lmk: {encoder.name} | plain: {plain.model_name if plain else 'not run'}\n")
    ours = summary(timings["lmk"], answers["lmk"], questions)
    other: dict[str, Figure] = dict.fromkeys(ours)
    if plain is not None:
        other = summary(timings["plain"], answers["plain"], questions)
    print(table(["", "lmk", "plain"], [[name, ours[name], other[name]] for name in ours]))
    prefixed = {f"plain_{name}": value for name, value in other.items()}
    print(result("samples", {**ours, **prefixed}))


def search_ours(index: DocumentIndex, names: Mapping[str, str], text: str) -> list[Place]:
    """The passages of our first hit; ``names`` are those of the files."""
    hits = index.search(text, k=TOP_K, passages=PLACES)
    return [
        Place(names[str(Path(hit.path).resolve())], passage.first, passage.last)
        for hit in hits[:1]
        for passage in hit.passages
    ]


def search_plain(plain: PlainWay, chunks: Any, text: str) -> list[Place]:
    """The first chunks of the table."""
    hits = plain.search(chunks, text, TOP_K)
    return [Place(hit.document, hit.first, hit.last) for hit in hits[:PLACES]]


def ask(
    ways: dict[str, Search], questions: Sequence[Question], rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[list[Place]]]]:
    """Milliseconds of every search, and the answers of the last round, for each way."""
    timings: dict[str, list[float]] = {way: [] for way in ways}
    answers: dict[str, list[list[Place]]] = {}
    for search in ways.values():  # caches fill, files are mapped: not what a second query costs
        for question in questions[:3]:
            search(question.text)
    for _ in range(rounds):
        answers = {way: [] for way in ways}
        for question in questions:
            for way, search in ways.items():
                began = time.perf_counter()
                answers[way].append(search(question.text))
                timings[way].append(1000 * (time.perf_counter() - began))
    return timings, answers


def summary(
    timings: Sequence[float], answers: Sequence[Sequence[Place]], questions: Sequence[Question]
) -> dict[str, Figure]:
    """Latencies and the shares of questions answered at the first places."""
    pairs = list(zip(answers, questions, strict=True))
    hits = [[question.is_answered_by(*place) for place in places] for places, question in pairs]
    return {
        "p50_ms": statistics.median(timings),
        "p95_ms": statistics.quantiles(timings, n=20, method="inclusive")[-1],
        "top1_document": statistics.fmean(
            bool(places) and places[0].document == question.document for places, question in pairs
        ),
        "top1_place": statistics.fmean(any(hit[:1]) for hit in hits),
        "top3_place": statistics.fmean(any(hit) for hit in hits),
    }


if __name__ == "__main__":
    main()
