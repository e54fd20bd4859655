"""Retrieval sets in BEIR layout: corpus.jsonl(.gz), queries.jsonl(.gz), qrels.tsv.

A query may say where in its right document the answer stands: ``answer`` with
``answer_start``, or ``spans``, a list of [start, end) ranges; characters of the row's text.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.corpus import SAMPLES

CODE_SETS = ("py",)  # sets of this prefix hold Python files
TITLE_END = "\n\n"

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Query:
    """A question, the numbers of its right documents, and where the answer stands in them.

    ``answer``: all of this range must be shown; ``spans``: any of them.
    """

    text: str
    right: frozenset[int]
    answer: Range | None = None
    spans: tuple[Range, ...] = ()

    @property
    def has_place(self) -> bool:
        """Whether the query tells where its answer stands."""
        return self.answer is not None or bool(self.spans)

    def is_held_by(self, start: int, end: int) -> bool:
        """Whether a passage of a right document holds the answer, or touches one of its spans."""
        if self.answer is not None:
            return start <= self.answer[0] and self.answer[1] <= end
        return any(start < stop and begin < end for begin, stop in self.spans)


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Documents as they are indexed (title first, where there is one) and their queries."""

    name: str
    texts: list[str]
    names: list[str]  # of the files, distinct
    queries: list[Query]

    @property
    def has_places(self) -> bool:
        """Whether any query tells where its answer stands."""
        return any(query.has_place for query in self.queries)

    def write(self, folder: Path) -> list[Path]:
        """Write every document into a file of its own; the paths in the order of ``texts``."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / name for name in self.names]
        for path, text in zip(paths, self.texts, strict=True):
            # The bytes as they are: a line end must not change its length.
            path.write_bytes(text.encode("utf-8", "replace"))
        return paths


def load_set(folder: Path, *, chars: int | None = None, queries: int | None = None) -> RetrievalSet:
    """Read a set; with ``chars``, only the first documents up to so many characters, those that
    answer a query first, and their queries; at most ``queries`` of them, spread evenly."""
    right: dict[str, set[str]] = {}
    for line in _lines(folder / "qrels.tsv"):
        query, document, score = line.split("\t")[:3]
        if score.strip().isdecimal() and int(score) > 0:
            right.setdefault(query, set()).add(document)
    asked = [row for row in _rows(folder, "queries") if row["_id"] in right]
    wanted = {document for row in asked for document in right[row["_id"]]}
    texts: list[str] = []
    numbers: dict[str, int] = {}
    shifts: list[int] = []
    used = 0
    for row in sorted(_rows(folder, "corpus"), key=lambda row: row["_id"] not in wanted):
        used += len(row["text"])
        if chars is not None and used > chars and len(texts) > 1:
            break
        title = (row.get("title") or "").strip()
        head = f"{title}{TITLE_END}" if title else ""
        numbers[row["_id"]] = len(texts)
        shifts.append(len(head))
        texts.append(head + row["text"])
    asked = [row for row in asked if right[row["_id"]] & numbers.keys()]
    if queries is not None and len(asked) > queries:
        asked = [asked[i * len(asked) // queries] for i in range(queries)]
    suffix = ".py" if folder.name.startswith(CODE_SETS) else ".txt"
    names = [f"{i:06d}{suffix}" for i in range(len(texts))]
    found = [_query(row, right[row["_id"]], numbers, shifts) for row in asked]
    return RetrievalSet(folder.name, texts, names, found)


def _query(
    row: dict[str, Any], right: set[str], numbers: dict[str, int], shifts: list[int]
) -> Query:
    known = frozenset(numbers[document] for document in right if document in numbers)
    shift = shifts[min(known)]
    answer = None
    if row.get("answer_start") is not None:
        begin = shift + int(row["answer_start"])
        answer = (begin, begin + len(row["answer"]))
    spans = tuple((shift + begin, shift + end) for begin, end in row.get("spans") or ())
    return Query(row["text"], known, answer, spans)


def sample_set() -> RetrievalSet:
    """The sample code and pages (no PDFs) with their questions: which file answers."""
    rows = [json.loads(line) for line in _lines(SAMPLES / "questions.jsonl")]
    paths = [p for p in sorted((SAMPLES / "code").rglob("*")) if p.is_file() and p.name[0] != "."]
    numbers = {path.relative_to(SAMPLES).as_posix(): i for i, path in enumerate(paths)}
    texts = [path.read_text(encoding="utf-8") for path in paths]
    names = [f"{i:06d}-{path.name}" for i, path in enumerate(paths)]
    queries = [
        Query(row["question"], frozenset({numbers[row["document"]]}))
        for row in rows
        if row["document"] in numbers
    ]
    return RetrievalSet("samples", texts, names, queries)


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
