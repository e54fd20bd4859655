"""Watch: an index kept in step with its files. The only module that knows watchfiles.

The file system says that something changed; what, the walk finds out as in any run. So ignore
rules hold, nothing is missed when events are lost, and an editor's save by rename is a change.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from watchfiles import Change, DefaultFilter
from watchfiles import watch as changes_of

from indexer.errors import IndexBusy
from indexer.ingest.report import IngestReport
from lmk_encoder.errors import LmkError

logger = logging.getLogger(__name__)
LONGEST_WAIT_S = 60.0  # a file that never comes to rest (a log) must not hold up the others
_BUSY_PAUSE_S = 5.0

Told = Callable[[IngestReport | LmkError], None]
Add = Callable[[], IngestReport]


def watch(
    add: Add,
    paths: Sequence[Path],
    *,
    index_path: Path,
    quiet_s: float,
    on_update: Told | None,
    stop: threading.Event,
) -> None:
    """Call ``add`` now and after every change of ``paths``, until ``stop`` is set."""
    named = [path.absolute() for path in paths]
    # A file is watched through its folder: an editor puts another file in its place.
    folders = {path if path.is_dir() else path.parent for path in named}
    events = changes_of(
        *folders,
        watch_filter=_OurChanges(named, index_path),
        step=int(quiet_s * 1000),
        debounce=int(max(LONGEST_WAIT_S, quiet_s) * 1000),
        rust_timeout=500,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=False,
    )
    due = True  # files may have changed since the last run
    for changes in events:  # an empty set when nothing changed for a while
        due = due or bool(changes)
        if due:
            due = not _update(add, on_update, stop)


class _OurChanges(DefaultFilter):
    """Changes at or below the named paths, but for those that the index itself makes."""

    def __init__(self, named: Sequence[Path], index_path: Path) -> None:
        super().__init__(ignore_paths=[index_path])
        self._named = tuple(named)

    def __call__(self, change: Change, path: str) -> bool:
        if not super().__call__(change, path):
            return False
        return any(Path(path).is_relative_to(named) for named in self._named)


def _update(add: Add, on_update: Told | None, stop: threading.Event) -> bool:
    """Bring the index in step; return whether that is done, or vain to try again."""
    told: IngestReport | LmkError
    try:
        told = add()
    except IndexBusy as error:
        logger.info("%s", error)
        stop.wait(_BUSY_PAUSE_S)
        return False
    except LmkError as error:
        told = error
    if on_update is not None:
        on_update(told)
    return True
