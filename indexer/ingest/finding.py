"""What the walk is told by the settings: one call for a run and for what counts pending work."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from indexer.config import Settings
from indexer.parsing.code_languages import is_code_name
from indexer.sources.walk import Found, walk


def find_files(paths: Sequence[Path], settings: Settings, index_path: Path) -> Iterator[Found]:
    """Walk ``paths`` by the rules of ``settings``; the index itself is left out."""
    return walk(
        paths,
        hidden=settings.hidden_files,
        index_path=index_path,
        archives=settings.archives,
        is_code=None if settings.all_code else is_code_name,
    )
