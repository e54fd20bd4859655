"""The index as the screens use it: opened once a process, answers kept in bounded caches.

Everything here is shared by all sessions, so that a tab costs no memory of its own. Each
cache is keyed by the index's generation: after a run of ``lmk index`` the next click sees
the new state, without a restart. Answers are frozen values and are shared, not copied.
"""

import argparse
import contextlib
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from app.formatting import Range
from app.syntax import Token, tokens
from indexer import (
    DocumentIndex,
    FileRecord,
    LandmarkHeat,
    LmkError,
    PageImage,
    Passage,
    SearchPage,
    Status,
    StoredDocument,
)
from indexer.config import DEFAULT_INDEX

PASSAGES = 3  # passages on a result card


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of results and how long the index took for it."""

    page: SearchPage
    took_ms: float


def index_path(arguments: Sequence[str] | None = None) -> Path:
    """The folder named after ``--`` in ``streamlit run app/main.py -- --index DIR``."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--index", type=Path, default=Path(DEFAULT_INDEX))
    known, _ = parser.parse_known_args(sys.argv[1:] if arguments is None else arguments)
    path: Path = known.index
    return path.resolve()


def status() -> Status:
    """Counts of the index. Raises IndexNotFound, IndexMismatch."""
    return _status(*_state())


def files() -> list[FileRecord]:
    """Every file seen by indexing, with its state and reason."""
    return _files(*_state())


def search(query: str, num_hits: int, offset: int = 0) -> Answer:
    """A page of results, searched once for each query and state of the index."""
    return _search(*_state(), query, num_hits, offset)


def similar(doc_id: str, at: Range | None, num_hits: int, offset: int = 0) -> Answer:
    """Documents that resemble a document, or a range of its text. Raises KeyError, ValueError."""
    return _similar(*_state(), doc_id, at, num_hits, offset)


def passages(query: str, doc_id: str) -> tuple[Passage, ...]:
    """The best places of one document for a query. Raises KeyError."""
    return _passages(*_state(), query, doc_id)


def heat(query: str, doc_id: str) -> tuple[LandmarkHeat, ...]:
    """The score of every landmark of a document, in text order.

    Nothing if the document has left the index since it was found: indexing may go on
    beside the screens.
    """
    try:
        return _heat(*_state(), query, doc_id)
    except KeyError:
        return ()


def document(doc_id: str) -> StoredDocument:
    """A document with its text. Raises KeyError if the index does not hold it."""
    return _document(*_state(), doc_id)


def syntax(doc_id: str) -> tuple[Token, ...]:
    """The coloured parts of a program."""
    return _syntax(*_state(), doc_id)


def page_image(doc_id: str, page: int, ranges: tuple[Range, ...], scale: float = 2.0) -> PageImage:
    """A PDF page as an image, with the boxes of ``ranges`` on it."""
    return _page_image(*_state(), doc_id, page, ranges, scale)


def warm_up() -> None:
    """Begin to load the model beside the screen, so that the first query need not wait."""
    _warm_up(*_state())


def _state() -> tuple[str, str]:
    """The index's folder, and what its answers hold for: reading it costs one small file."""
    path = index_path()
    return str(path), _open(str(path)).version


@st.cache_resource(max_entries=4, show_spinner="Opening the index …")
def _open(path: str) -> DocumentIndex:
    return DocumentIndex.open(path)


@st.cache_resource(max_entries=4, show_spinner=False)
def _warm_up(path: str, state: str) -> threading.Thread:
    index = _open(path)

    def load() -> None:
        # What is wrong with the model is told where it is needed: by the search itself.
        with contextlib.suppress(LmkError):
            index.warm_up()

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    return thread


@st.cache_resource(max_entries=4, show_spinner="Opening the index …")
def _status(path: str, state: str) -> Status:
    return _open(path).status()


@st.cache_resource(max_entries=2, show_spinner=False)
def _files(path: str, state: str) -> list[FileRecord]:
    return _open(path).files()


@st.cache_resource(max_entries=200, show_spinner="Searching …")
def _search(path: str, state: str, query: str, num_hits: int, offset: int) -> Answer:
    index = _open(path)
    index.warm_up()  # the model's loading is not the query's time
    start = time.perf_counter()
    page = index.search_page(query, num_hits, passages=PASSAGES, offset=offset, explain=True)
    return Answer(page, took_ms=(time.perf_counter() - start) * 1000)


@st.cache_resource(max_entries=100, show_spinner="Searching …")
def _similar(
    path: str, state: str, doc_id: str, at: Range | None, num_hits: int, offset: int
) -> Answer:
    start = time.perf_counter()
    page = _open(path).similar_page(
        doc_id, place=at, k=num_hits, offset=offset, passages=PASSAGES, facets=False, explain=True
    )
    return Answer(page, took_ms=(time.perf_counter() - start) * 1000)


@st.cache_resource(max_entries=200, show_spinner=False)
def _passages(path: str, state: str, query: str, doc_id: str) -> tuple[Passage, ...]:
    return _open(path).passages(query, doc_id, limit=PASSAGES)


@st.cache_resource(max_entries=64, show_spinner=False)  # a long book's is 2 MB
def _heat(path: str, state: str, query: str, doc_id: str) -> tuple[LandmarkHeat, ...]:
    return tuple(_open(path).heat(query, doc_id))


# A text of a 1,000-page book is some 3 MB; a page image at double size about 0.4 MB.
@st.cache_resource(max_entries=20, show_spinner="Opening the document …")
def _document(path: str, state: str, doc_id: str) -> StoredDocument:
    return _open(path).document(doc_id)


@st.cache_resource(max_entries=20, show_spinner=False)
def _syntax(path: str, state: str, doc_id: str) -> tuple[Token, ...]:
    stored = _document(path, state, doc_id)
    return tokens(stored.text, stored.language, stored.path)


@st.cache_resource(max_entries=60, show_spinner="Drawing the page …")
def _page_image(
    path: str, state: str, doc_id: str, page: int, ranges: tuple[Range, ...], scale: float
) -> PageImage:
    return _open(path).page_image(doc_id, page, ranges=ranges, scale=scale)
