"""Options that several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from unicodedata import category

import typer

from indexer.config import DEFAULT_INDEX, EngineName

if TYPE_CHECKING:
    from indexer.query.filters import Filters

IndexOption = Annotated[
    Path,
    typer.Option(
        "--index",
        "-i",
        envvar="LMK_INDEX",
        help="Folder of the index.",
        show_default=True,
    ),
]
DEFAULT_INDEX_PATH = Path(DEFAULT_INDEX)

EngineOption = Annotated[
    EngineName | None,
    typer.Option("--engine", help="What compares vectors: docs/engines.md.", show_default="auto"),
]
KOption = Annotated[int, typer.Option("-k", min=1, help="Number of documents.")]
PassagesOption = Annotated[int, typer.Option("--passages", min=1, help="Most passages a document.")]
OffsetOption = Annotated[
    int, typer.Option("--offset", min=0, help="Leave out so many: the pages before.")
]
ExplainOption = Annotated[bool, typer.Option("--explain", help="Say how each score came about.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
TypeOption = Annotated[
    list[str] | None,
    typer.Option("--type", help="A kind (pdf, code), a suffix (py); repeatable."),
]
PathOption = Annotated[
    list[str] | None, typer.Option("--path", help="A file, folder or glob (docs/*); repeatable.")
]
LangOption = Annotated[
    list[str] | None, typer.Option("--lang", help="A language (en, python); repeatable.")
]
AfterOption = Annotated[
    str | None, typer.Option("--after", help="Of this day, month or year, or later: 2024-05.")
]
BeforeOption = Annotated[
    str | None, typer.Option("--before", help="Before this day, month or year: 2024.")
]
TitleOption = Annotated[
    list[str] | None, typer.Option("--title", help="Words of the title; repeatable.")
]
_UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")  # categories of Unicode; a tab is harmless


def filters_of(
    type_: list[str] | None,
    path: list[str] | None,
    lang: list[str] | None,
    after: str | None,
    before: str | None,
    title: list[str] | None,
) -> "Filters":
    """The filter options as one value."""
    from indexer.query.filters import Filters

    return Filters(
        type=type_ or (),
        path=path or (),
        lang=lang or (),
        after=after,
        before=before,
        title=title or (),
    )


def nothing_in(index: Path, files: int) -> str:
    """What to do about an index without documents that knows ``files`` files."""
    if files:
        why = f"lmk status --files --index {index}"
        return f"The index holds no document: none of {counted(files, 'file')} was read. Why: {why}"
    return f"The index is empty. Add files with: lmk index PATH --index {index}"


def shown(text: str) -> str:
    """A text for the terminal: what could paint or forge lines is escaped.

    That is control and format characters, halves of pairs, and separators of lines; tabs and
    blanks of every width stay as they are.
    """
    return "".join(c.encode("unicode_escape").decode() if _is_unsafe(c) else c for c in text)


def _is_unsafe(char: str) -> bool:
    return not char.isprintable() and char != "\t" and category(char) in _UNSAFE


def counted(number: int, word: str) -> str:
    """``1 page``, ``2,300 pages``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
