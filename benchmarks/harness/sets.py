"""Retrieval sets as files to index: read as ``lmk eval`` does, cut to size, written out."""

import json
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.corpus import SAMPLES
from lmk_encoder.errors import DataError
from lmk_encoder.evaluation import datasets
from lmk_encoder.evaluation.datasets import CharRange as Range

CODE_SETS = ("py",)  # sets of this prefix hold Python files
TITLE_END = "\n\n"


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
    try:
        data = datasets.load_set(folder)
    except DataError as error:
        raise SystemExit(str(error)) from error
    right = {
        query: {doc for doc, score in row.items() if score > 0} for query, row in data.qrels.items()
    }
    wanted = {doc for docs in right.values() for doc in docs}
    kept: list[str] = []
    used = 0
    for doc in sorted(data.documents, key=lambda doc: doc not in wanted):
        used += len(data.documents[doc])
        if chars is not None and used > chars and len(kept) > 1:
            break
        kept.append(doc)
    numbers = {doc: number for number, doc in enumerate(kept)}
    asked = [query for query, docs in right.items() if docs & numbers.keys()]
    if queries is not None and len(asked) > queries:
        asked = [asked[i * len(asked) // queries] for i in range(queries)]
    suffix = ".py" if data.name.startswith(CODE_SETS) else ".txt"
    return RetrievalSet(
        name=data.name,
        texts=[_text(data, doc) for doc in kept],
        names=[f"{i:06d}{suffix}" for i in range(len(kept))],
        queries=[
            _query(data, query, frozenset(numbers[doc] for doc in right[query] if doc in numbers))
            for query in asked
        ],
    )


def _text(data: datasets.RetrievalSet, doc: str) -> str:
    text, title = data.documents[doc], data.titles.get(doc)
    return text if title is None else title + TITLE_END + text[len(title) + 1 :]


def _query(data: datasets.RetrievalSet, query: str, right: frozenset[int]) -> Query:
    evidence = data.evidence.get(query)
    if evidence is None:
        return Query(data.queries[query], right)
    shift = len(TITLE_END) - 1 if evidence.doc_id in data.titles else 0
    ranges = tuple((start + shift, end + shift) for start, end in evidence.ranges)
    if evidence.is_extract:
        return Query(data.queries[query], right, answer=ranges[0])
    return Query(data.queries[query], right, spans=ranges)


def sample_set() -> RetrievalSet:
    """The sample code and pages (no PDFs) with their questions: which file answers."""
    lines = (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
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
