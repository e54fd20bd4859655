"""``python -m app --index DIR --port N``: what ``lmk ui`` runs."""

import argparse
import sys
from pathlib import Path

from app.launch import DEFAULT_PORT, launch
from indexer.config import DEFAULT_INDEX
from lmk_encoder.errors import LmkError


def main(arguments: list[str] | None = None) -> int:
    """Parse the arguments, serve until stopped, and return the exit code."""
    parser = argparse.ArgumentParser("python -m app", description="The search page in a browser.")
    parser.add_argument("--index", type=Path, default=Path(DEFAULT_INDEX), help="index folder")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port on this machine")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    options = parser.parse_args(arguments)
    if not options.index.exists():
        say(
            f"There is no index in {options.index} yet. "
            f"Make one with: lmk index PATH --index {options.index}"
        )
    try:
        return launch(options.index, options.port, open_browser=options.open, on_ready=announce)
    except LmkError as error:
        sys.stderr.write(f"lmk: {error}\n")
        return 1


def announce(url: str) -> None:
    """Tell where the page is, once it is there."""
    say(f"Search page: {url}   (Ctrl-C stops it)")


def say(text: str) -> None:
    """One line to the terminal, at once also through a pipe."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
