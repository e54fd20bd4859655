"""Retrieval sets in BEIR layout: a folder -> documents, queries, relevance, places of answers.

``corpus.jsonl[.gz]`` (``_id``, ``title``, ``text``), ``queries.jsonl[.gz]`` (``_id``, ``text``)
and ``qrels.tsv`` or ``qrels/test.tsv`` (query, document, score; the header line may be missing).
A model is shown the title and the text joined by a space, and no other field.
"""

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmk_encoder.errors import DataError

Qrels = dict[str, dict[str, int]]
CharRange = tuple[int, int]

_LAYOUT = "A set is a folder with corpus.jsonl, queries.jsonl (or .jsonl.gz) and qrels.tsv."


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a query's answer stands: character ranges of what a model is shown of a document.

    ``is_extract``: the range is the answer itself; else ranges are the parts that it is made from.
    """

    doc_id: str
    ranges: tuple[CharRange, ...]
    is_extract: bool = False


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Texts and what is right. Every query has at least one relevant document.

    ``documents`` and ``queries`` map ids to texts, ``qrels`` query ids to graded documents (a
    score of 0 or less is not relevant). ``evidence`` and ``depths`` (where in its document the
    answer stands, 0 to 1) are there for the queries that tell them; ``titles`` for the documents
    that have one, which then begin with it and a space.
    """

    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    qrels: Qrels
    evidence: dict[str, Evidence] = field(default_factory=dict)
    depths: dict[str, float] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)

    def reduced(self, max_documents: int) -> "RetrievalSet":
        """At most so many documents, those that answer the first queries first.

        Figures of a reduced set are for comparing systems on it, not with the whole set.
        """
        if len(self.documents) <= max_documents:
            return self
        answers = (doc for row in self.qrels.values() for doc, score in row.items() if score > 0)
        ordered = dict.fromkeys(doc for doc in (*answers, *self.documents) if doc in self.documents)
        kept = set(list(ordered)[:max_documents])
        qrels = {
            query: {doc: score for doc, score in row.items() if doc in kept}
            for query, row in self.qrels.items()
        }
        qrels = {query: row for query, row in qrels.items() if any(s > 0 for s in row.values())}
        return RetrievalSet(
            name=self.name,
            documents={doc: text for doc, text in self.documents.items() if doc in kept},
            queries={query: self.queries[query] for query in qrels},
            qrels=qrels,
            evidence={q: e for q, e in self.evidence.items() if q in qrels and e.doc_id in kept},
            depths={query: depth for query, depth in self.depths.items() if query in qrels},
            titles={doc: title for doc, title in self.titles.items() if doc in kept},
        )


def load_set(folder: Path) -> RetrievalSet:
    """Read a folder in BEIR layout; queries without a relevant document are left out.

    Raises:
        DataError: a file is missing or damaged, or a row is broken: file and line are named.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder.", _LAYOUT)
    documents: dict[str, str] = {}
    titles: dict[str, str] = {}
    for where, row in _rows(_find(folder, "corpus.jsonl.gz", "corpus.jsonl")):
        key = _new_id(row, documents, where)
        title = _text(row, "title", where, default="")
        text = _text(row, "text", where)
        documents[key] = f"{title} {text}" if title else text
        if title:
            titles[key] = title
    qrels = _read_qrels(_find(folder, "qrels.tsv", "qrels/test.tsv"))
    queries: dict[str, str] = {}
    evidence: dict[str, Evidence] = {}
    depths: dict[str, float] = {}
    for where, row in _rows(_find(folder, "queries.jsonl.gz", "queries.jsonl")):
        key = _new_id(row, queries, where)
        relevant = {doc for doc, score in qrels.get(key, {}).items() if score > 0}
        if not relevant:
            continue
        queries[key] = _text(row, "text", where)
        if not queries[key].strip():
            raise DataError(f"{where}: the query is blank.", "Give it a text, or take it out.")
        if row.get("depth") is not None:
            depths[key] = _depth(row["depth"], where)
        doc_id = row.get("doc_id") or next(iter(relevant))
        if doc_id in relevant and doc_id in documents:
            shift = len(titles[doc_id]) + 1 if doc_id in titles else 0
            ranges = _ranges(row, where, shift, len(documents[doc_id]))
            if ranges and ("doc_id" in row or len(relevant) == 1):
                is_extract = row.get("answer_start") is not None
                evidence[key] = Evidence(doc_id, ranges, is_extract)
    qrels = {key: qrels[key] for key in queries}
    if not any(doc in documents for row in qrels.values() for doc in row):
        what = f"{folder}: no query has a relevant document in the corpus."
        raise DataError(what, "Check that the ids in qrels are those of the two other files.")
    return RetrievalSet(folder.resolve().name, documents, queries, qrels, evidence, depths, titles)


def _find(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise DataError(f"{folder} has no {' and no '.join(names)}.", _LAYOUT)


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """``("file:line", text)`` of every line that is not blank."""
    number = 0
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
                if text.strip():
                    yield f"{path}:{number}", text
    except UnicodeDecodeError as error:
        raise DataError(f"{path}:{number}: not UTF-8: {error.reason}.", "Re-save it.") from error
    except (OSError, EOFError, zlib.error) as error:
        what = f"{path} cannot be read after line {number}: {error}."
        raise DataError(what, "Copy the file anew.") from error


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for where, line in _lines(path):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataError(f"{where}: not JSON: {error}.", "Mend the line.") from error
        if not isinstance(row, dict):
            raise DataError(f"{where}: no JSON object.", 'Write {"_id": ..., "text": ...}.')
        yield where, row


def _new_id(row: dict[str, Any], known: dict[str, str], where: str) -> str:
    key = row.get("_id")
    if not isinstance(key, str | int) or isinstance(key, bool) or key == "":
        raise DataError(f"{where}: _id is {key!r}.", "Give the row an _id, a string.")
    if str(key) in known:
        raise DataError(f"{where}: the _id {key!r} occurs twice.", "Ids must be unique.")
    return str(key)


def _text(row: dict[str, Any], name: str, where: str, default: str | None = None) -> str:
    value = row.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise DataError(f"{where}: {name} is {value!r}.", f"Give the row a {name}, a string.")
    return value


def _ranges(row: dict[str, Any], where: str, shift: int, length: int) -> tuple[CharRange, ...]:
    """Answer ranges of a query row, moved behind the title; () if it has none."""
    start, spans = row.get("answer_start"), row.get("spans")
    if start is not None:
        spans = [(start, start + max(1, len(_text(row, "answer", where, default=""))))]
    ranges = []
    for span in spans or []:
        match span:
            case [int(first), int(last)] if 0 <= first < last and first + shift < length:
                ranges.append((first + shift, min(last + shift, length)))
            case _:
                what = f"{where}: the answer range {span!r} is not in its document."
                raise DataError(what, "Ranges are [start, end) in characters of the text.")
    return tuple(ranges)


def _depth(value: object, where: str) -> float:
    if isinstance(value, int | float) and 0 <= value <= 1:
        return float(value)
    raise DataError(f"{where}: depth is {value!r}.", "Depths lie between 0 and 1.")


def _read_qrels(path: Path) -> Qrels:
    qrels: Qrels = {}
    for index, (where, line) in enumerate(_lines(path)):
        match line.split("\t"):
            case [query, document, score] if _is_whole(score):
                qrels.setdefault(query.strip(), {})[document.strip()] = int(float(score))
            case [_, _, _] if index == 0:
                continue  # the header
            case _:
                what = f"{where}: {line[:80]!r} is no judgement."
                raise DataError(what, "Write query id, document id and a whole number, with tabs.")
    return qrels


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"\s*-?\d+(\.0*)?\s*", text) is not None
