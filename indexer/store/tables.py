"""The LanceDB tables of one index. With ``vector_index`` all that knows
lancedb's table API.

Filters are built here from values by ``quoted``, never from text that came from outside.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from indexer.errors import DiskFull, IndexDamaged
from indexer.store import schema
from indexer.store.lance import FTS, BTree, MatchQuery, connect, is_failure, query_of, run
from indexer.store.vector_files import (
    FOLDER,
    missing_fragments,
    remove_other_files,
    split_ids,
    spoiled_fragments,
    write_files,
)
from indexer.store.vector_index import VectorIndex, find_index, nearest_rows, train_index

# Versions that a reader in another process may still hold are kept this long.
KEEP_VERSIONS = timedelta(minutes=15)
_DISK_FULL = ("No space left", "os error 28", "Disk quota exceeded", "os error 122")
_IN_LIST = 500  # values in one IN (...) filter
_STREAMED = 16_384  # rows of a batch: each is a way to the engine and back
_TAKEN = 8_192  # rows taken by number at a time
_FEW = 4  # up to one row in so many is taken by number
_TEXT_INDEX = "search_text_idx"  # the name that the engine gives it
VECTOR_INDEX_ROWS = 100_000  # fewer landmarks are compared one by one (docs/engines.md)
_SCALAR_INDEX_ROWS = 20_000  # with fewer landmarks a scan of doc_id is as fast as its index


def quoted(value: str) -> str:
    """A SQL string literal. The only escape is the doubled quote; a backslash is a character."""
    return "'" + value.replace("'", "''") + "'"


def one_of(column: str, values: Collection[str]) -> str:
    """The filter ``column IN (values)``."""
    return f"{column} IN ({', '.join(quoted(value) for value in sorted(values))})"


def _damage(told: str, tables: str) -> str:
    """What of the folder ``tables`` cannot be used, in plain words: the engine's own ones name
    places in its source."""
    if found := re.search(rf"\b{re.escape(tables)}/[^\s,]+\.\w+", told):
        return f"its file {found[0]} is missing or cannot be read"
    if found := re.search(r"Table '(\w+)' was not found", told):
        return f"its table {found[1]} is missing"
    return "a file of its tables is cut off or changed"


def _see(index: Path) -> str:
    return f"See what is wrong with: lmk doctor --index {index}"


class TextFound(NamedTuple):
    """Rows that full text found, best first: the table's numbers of them, and their BM25."""

    row_ids: np.ndarray
    scores: np.ndarray


class Tables:
    """``files``, ``documents`` and ``landmarks`` of one index, each at the version it was opened.

    Tables are opened in the order files, documents, landmarks: a document that ``files``
    shows was complete in the others before, so a later version of them holds it too.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._vector_indexes: dict[str, VectorIndex | None] = {}
        connection = connect(str(folder))
        with self._usable():
            self.files = connection.open_table("files")
            self.documents = connection.open_table("documents")
            self.landmarks = connection.open_table("landmarks")
            columns = [table.schema.names for table in self.all()]
        for table, names in zip(self.all(), columns, strict=True):
            if "doc_id" not in names:  # its list of columns is gone
                index = self.folder.parent
                what = f"The index in {index} is damaged: its table {table.name} has lost columns."
                raise IndexDamaged(what, _see(index))

    @classmethod
    def create(cls, folder: Path, dimension: int) -> "Tables":
        """Make the empty tables with their full-text indexes in a new folder, and open them."""
        connection = connect(str(folder))
        connection.create_table("files", schema=schema.FILES)
        connection.create_table("documents", schema=schema.documents(dimension))
        connection.create_table("landmarks", schema=schema.landmarks(dimension))
        tables = cls(folder)
        tables.ensure_indexes()
        return tables

    def all(self) -> tuple[Any, Any, Any]:
        """The three tables, in the order they are opened in."""
        return self.files, self.documents, self.landmarks

    # -- reading ---------------------------------------------------------------------------

    def read(self, table: Any, columns: Sequence[str], where: str | None = None) -> pa.Table:
        """All rows (that match ``where``) of a table, only ``columns``."""
        query = table.search()
        if where is not None:
            query = query.where(where)
        with self._usable():
            return query.select(list(columns)).limit(None).to_arrow()

    def batches(self, table: Any, rows: int) -> Iterator[pa.RecordBatch]:
        """All rows of a table in batches of up to ``rows``, all columns."""
        with self._usable():
            yield from table.search().select(table.schema.names).limit(None).to_batches(rows)

    def read_in(
        self, table: Any, columns: Sequence[str], column: str, values: Iterable[str]
    ) -> pa.Table:
        """Rows whose ``column`` is among ``values``, only ``columns``."""
        wanted = sorted(set(values))
        parts = [
            self.read(table, columns, one_of(column, wanted[i : i + _IN_LIST]))
            for i in range(0, len(wanted), _IN_LIST)
        ]
        if not parts:
            return self.read(table, columns, "false")
        return pa.concat_tables(parts)

    def stream(self, table: Any, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All rows of a table in batches, with ``_rowid``, the table's number of each."""
        with self._usable():
            query = table.search().select(list(columns)).with_row_id(True).limit(None)
            yield from query.to_batches(_STREAMED)

    def take(self, table: Any, columns: Sequence[str], row_ids: np.ndarray) -> pa.Table:
        """Rows by the table's numbers of them, in no certain order; only ``columns``."""
        with self._usable():
            if not len(row_ids):
                return self.read(table, columns, "false")
            return table.take_row_ids(row_ids.tolist()).select(list(columns)).to_arrow()

    def nearest(self, table: Any, vector: np.ndarray, number: int) -> np.ndarray:
        """Numbers of about the ``number`` rows of a table that are nearest to a vector."""
        with self._usable():
            if table.name not in self._vector_indexes:  # of this version: asked for once
                self._vector_indexes[table.name] = find_index(table)
            return nearest_rows(table, vector, number, self._vector_indexes[table.name])

    def has_vector_index(self, table: Any) -> bool:
        """Whether a table has a vector index."""
        with self._usable():
            return find_index(table) is not None

    def text_landmarks(
        self, terms: Sequence[str], limit: int, among: Collection[str] | None = None
    ) -> TextFound:
        """The best landmarks holding any term; only of the documents ``among``, if given."""
        return self._full_text(self.landmarks, terms, limit, among)

    def text_documents(
        self, terms: Sequence[str], limit: int, among: Collection[str] | None = None
    ) -> TextFound:
        """The best documents holding any term; only those ``among``, if given."""
        return self._full_text(self.documents, terms, limit, among)

    def _full_text(
        self, table: Any, terms: Sequence[str], limit: int, among: Collection[str] | None
    ) -> TextFound:
        query = query_of(table).nearest_to_text(MatchQuery(" ".join(terms), "search_text"))
        # Numbers only: any column would have to be fetched row by row.
        query = query.with_row_id().select(["_rowid", "_score"]).limit(limit)
        if among is not None:
            query = query.where(one_of("doc_id", among))
        with self._usable():
            rows = run(query)
        return TextFound(rows["_rowid"].to_numpy(), rows["_score"].to_numpy())

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Say what it means if the engine cannot read or write what a table lists."""
        try:
            yield
        except BaseException as error:  # a panic need not be an Exception
            if not is_failure(error):
                raise
            index = self.folder.parent
            if any(sign in str(error) for sign in _DISK_FULL):
                raise DiskFull(
                    f"The disk that holds the index in {index} is full.",
                    "Make room, then run again: what was published is kept.",
                ) from error
            raise IndexDamaged(
                f"The index in {index} is damaged: {_damage(str(error), self.folder.name)}.",
                _see(index),
            ) from error

    def has_full_text(self) -> bool:
        """Whether both full-text indexes are there."""
        return all(self._full_text_stats())

    def unindexed_rows(self) -> int:
        """Rows that full text finds only by a scan."""
        return sum(int(stats.num_unindexed_rows) for stats in self._full_text_stats() if stats)

    def _full_text_stats(self) -> list[Any]:
        with self._usable():
            return [t.index_stats(_TEXT_INDEX) for t in (self.documents, self.landmarks)]

    def broken_indexes(self) -> Iterator[tuple[Any, str]]:
        """Tables and names of those indexes on texts and vectors that cannot be read: each is
        asked for a row that is stored."""
        for table in (self.documents, self.landmarks):
            with self._usable():
                query = table.search().where("search_text != ''").limit(1)
                stored = query.select(["search_text", "vector"]).to_arrow().to_pylist()
                vectors = find_index(table)
            for row in stored:
                try:
                    self._full_text(table, row["search_text"].split()[:1], 1, None)
                except IndexDamaged:
                    yield table, _TEXT_INDEX
                try:
                    with self._usable():
                        nearest_rows(table, np.asarray(row["vector"], np.float32), 1, vectors)
                except IndexDamaged:
                    if vectors is None:
                        raise
                    yield table, vectors.name

    # -- writing ---------------------------------------------------------------------------

    def drop_broken_indexes(self) -> None:
        """Remove them; ``ensure_indexes`` and ``optimize`` make them anew."""
        for table, name in list(self.broken_indexes()):
            with self._usable():
                table.drop_index(name)

    def publish(self, files: pa.Table, documents: pa.Table, landmarks: pa.Table) -> None:
        """Add whole documents and make them visible: one atomic write of ``files`` at the end."""
        with self._usable():
            if landmarks.num_rows:
                self.landmarks.add(landmarks)
            if documents.num_rows:
                self.documents.add(documents)
        self.upsert_files(files)

    def append(self, table: Any, rows: pa.Table) -> None:
        """Add rows as they are: for tables that nobody sees yet."""
        with self._usable():
            table.add(rows)

    def upsert_files(self, files: pa.Table) -> None:
        """Insert or replace rows of ``files`` by path, in one atomic write."""
        if files.num_rows:
            merge = self.files.merge_insert("path").when_matched_update_all()
            with self._usable():
                merge.when_not_matched_insert_all().execute(files)

    def delete_files(self, paths: Collection[str]) -> None:
        """Remove rows of ``files``. A document that no other path holds is visible no more."""
        self._delete(self.files, "path", paths)

    def delete_documents(self, doc_ids: Collection[str]) -> None:
        """Remove the rows of documents that no row of ``files`` points to."""
        self._delete(self.documents, "doc_id", doc_ids)
        self._delete(self.landmarks, "doc_id", doc_ids)

    def sweep(self) -> int:
        """Remove what an interrupted run left invisible; return the number of documents swept."""
        visible = set(self.read(self.files, ["doc_id"])["doc_id"].drop_null().unique().to_pylist())
        stored: set[str] = set()
        for table in (self.documents, self.landmarks):
            stored |= set(self.read(table, ["doc_id"])["doc_id"].unique().to_pylist())
        self.delete_documents(stored - visible)
        return len(stored - visible)

    def optimize(self) -> None:
        """Fold new rows into the indexes, compact small files, drop versions nobody reads."""
        with self._usable():
            if self.landmarks.count_rows() >= _SCALAR_INDEX_ROWS:
                for table in (self.landmarks, self.documents):
                    if not table.index_stats("doc_id_idx"):
                        table.create_index("doc_id", config=BTree())
            for table in self.all():
                table.optimize(cleanup_older_than=KEEP_VERSIONS)
            self._vector_indexes.clear()
            train_index(self.landmarks, at_least=VECTOR_INDEX_ROWS)
            self._keep_vectors()

    def spoiled_vectors(self) -> set[int]:
        """Fragments whose mapped vectors are not those of the table; reads all vectors."""
        if not (self.folder / FOLDER).exists():
            return set()
        return spoiled_fragments(self.folder, self.stream(self.landmarks, ["vector"]))

    def forget_vectors(self, fragments: Collection[int]) -> None:
        """Remove files of vectors; ``optimize`` writes them anew."""
        ids = np.concatenate([b["_rowid"] for b in self.stream(self.landmarks, ["ordinal"])])
        kept = np.unique(split_ids(ids)[0])
        remove_other_files(self.folder, keep=kept[~np.isin(kept, list(fragments))])

    def _keep_vectors(self) -> None:
        """Have the files of vectors that readers of a large table map, and no others."""
        number = self.landmarks.count_rows()
        if number < VECTOR_INDEX_ROWS:
            return
        numbers = [b["_rowid"].to_numpy() for b in self.stream(self.landmarks, ["ordinal"])]
        row_ids = np.concatenate(numbers)
        dimension = self.landmarks.schema.field("vector").type.list_size
        missing = missing_fragments(self.folder, row_ids, dimension)
        fragments, _ = split_ids(row_ids)
        wanted = row_ids[np.isin(fragments, missing)]
        if len(wanted) < number // _FEW:
            batches = self._taken(self.landmarks, ["vector"], wanted)
        else:  # everything read in order is faster than a good part of it by number
            batches = self.stream(self.landmarks, ["vector"])
        if len(wanted):
            write_files(self.folder, missing, batches)
        remove_other_files(self.folder, keep=np.unique(fragments))

    def _taken(
        self, table: Any, columns: Sequence[str], row_ids: np.ndarray
    ) -> Iterator[pa.RecordBatch]:
        for i in range(0, len(row_ids), _TAKEN):
            some = row_ids[i : i + _TAKEN]
            yield from self.take(table, [*columns, "_rowid"], some).to_batches()

    def ensure_indexes(self) -> None:
        """Make the full-text indexes that are not there."""
        # Terms arrive normalised (indexer.analysis): the engine must only split at spaces.
        config = FTS(
            base_tokenizer="whitespace",
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
            max_token_length=None,
            with_position=False,
        )
        for table, stats in zip(
            (self.documents, self.landmarks), self._full_text_stats(), strict=True
        ):
            if not stats:
                with self._usable():
                    table.create_index("search_text", config=config)

    def _delete(self, table: Any, column: str, values: Collection[str]) -> None:
        ordered = sorted(values)
        with self._usable():
            for i in range(0, len(ordered), _IN_LIST):
                table.delete(one_of(column, ordered[i : i + _IN_LIST]))
