"""Files of training data as rows by number: JSON Lines, folders of them, BEIR folders."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.errors import DataError
from lmk_encoder.training.lines import JsonLines
from lmk_encoder.training.rows import Pair, Row, Text, parse_row

_SUFFIXES = ("", ".gz", ".xz")


class Rows(Protocol):
    """Rows by number. All are of one kind: pairs, or texts without questions."""

    @property
    def has_queries(self) -> bool:
        """Whether the rows are pairs."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int) -> Row: ...


def open_rows(path: Path, where: Mapping[str, str] | None = None) -> Rows:
    """Open a file or folder of training data and check every row of it.

    Args:
        where: only rows of JSON Lines that hold these values under these keys.
        path: a ``.jsonl`` file (``.gz``, ``.xz``), a folder of such files, or a folder in BEIR
            layout (``corpus.jsonl``, ``queries.jsonl``, ``qrels.tsv`` or ``qrels/train.tsv``).

    Raises:
        DataError: nothing is there, or a row cannot be used: its file and line are named.
    """
    if path.is_dir():
        if _find(path, "corpus.jsonl") is not None:
            return BeirRows(path)
        files = sorted(file for suffix in _SUFFIXES for file in path.glob(f"*.jsonl{suffix}"))
        if not files:
            fix = "Name a file of JSON Lines, a folder of them, or a folder in BEIR layout."
            raise DataError(f"{path} holds no .jsonl file.", fix)
        return FileRows(files, where)
    return FileRows([path], where)


class FileRows:
    """The rows of one or more JSON Lines files, one after another."""

    def __init__(self, paths: list[Path], where: Mapping[str, str] | None = None) -> None:
        self._files = [JsonLines(path) for path in paths]
        wanted = (where or {}).items()
        self._places = [
            (number, line)
            for number, file in enumerate(self._files)
            for line in range(len(file))
            if not wanted or wanted <= file[line].items()
        ]
        if not self._places:
            with_values = f" with {dict(wanted)}" if wanted else ""
            raise DataError(f"{paths[0]} has no rows{with_values}.", "Name a file with data in it.")
        self.has_queries = isinstance(self[0], Pair)
        for row in range(len(self)):
            if isinstance(self[row], Pair) is not self.has_queries:
                kind = "a pair" if self.has_queries else "a plain text"
                what = f"{self._where(row)} is of another kind: the first row is {kind}."
                raise DataError(what, "Keep pairs and plain texts in different files.")

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, row: int) -> Row:
        try:
            return parse_row(self._values(row))
        except ValueError as error:
            what = f"{self._where(row)} cannot be used: {error}."
            raise DataError(what, "Mend or delete the line.") from error

    def clusters(self, key: str) -> NDArray[np.int64]:
        """(rows,) a number for every different value under ``key``; rows without it share one."""
        values = [json.dumps(self._values(row).get(key)) for row in range(len(self))]
        return np.unique(values, return_inverse=True)[1].astype(np.int64)

    def _values(self, row: int) -> dict[str, Any]:
        file, line = self._places[row]
        return self._files[file][line]

    def _where(self, row: int) -> str:
        file, line = self._places[row]
        return self._files[file].where(line)


class BeirRows:
    """The judged pairs of a BEIR folder: a row for every query and relevant document."""

    has_queries = True

    def __init__(self, folder: Path) -> None:
        self._corpus, self._documents = _by_id(folder, "corpus.jsonl")
        self._queries, self._questions = _by_id(folder, "queries.jsonl")
        self._pairs = self._read_qrels(folder)

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, row: int) -> Pair:
        query, document = self._pairs[row]
        return Pair(str(self._queries[query]["text"]), (document_text(self._corpus[document]),))

    def _read_qrels(self, folder: Path) -> list[tuple[int, int]]:
        """Rows of the query and the document of every judgement above 0."""
        paths = [folder / "qrels.tsv", folder / "qrels" / "train.tsv"]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            fix = "Add the judgements as qrels.tsv: query-id, corpus-id, score."
            raise DataError(f"{folder} has neither qrels.tsv nor qrels/train.tsv.", fix)
        pairs = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            cells = line.split("\t")
            if number == 1 and cells[-1] == "score":
                continue
            if len(cells) != 3 or not cells[2].lstrip("-").isdigit():
                what = f"{path}:{number} is no judgement: {line[:60]!r}."
                raise DataError(what, "Write query-id, corpus-id and score, with tabs between.")
            query, document = self._questions.get(cells[0]), self._documents.get(cells[1])
            if query is None or document is None:
                kind, name = ("query", cells[0]) if query is None else ("document", cells[1])
                what = f"{path}:{number} names the {kind} {name!r}, which is not there."
                raise DataError(what, "Delete the line, or add what it names.")
            if int(cells[2]) > 0:
                pairs.append((query, document))
        if not pairs:
            raise DataError(f"{path} judges nothing as relevant.", "Name another split.")
        return pairs


def document_text(row: dict[str, object]) -> str:
    """Title and text of a BEIR row, joined by a space where there is a title."""
    return f"{row.get('title') or ''} {row['text']}".strip()


def passage_texts(rows: Rows) -> list[str]:
    """Every different text that a query could be answered with, in order of appearance."""
    seen: dict[str, None] = {}
    for number in range(len(rows)):
        row = rows[number]
        for text in (row.text,) if isinstance(row, Text) else row.positives + row.negatives:
            seen.setdefault(text)
    return list(seen)


def _find(folder: Path, name: str) -> Path | None:
    paths = (folder / f"{name}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


def _by_id(folder: Path, name: str) -> tuple[JsonLines, dict[str, int]]:
    """A BEIR file and the row of every ``_id`` in it."""
    path = _find(folder, name)
    if path is None:
        fix = "A BEIR folder holds corpus.jsonl, queries.jsonl and qrels."
        raise DataError(f"{folder} has no {name}.", fix)
    lines = JsonLines(path)
    rows: dict[str, int] = {}
    for row in range(len(lines)):
        values = lines[row]
        if "_id" not in values or not isinstance(values.get("text"), str):
            raise DataError(
                f"{lines.where(row)} lacks '_id' or 'text'.", "Mend or delete the line."
            )
        rows[str(values["_id"])] = row
    return lines, rows
