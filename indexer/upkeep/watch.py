"""Watch: an index kept in step with its files. The only module that knows watchfiles.

The file system says that something changed; what, the walk finds out as in any run. So ignore
rules hold, nothing is missed when events are lost, and an editor's save by rename is a change.
"""

import logging
import os
import threading
from collections.abc import Callable, Collection, Sequence
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
_LOOK_S = 0.5  # between two looks at what is watched

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
    folders = [path for path in named if is_folder(path)]
    files = [path for path in named if path not in folders]
    due = True  # files may have changed since the last run
    while not stop.is_set():
        watched = _watched(folders, files)
        there = [place for place, identity in watched.items() if identity]
        if not there:
            due = due and not _update(add, on_update, stop)
            stop.wait(_LOOK_S)
            due = due or _watched(folders, files) != watched
            continue
        targets = [Path(os.path.realpath(file)) for file in files]
        events = changes_of(
            *there,
            watch_filter=_OurChanges([*named, *targets], index_path, there),
            step=int(quiet_s * 1000),
            debounce=int(max(LONGEST_WAIT_S, quiet_s) * 1000),
            rust_timeout=int(_LOOK_S * 1000),
            yield_on_timeout=True,
            stop_event=stop,
            raise_interrupt=False,
            ignore_permission_denied=True,  # the walk lists what may not be read
        )
        try:
            for changes in events:  # an empty set when nothing changed for a while
                # A new folder may well get the number of the one that was deleted before it.
                is_gone = any((Change.deleted, str(place)) in changes for place in there)
                if is_gone or _watched(folders, files) != watched:
                    due = True
                    break
                due = due or bool(changes)
                if due:
                    due = not _update(add, on_update, stop)
        except FileNotFoundError:  # it went away just before it could be watched
            due = True
            stop.wait(_LOOK_S)
        finally:
            events.close()


def _watched(folders: Sequence[Path], files: Sequence[Path]) -> dict[Path, tuple[int, int] | None]:
    """What to watch, and what lies there now; None if nothing does.

    The file system tells of what it was asked to watch, wherever that is moved to, and not of
    what is put in its place. A file is watched through its folder, since an editor puts another
    file in its place, and a link through that of its target, too.
    """
    places = {*folders}
    for file in files:
        places |= {file.parent, Path(os.path.realpath(file)).parent}
    return {place: _identity(place) for place in places}


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


class _OurChanges:
    """Changes at or below the named paths, but for those that the index itself makes and those
    in folders that the walk never enters below a named one. Where the named path itself lies
    (in a checkout of packages, say) is the user's choice. That a watched folder is deleted is
    always told."""

    def __init__(
        self, named: Sequence[Path], index_path: Path, watched: Collection[Path] = ()
    ) -> None:
        self._named, self._index_path = tuple(named), index_path
        self._watched = frozenset(watched)

    def __call__(self, change: Change, path: str) -> bool:
        changed = Path(path)
        if change is Change.deleted and changed in self._watched:
            return True
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
