"""Watch: an index kept in step with its files. The only module that knows watchfiles.

The file system says that something changed; what, the walk finds out as in any run. So ignore
rules hold, nothing is missed when events are lost, and an editor's save by rename is a change.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from watchfiles import Change
from watchfiles import watch as changes_of

from indexer.errors import IndexBusy
from indexer.ingest.report import IngestReport
from indexer.sources.files import is_folder
from indexer.sources.walk import SKIPPED_FOLDERS
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
    folders = {path if is_folder(path) else path.parent for path in named}
    events = changes_of(
        *folders,
        watch_filter=_OurChanges(named, index_path),
        step=int(quiet_s * 1000),
        debounce=int(max(LONGEST_WAIT_S, quiet_s) * 1000),
        rust_timeout=500,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=False,
        ignore_permission_denied=True,  # the walk lists what may not be read
    )
    due = True  # files may have changed since the last run
    for changes in events:  # an empty set when nothing changed for a while
        due = due or bool(changes)
        if due:
            due = not _update(add, on_update, stop)


class _OurChanges:
    """Changes at or below the named paths, but for those that the index itself makes and those
    in folders that the walk never enters below a named one. Where the named path itself lies
    (in a checkout of packages, say) is the user's choice."""

    def __init__(self, named: Sequence[Path], index_path: Path) -> None:
        self._named, self._index_path = tuple(named), index_path

    def __call__(self, change: Change, path: str) -> bool:
        changed = Path(path)
        if changed.is_relative_to(self._index_path):
            return False
        return any(
            SKIPPED_FOLDERS.isdisjoint(changed.relative_to(named).parts[:-1])
            for named in self._named
            if changed.is_relative_to(named)
        )


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
    except OSError as error:  # a disk that is just going away must not end a watch of months
        told = LmkError(f"The files cannot be read: {error}.", "The next change tries again.")
    if on_update is not None:
        on_update(told)
    return True
