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
