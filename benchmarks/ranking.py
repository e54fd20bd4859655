"""nDCG@10 and hit@1 on retrieval sets in BEIR layout, beside the plain way.

    python benchmarks/ranking.py --quick
    python benchmarks/ranking.py --data ../shared/eval/squality ../shared/eval/pyfunc

A set is a folder with corpus.jsonl(.gz), queries.jsonl(.gz) and qrels.tsv. Every document is
written to a file and goes through the whole product: parsing, landmarks, tables, fusion. The
plain way ranks a document by its best chunk. Without --data, and where the shared sets are
absent, the set is made of data/samples and its questions: which file answers.
"""

import argparse
import gzip
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness.corpus import SAMPLES, CorpusFile
from benchmarks.harness.measure import load_ours
from benchmarks.harness.plain import PlainWay, load_plain_way, open_table
from benchmarks.harness.report import Figure, result, table, where
from indexer import DocumentIndex
from lmk_encoder import LandmarkEncoder

CHUNK_DEPTH = 400  # chunks asked for, so that ten documents are among them
QUICK_CHARS = 120_000  # of documents, those that answer first: under 50 s on two cores
BOOTSTRAP_DRAWS = 2_000
CODE_SETS = ("py",)  # sets of this prefix hold Python files


class RetrievalSet(NamedTuple):
    """Files of one set, and its queries with the names of their right files."""

    name: str
    files: list[CorpusFile]
    queries: list[tuple[str, frozenset[str]]]


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark and print what it found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few documents: under 50 seconds")
    parser.add_argument("--data", "--source", type=Path, nargs="+", default=[], help="set folders")
    options = parser.parse_args(argv)
    encoder, plain = load_ours(), load_plain_way()
    rows: list[list[Figure]] = []
    figures: dict[str, Figure] = {}
    for folder in options.data or [None]:
        with tempfile.TemporaryDirectory() as scratch:
            data = load_set(folder, Path(scratch, "files"), quick=options.quick)
            ranked = {"lmk": rank_ours(encoder, data, Path(scratch, "lmk"))}
            if plain is not None:
                ranked["plain"] = rank_plain(plain, data, Path(scratch, "plain"))
        for way, ranking in ranked.items():
            gains = [
                ndcg(found, right) for found, (_, right) in zip(ranking, data.queries, strict=True)
            ]
            firsts = [
                bool(found) and found[0] in right
                for found, (_, right) in zip(ranking, data.queries, strict=True)
            ]
            low, high = interval(gains)
            mean, hit = statistics.fmean(gains), statistics.fmean(firsts)
            rows.append(
                [data.name, way, len(data.files), len(gains), mean, f"{low:.3f}-{high:.3f}", hit]
            )
            prefix = "" if way == "lmk" else f"{way}_"
            figures |= {f"{prefix}ndcg10_{data.name}": mean, f"{prefix}hit1_{data.name}": hit}
        if plain is None:
            figures |= {f"plain_ndcg10_{data.name}": None, f"plain_hit1_{data.name}": None}
    print(where())
    print(f"lmk: {encoder.name} | plain: {plain.model_name if plain else 'not run'}\n")
    print(table(["set", "way", "documents", "queries", "nDCG@10", "95 % interval", "hit@1"], rows))
    print(result("ranking", figures))


def load_set(folder: Path | None, target: Path, *, quick: bool) -> RetrievalSet:
    """Write the documents of a set into ``target``; raises SystemExit if a file is missing."""
    target.mkdir(parents=True)
    if folder is None:
        return _samples(quick=quick)
    suffix = ".py" if folder.name.startswith(CODE_SETS) else ".txt"
    right: dict[str, set[str]] = {}
    for line in _lines(folder / "qrels.tsv"):
        query, document, score = line.split("\t")[:3]
        if score.strip().isdecimal() and int(score) > 0:
            right.setdefault(query, set()).add(document)
    queries = [row for row in _rows(folder, "queries") if row["_id"] in right]
    wanted = set().union(*right.values())
    rows = sorted(_rows(folder, "corpus"), key=lambda row: row["_id"] not in wanted)
    files: dict[str, CorpusFile] = {}
    chars = 0
    for i, row in enumerate(rows):
        chars += len(row["text"])
        if quick and chars > QUICK_CHARS and len(files) > 1:
            break
        path = target / f"{i:06d}{suffix}"
        title = (row.get("title") or "").strip()
        path.write_text(f"{title}\n\n{row['text']}" if title else row["text"], encoding="utf-8")
        files[row["_id"]] = CorpusFile(path, path.name, 1)
    queries = [row for row in queries if right[row["_id"]] & files.keys()]
    named = [
        (row["text"], frozenset(files[d].name for d in right[row["_id"]] if d in files))
        for row in queries
    ]
    return RetrievalSet(folder.name, list(files.values()), named)


def _samples(*, quick: bool) -> RetrievalSet:
    """Which sample file answers. Quick leaves the PDFs out: the code has questions enough."""
    rows = [json.loads(line) for line in _lines(SAMPLES / "questions.jsonl")]
    rows = [row for row in rows if not (quick and row["document"].endswith(".pdf"))]
    folder = SAMPLES / "code" if quick else SAMPLES
    paths = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix != ".jsonl"]
    paths = [path for path in paths if not path.name.startswith(".")]
    files = [CorpusFile(path, str(path.relative_to(SAMPLES)), 1) for path in paths]
    return RetrievalSet(
        "samples", files, [(row["question"], frozenset({row["document"]})) for row in rows]
    )


def _rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    packed = folder / f"{name}.jsonl.gz"
    for line in _lines(packed if packed.exists() else folder / f"{name}.jsonl"):
        yield json.loads(line)


def _lines(path: Path) -> Iterator[str]:
    if not path.exists():
        raise SystemExit(f"{path} does not exist: name a folder in BEIR layout with --data.")
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    yield from (line for line in text.split("\n") if line.strip())


def rank_ours(encoder: LandmarkEncoder, data: RetrievalSet, folder: Path) -> list[list[str]]:
    """Names of the files found for every query, best first."""
    names = {str(file.path.resolve()): file.name for file in data.files}
    with DocumentIndex.open(folder, encoder=encoder) as index:
        index.add([str(file.path) for file in data.files])
        return [
            [
                names[str(Path(path).resolve())]
                for hit in index.search(query, k=10, passages=1)
                for path in hit.paths
            ]
            for query, _ in data.queries
        ]


def rank_plain(plain: PlainWay, data: RetrievalSet, folder: Path) -> list[list[str]]:
    """Names of the files of the nearest chunks, each once, best first."""
    plain.index(data.files, folder)
    chunks = open_table(folder)
    return [
        list(dict.fromkeys(hit.document for hit in plain.search(chunks, query, CHUNK_DEPTH)))
        for query, _ in data.queries
    ]


def ndcg(found: Sequence[str], right: frozenset[str], depth: int = 10) -> float:
    """nDCG with relevance 1 for every right file (trec_eval's gain)."""
    gain = sum(
        1 / math.log2(rank + 1) for rank, name in enumerate(found[:depth], 1) if name in right
    )
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(right), depth) + 1))
    return gain / ideal if ideal else 0.0


def interval(values: Sequence[float]) -> tuple[float, float]:
    """95 % bootstrap interval of the mean over queries."""
    drawn = np.random.default_rng(0).choice(np.array(values), (BOOTSTRAP_DRAWS, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


if __name__ == "__main__":
    main()
