"""``lmk ui``: the search page in the browser."""

import os
import sys
from typing import Annotated

import typer

from indexer.cli.options import DEFAULT_INDEX_PATH, IndexOption
from indexer.store.manifest import read_manifest


def ui(
    index: IndexOption = DEFAULT_INDEX_PATH,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8501,
) -> None:
    """Serve the search page on this machine and print its address. Ctrl-C ends it."""
    read_manifest(index)  # a clear error before a server is started
    # The app lies above this package and is only ever started, never imported from here.
    # -P: not the package `app` of the folder we happen to stand in.
    arguments = ["-P", "-m", "app", "--index", str(index), "--port", str(port)]
    os.execv(sys.executable, [sys.executable, *arguments])
