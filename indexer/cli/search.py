"""``lmk search "question"``: ranked documents with their best passages."""

import json
import time
from typing import Annotated

import typer

from indexer.cli.hits import page_json, print_page
from indexer.cli.options import (
    DEFAULT_INDEX_PATH,
    AfterOption,
    BeforeOption,
    EngineOption,
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
    nothing_in,
)


def search(
    query: Annotated[
        str, typer.Argument(help="A question or words, in any form; operators: docs/query.md.")
    ],
    index: IndexOption = DEFAULT_INDEX_PATH,
    engine: EngineOption = None,
    k: KOption = 10,
    passages: PassagesOption = 3,
    offset: OffsetOption = 0,
    type_: TypeOption = None,
    path: PathOption = None,
    lang: LangOption = None,
    after: AfterOption = None,
    before: BeforeOption = None,
    title: TitleOption = None,
    facets: Annotated[
        bool, typer.Option("--facets", help="Count the results by type, language, year, folder.")
    ] = False,
    explain: ExplainOption = False,
    rerank: Annotated[
        str | None,
        typer.Option("--rerank", help="Second look: landmarks, or a cross-encoder's folder."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the documents that answer a question, and the place in each."""
    from indexer.api import DocumentIndex

    filters = filters_of(type_, path, lang, after, before, title)
    with DocumentIndex.open(index, engine=engine) as opened:
        opened.warm_up()
        begun = time.perf_counter()
        page = opened.search_page(
            query,
            k,
            passages=passages,
            offset=offset,
            filters=filters,
            facets=facets,
            explain=explain,
            rerank=rerank,
        )
        took_ms = (time.perf_counter() - begun) * 1000
        is_empty = not page.total and not opened.status().documents
        known = len(opened.files()) if is_empty else 0
    if as_json:
        # ASCII: what stands in a document must not depend on the terminal's encoding.
        typer.echo(
            json.dumps({**page_json(page, took_ms), "query": query, "understood": page.query})
        )
    else:
        print_page(page, repr(query))
        if is_empty:
            typer.echo(nothing_in(index, known), err=True)
