"""The options that every benchmark takes."""

import argparse
from pathlib import Path

from benchmarks.harness.corpus import default_sources


def make_parser(description: str | None, *, pages: int, rounds: int) -> argparse.ArgumentParser:
    """``--quick``, ``--source``, ``--pages``, ``--rounds`` and ``--plain-dtype``.

    ``pages`` and ``rounds`` are what a full run takes; ``--quick`` has its own.
    """
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a small corpus: under 50 seconds")
    parser.add_argument(
        "--source",
        type=Path,
        nargs="+",
        default=default_sources(),
        help="files or folders to index (default: data/samples, and ../shared/pdfs where it is)",
    )
    parser.add_argument("--pages", type=int, help=f"most pages of a PDF (default: {pages})")
    parser.add_argument("--rounds", type=int, help=f"repeated runs (default: {rounds})")
    parser.add_argument(
        "--plain-dtype",
        choices=("float32", "bfloat16"),
        default="float32",
        help="weights of the plain way (default: float32, as its library does by itself)",
    )
    return parser
