"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from indexer.config import DEFAULT_INDEX

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


def shown(path: str) -> str:
    """A path for the terminal: control characters, which could paint or forge lines, escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)


def counted(number: int, word: str) -> str:
    """``1 page``, ``2,300 pages``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
