"""``lmk similar PATH[:PLACE]``: documents that resemble a document, or a place in it."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indexer.cli.hits import page_json, print_page
from indexer.cli.options import (
    DEFAULT_INDEX_PATH,
    AfterOption,
    BeforeOption,
    ExplainOption,
    IndexOption,
    JsonOption,
    KOption,
    LangOption,
    OffsetOption,
    PassagesOption,
    PathOption,
    TitleOption,
    TypeOption,
    filters_of,
)
from indexer.errors import SourceNotFound

if TYPE_CHECKING:
    from indexer.api import DocumentIndex
    from indexer.store.documents import StoredDocument


def similar(
    document: Annotated[
        str,
        typer.Argument(metavar="PATH[:PLACE]", help="An indexed file; a page, line or LINE-LINE."),
    ],
    index: IndexOption = DEFAULT_INDEX_PATH,
    k: KOption = 10,
    passages: PassagesOption = 3,
    offset: OffsetOption = 0,
    type_: TypeOption = None,
    path: PathOption = None,
    lang: LangOption = None,
    after: AfterOption = None,
    before: BeforeOption = None,
    title: TitleOption = None,
    explain: ExplainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find the documents that resemble a document, or a page or lines of it."""
    from indexer.api import DocumentIndex

    with DocumentIndex.open(index) as opened:
        doc_id, place = _find(opened, document)
        begun = time.perf_counter()
        page = opened.similar_page(
            doc_id,
            place=place,
            k=k,
            offset=offset,
            passages=passages,
            filters=filters_of(type_, path, lang, after, before, title),
            explain=explain,
            facets=False,
        )
        took_ms = (time.perf_counter() - begun) * 1000
    if as_json:
        typer.echo(json.dumps({**page_json(page, took_ms), "like": document}))
    else:
        print_page(page, f"what resembles {document}")


def _find(index: "DocumentIndex", named: str) -> tuple[str, tuple[int, int] | None]:
    """The document and the range that ``PATH`` or ``PATH:PLACE`` names."""
    whole = index.doc_id_of(named)
    if whole is not None:
        return whole, None
    path, _, place = named.rpartition(":")
    doc_id = index.doc_id_of(path) if path else None
    if doc_id is None:
        raise SourceNotFound(
            f"The index {index.path} holds no document of the file {Path(named).absolute()}.",
            "Look for its path in: lmk status --files",
        )
    return doc_id, _range(index.document(doc_id), place)


def _range(document: "StoredDocument", place: str) -> tuple[int, int]:
    """``12`` or ``12-14``: units of the document, from 1."""
    first, _, last = place.partition("-")
    total = len(document.unit_starts)
    last = last or first
    numbers = first.isdecimal() and last.isdecimal()
    if not (numbers and 1 <= int(first) <= total and int(first) <= int(last)):
        raise SourceNotFound(
            f"{document.path} has no {document.unit} {place}.", f"It has 1 to {total:,}."
        )
    stop = min(int(last), total)
    ends = (*document.unit_starts[1:], len(document.text))
    start, end = document.unit_starts[int(first) - 1], ends[stop - 1]
    if start >= end:
        raise SourceNotFound(
            f"{document.path} has no text in {document.unit} {place}.", "Name another place."
        )
    return start, end
