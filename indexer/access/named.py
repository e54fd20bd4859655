"""Paths that a person named: whether they are there, and what to do if not."""

from collections.abc import Sequence
from pathlib import Path

from indexer.errors import SourceNotFound
from indexer.sources.files import path_key, why_absent


def as_paths(paths: Sequence[str | Path] | str | Path) -> list[Path]:
    """Paths of one or several. Raises SourceNotFound for "", which would be all that lies in the
    working folder: it mostly is a variable without a value."""
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    if "" in named:
        raise SourceNotFound(
            'paths: "" names no file.', 'Name files or folders; "." is the working folder.'
        )
    return [Path(path) for path in named]


def require_some(paths: Sequence[Path]) -> None:
    """Raise SourceNotFound unless one of the paths is there."""
    if not paths:
        raise SourceNotFound("Nothing to index: no path was named.", "Name files or folders.")
    absent = [told for path in paths if (told := absence(path))]
    if len(absent) == len(paths):
        raise SourceNotFound(
            f"Nothing to index: {', '.join(absent)}.",
            "Check the path. If it was deleted, take out what it held: lmk remove PATH.",
        )


def absence(path: Path) -> str:
    """That a path does not exist or cannot be looked at, in words; "" if it can."""
    why = why_absent(path)
    if why is None:
        return ""
    return f"{path} {why}" if why == "does not exist" else f"{path} cannot be read ({why})"


def require_all(paths: Sequence[Path], roots: Sequence[str], index_path: Path) -> None:
    """Raise SourceNotFound unless all paths are there. ``roots`` are those that the index was made
    of: with one of them, documents go."""
    missing = [path for path in paths if absence(path)]
    known = {path_key(Path(root)) for root in roots}
    if missing and path_key(missing[0]) not in known:
        raise SourceNotFound(f"{absence(missing[0])}.", "Check the path.")
    if missing:
        raise SourceNotFound(
            f"{absence(missing[0])}, and its documents would be lost.",
            f"Bring it back, or take it out first: lmk remove {missing[0]} --index {index_path}",
        )
    if not paths:
        raise SourceNotFound(
            "The index does not tell which files it was made of.",
            f"Name them: lmk index PATH --rebuild --index {index_path}",
        )
