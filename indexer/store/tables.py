"""The LanceDB tables of one index. The only file that knows lancedb's table API.

Filters are built here from values by ``quoted``, never from text that came from outside.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS, BTree
from lancedb.query import MatchQuery

from indexer.errors import IndexMismatch
from indexer.store import schema

# Versions that a reader in another process may still hold are kept this long.
KEEP_VERSIONS = timedelta(minutes=15)
_IN_LIST = 500  # values in one IN (...) filter
_SCALAR_INDEX_ROWS = 20_000  # below this a scan of doc_id is as fast as its index


def quoted(value: str) -> str:
    """A SQL string literal. The only escape is the doubled quote; a backslash is a character."""
    return "'" + value.replace("'", "''") + "'"


def one_of(column: str, values: Collection[str]) -> str:
    """The filter ``column IN (values)``."""
    return f"{column} IN ({', '.join(quoted(value) for value in sorted(values))})"


class Tables:
    """``files``, ``documents`` and ``landmarks`` of one index, each at the version it was opened.

    Tables are opened in the order files, documents, landmarks: a document that ``files``
    shows was complete in the others before, so a later version of them holds it too.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        connection = lancedb.connect(str(folder))
        try:
            self.files = connection.open_table("files")
            self.documents = connection.open_table("documents")
            self.landmarks = connection.open_table("landmarks")
        except ValueError as error:  # what lancedb raises for a table that is not there
            raise IndexMismatch(
                f"The tables of the index in {folder} are not complete: {error}.",
                f"Make it anew with: lmk index --rebuild --index {folder.parent}",
            ) from error

    @classmethod
    def create(cls, folder: Path, dimension: int) -> "Tables":
        """Make the empty tables with their full-text indexes in a new folder, and open them."""
        connection = lancedb.connect(str(folder))
        connection.create_table("files", schema=schema.FILES)
        connection.create_table("documents", schema=schema.documents(dimension))
        connection.create_table("landmarks", schema=schema.landmarks(dimension))
        tables = cls(folder)
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
        for table in (tables.documents, tables.landmarks):
            table.create_index("search_text", config=config)
        return tables

    # -- reading ---------------------------------------------------------------------------

    def read(self, table: Any, columns: Sequence[str], where: str | None = None) -> pa.Table:
        """All rows (that match ``where``) of a table, only ``columns``."""
        query = table.search()
        if where is not None:
            query = query.where(where)
        with self._readable():
            return query.select(list(columns)).limit(None).to_arrow()

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

    def text_landmarks(
        self, terms: Sequence[str], limit: int, among: Collection[str] | None = None
    ) -> pa.Table:
        """``doc_id``, ``ordinal``, ``_score`` (BM25) of the best landmarks holding any term;
        only of the documents ``among``, if that is given."""
        return self._full_text(self.landmarks, ["doc_id", "ordinal"], terms, limit, among)

    def text_documents(
        self, terms: Sequence[str], limit: int, among: Collection[str] | None = None
    ) -> pa.Table:
        """``doc_id``, ``_score`` (BM25) of the best documents holding any term."""
        return self._full_text(self.documents, ["doc_id"], terms, limit, among)

    def _full_text(
        self,
        table: Any,
        columns: list[str],
        terms: Sequence[str],
        limit: int,
        among: Collection[str] | None,
    ) -> pa.Table:
        query = MatchQuery(" ".join(terms), "search_text")
        found = table.search(query, query_type="fts").select([*columns, "_score"])
        if among is not None:
            found = found.where(one_of("doc_id", among), prefilter=True)
        with self._readable():
            return found.limit(limit).to_arrow()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Say what it means if rows that a table lists cannot be read from the disk."""
        try:
            yield
        except (RuntimeError, OSError) as error:
            reason = str(error).partition("\n")[0][:200]
            raise IndexMismatch(
                f"The index in {self._folder.parent} is damaged: {reason}.",
                f"Make it anew with: lmk index --rebuild --index {self._folder.parent}",
            ) from error

    def unindexed_rows(self) -> int:
        """Rows that full text finds only by a scan."""
        stats = [t.index_stats("search_text_idx") for t in (self.documents, self.landmarks)]
        return sum(int(s.num_unindexed_rows) for s in stats if s)

    # -- writing ---------------------------------------------------------------------------

    def publish(self, files: pa.Table, documents: pa.Table, landmarks: pa.Table) -> None:
        """Add whole documents and make them visible: one atomic write of ``files`` at the end."""
        if landmarks.num_rows:
            self.landmarks.add(landmarks)
        if documents.num_rows:
            self.documents.add(documents)
        self.upsert_files(files)

    def upsert_files(self, files: pa.Table) -> None:
        """Insert or replace rows of ``files`` by path, in one atomic write."""
        if files.num_rows:
            merge = self.files.merge_insert("path").when_matched_update_all()
            merge.when_not_matched_insert_all().execute(files)

    def delete_files(self, paths: Collection[str]) -> None:
        """Remove rows of ``files``. A document that no other path holds is visible no more."""
        _delete(self.files, "path", paths)

    def delete_documents(self, doc_ids: Collection[str]) -> None:
        """Remove the rows of documents that no row of ``files`` points to."""
        _delete(self.documents, "doc_id", doc_ids)
        _delete(self.landmarks, "doc_id", doc_ids)

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
        if self.landmarks.count_rows() >= _SCALAR_INDEX_ROWS and not self.landmarks.index_stats(
            "doc_id_idx"
        ):
            self.landmarks.create_index("doc_id", config=BTree())
        for table in (self.files, self.documents, self.landmarks):
            table.optimize(cleanup_older_than=KEEP_VERSIONS)


def _delete(table: Any, column: str, values: Collection[str]) -> None:
    ordered = sorted(values)
    for i in range(0, len(ordered), _IN_LIST):
        table.delete(one_of(column, ordered[i : i + _IN_LIST]))
