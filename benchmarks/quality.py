"""Quality of the ranking and of the places, ours beside what others build, in one table.

    python benchmarks/quality.py --quick
    python benchmarks/quality.py --data ../shared/eval/squality ../shared/eval/pyfunc

A set is a folder with corpus.jsonl(.gz), queries.jsonl(.gz) and qrels.tsv. Ours goes through
the whole product: every document is a file (.py in sets of code, else .txt, the title first),
all are indexed with default settings, and DocumentIndex.search answers. The signals of ours are
also shown alone. Without --data the set is the sample code with its questions.

``passage@k``: of the queries that tell where their answer stands, the share whose right
document is among the ten hits and holds the answer in its first k passages (``answer_start``:
all of it; ``spans``: part of one). ``bytes_per_doc``: vectors and word lists kept for searching.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness.figures import DEPTH, PLACES, Answer, figures
from benchmarks.harness.report import Figure, result, table, where
from benchmarks.harness.rivals import BaseModel, Rivals, load_base_model
from benchmarks.harness.sets import Query, RetrievalSet, load_set, sample_set
from indexer import DocumentIndex
from lmk_encoder import LandmarkEncoder

QUICK_CHARS = 60_000  # of documents of each set, those that answer first
QUICK_QUERIES = 100
SIGNALS: Mapping[str, Mapping[str, float]] = {
    "signal_document": {"document": 1.0},
    "signal_landmark": {"places": 1.0},
    "signal_text": {"text_places": 0.35, "text_document": 0.65},
}
SHOWN = ("ndcg@10", "recall@10", "passage@1", "passage@3", "bytes_per_doc")

Figures = dict[str, Any]


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark and print what it found."""
    options = _options(argv)
    encoder = LandmarkEncoder(options.model)
    base = load_base_model(options.base_dtype) if options.rivals else None
    print(where())
    print(f"ours: {encoder.name} ({encoder.fingerprint[:12]})\n")
    found: dict[str, dict[str, Figures]] = {}
    for folder in options.data or [None]:
        data = _load(folder, options)
        systems = dict(_ours(encoder, data))
        if options.rivals:
            systems |= dict(_rivals(base, data, options.cache, options.base_dtype))
        found[data.name] = systems
        print(_shown(data, systems), flush=True)
    print(result("quality", found))


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few documents: under 50 seconds")
    parser.add_argument("--data", "--source", type=Path, nargs="+", default=[], help="set folders")
    parser.add_argument("--model", type=Path, help="checkpoint instead of the built-in model")
    parser.add_argument("--chars", type=int, help="most characters of documents of each set")
    parser.add_argument("--queries", type=int, help="most queries of each set")
    parser.add_argument("--cache", type=Path, help="folder that keeps the figures of the rivals")
    parser.add_argument("--no-rivals", dest="rivals", action="store_false", help="only ours")
    parser.add_argument(
        "--base-dtype",
        choices=("float32", "bfloat16"),
        default="float32",
        help="weights of the rivals' model (default: float32, as its library does by itself)",
    )
    return parser.parse_args(argv)


def _load(folder: Path | None, options: argparse.Namespace) -> RetrievalSet:
    if folder is None:
        return sample_set()
    chars = options.chars or (QUICK_CHARS if options.quick else None)
    queries = options.queries or (QUICK_QUERIES if options.quick else None)
    return load_set(folder, chars=chars, queries=queries)


def _ours(encoder: LandmarkEncoder, data: RetrievalSet) -> Iterator[tuple[str, Figures]]:
    with (
        tempfile.TemporaryDirectory() as scratch,
        DocumentIndex.open(Path(scratch, "index"), encoder=encoder) as index,
    ):
        paths = data.write(Path(scratch, "files"))
        report = index.add(paths)
        if report.failed:
            raise SystemExit(f"Not indexed: {report.failed[0].path}: {report.failed[0].reason}")
        numbers = {str(path): i for i, path in enumerate(paths)}
        stored = _Stored(index, data)
        size = index.status().search_bytes / len(paths)
        for system, weights in [("ours", None), *SIGNALS.items()]:
            answers = []
            for query in data.queries:
                hits = index.search(query.text, DEPTH, passages=PLACES, weights=weights)
                documents, places = [], {}
                for hit in hits:
                    own = [numbers[path] for path in hit.paths]
                    documents += own
                    for number in set(own) & query.right:
                        shown = [(p.start, p.end) for p in hit.passages]
                        places[number] = stored.as_written(number, hit.doc_id, shown, query)
                answers.append(Answer(documents, places))
            yield system, figures(answers, data.queries, size)


class _Stored:
    """Where the characters of the indexed texts stood in the files: parsing may change them."""

    def __init__(self, index: DocumentIndex, data: RetrievalSet) -> None:
        self._index, self._data = index, data
        self._texts: dict[str, str] = {}

    def as_written(
        self, number: int, doc_id: str, places: Sequence[tuple[int, int]], query: Query
    ) -> list[tuple[int, int]]:
        """Ranges of the stored text as ranges of the text in the file.

        They are the same unless a character before them changed: then the place is found by
        the words around its beginning, and left out if it is not there.
        """
        if not query.has_place:
            return []
        if doc_id not in self._texts:
            self._texts[doc_id] = self._index.document(doc_id).text
        stored, written = self._texts[doc_id], self._data.texts[number]
        if stored == written:
            return list(places)
        moved = []
        for start, end in places:
            nearest = _nearest(written, stored[start:end], start)
            if nearest is not None:
                moved.append((nearest, nearest + end - start))
        return moved


def _nearest(text: str, part: str, place: int) -> int | None:
    """Where ``part`` begins in ``text``, as near to ``place`` as there is."""
    before = text.rfind(part, 0, place + len(part))
    after = text.find(part, place)
    found = [at for at in (before, after) if at >= 0]
    return min(found, key=lambda at: abs(at - place), default=None)


def _rivals(
    base: BaseModel | None, data: RetrievalSet, cache: Path | None, dtype: str
) -> Iterator[tuple[str, Figures]]:
    """Figures of every rival. They depend on nothing of ours, so they can be kept."""
    rivals = Rivals(data.texts, base)
    asked = [query.text for query in data.queries]
    digest = hashlib.sha256(json.dumps([data.texts, asked, dtype]).encode()).hexdigest()[:16]
    for name in rivals.names:
        kept = cache / f"{data.name}-{name}-{digest}.json" if cache else None
        if kept is not None and kept.exists():
            yield name, json.loads(kept.read_text(encoding="utf-8"))
            continue
        answers, size = rivals.ask(name, asked)
        counted = figures(answers, data.queries, size)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(counted), encoding="utf-8")
        yield name, counted


def _shown(data: RetrievalSet, systems: Mapping[str, Figures]) -> str:
    rows: list[list[Figure]] = []
    for system, counted in systems.items():
        low, high = counted["ci"]
        first, *rest = (counted[name] for name in SHOWN)
        rows.append([system, first, f"{low:.3f}-{high:.3f}", *rest])
    head = f"{data.name}: {len(data.texts)} documents, {len(data.queries)} queries"
    columns = ["system", SHOWN[0], "95 % interval", *SHOWN[1:]]
    return f"{head}\n{table(columns, rows)}\n"


if __name__ == "__main__":
    main()
