"""What a run has to do: pure comparison of the ledger with what the walk found."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from indexer.documents import FileRecord, State
from indexer.sources.files import SourceFile, is_under
from indexer.sources.walk import Found

# A file written in the same moment as it was read can change again without a new time stamp.
RACY_NS = 2_000_000_000
# What may become readable without a change of the file: by a password, another parser, more memory.
RETRIED: frozenset[State] = frozenset({"failed", "locked"})


@dataclass(frozen=True, slots=True)
class Plan:
    """``suspects`` must be read; ``unchanged`` need nothing; ``gone`` are paths to take out.

    ``marked`` are ledger rows for what was left out or could not be looked at; those equal to
    the row already there are not in it. ``missing`` are named paths that do not exist: they
    are reported, and no row is kept of them.
    """

    suspects: tuple[SourceFile, ...]
    unchanged: tuple[FileRecord, ...]
    marked: tuple[FileRecord, ...]
    gone: tuple[FileRecord, ...]
    missing: tuple[FileRecord, ...]


def make_plan(
    known: Mapping[str, FileRecord],
    found: Iterable[Found],
    roots: Collection[str],
    *,
    now_ns: int,
    now_possible: Collection[str] = (),
    is_of_now: Callable[[FileRecord], bool] = lambda _: True,
) -> Plan:
    """Compare. A path below a folder that could not be read is kept, not taken for deleted.

    A file that was left out, or not read in full, is looked at again if its reason names something
    that is ``now_possible`` (``asks_for``), and one whose document is not what the same bytes give
    today (``is_of_now``): its project's README has changed.
    """
    suspects: list[SourceFile] = []
    unchanged: list[FileRecord] = []
    marked: list[FileRecord] = []
    missing: list[FileRecord] = []
    seen: set[str] = set()
    unreadable: list[str] = []
    for item in _each_once(found):
        seen.add(item.path)
        old = known.get(item.path)
        if item.file is not None:
            if old is not None and is_unchanged(old, item.file, now_possible) and is_of_now(old):
                unchanged.append(old)
            else:
                suspects.append(item.file)
            continue
        if item.error is not None:
            unreadable.append(item.path)
            if item.path in roots:
                missing.append(_mark(item, now_ns))
                continue  # it may come back (an unmounted disk): `lmk remove` takes it out
        new = _mark(item, now_ns)
        if old is not None and (old.state, old.reason) == (new.state, new.reason):
            unchanged.append(old)
        else:
            marked.append(new)
    gone = [
        record
        for path, record in known.items()
        if path not in seen
        and any(is_under(path, root) for root in roots)
        and not any(is_under(path, folder) for folder in unreadable)
    ]
    return Plan(tuple(suspects), tuple(unchanged), tuple(marked), tuple(gone), tuple(missing))


def _each_once(found: Iterable[Found]) -> list[Found]:
    """One entry for every path. A file beats a rule that leaves it out: it was named itself.

    Files of one key are several if their names differ: in their normal form, or since one spells
    out the bytes of another one that are no UTF-8. The key goes to the one that is named exactly
    so, else to the first in the order of bytes; the others get another spelling (``_spellings``).
    """
    entries: dict[str, Found] = {}
    rivals: dict[str, dict[bytes, Found]] = {}  # of a key, if there are several
    for item in found:
        before = entries.get(item.path)
        if before is None or before.file is None:
            entries[item.path] = item
        elif item.file is not None and item.file.raw_path != before.file.raw_path:
            all_of_key = rivals.setdefault(item.path, {before.file.raw_path: before})
            all_of_key.setdefault(item.file.raw_path, item)
    for key, files in rivals.items():
        exact = {raw_path for raw_path, item in files.items() if next(_spellings(item)) == key}
        first, *others = sorted(files, key=lambda raw_path: (raw_path not in exact, raw_path))
        entries[key] = files[first]
        for raw_path in others:
            path = next(path for path in _spellings(files[raw_path]) if path not in entries)
            file = files[raw_path].file
            assert file is not None
            entries[path] = replace(files[raw_path], path=path, file=replace(file, path=path))
    return list(entries.values())


def _spellings(item: Found) -> Iterator[str]:
    """Other keys for a file, all below its root: as the disk spells it, then with all of it that
    is not plain spelt out, and then its backslashes again and again."""
    assert item.file is not None
    parts = os.fsdecode(item.file.raw_path).split("/")
    own = min(item.root.count("/") + 1, len(parts) - 1) if item.root != "/" else 1
    head = item.path.split("/")[:own]
    spelled = "/".join(parts[own:])
    yield "/".join([*head, os.fsencode(spelled).decode("utf-8", "backslashreplace")])
    while True:
        spelled = spelled.encode("unicode_escape").decode()
        yield "/".join([*head, spelled])


def is_unchanged(old: FileRecord, file: SourceFile, now_possible: Collection[str] = ()) -> bool:
    """Whether size and time stamp prove that the file needs no reading. What is ``RETRIED``
    always does."""
    return (
        old.state not in RETRIED
        and not asks_for(old, now_possible)
        and (old.size, old.mtime_ns, old.raw_path) == (file.size, file.mtime_ns, file.raw_path)
        and old.mtime_ns + RACY_NS < old.seen_at
    )


def asks_for(record: FileRecord, now_possible: Collection[str]) -> bool:
    """Whether the reason why a file was not read in full names something that is there by now
    ("lmk[ocr]"), or a limit that is another one by now ("max_file_mb = 512")."""
    reason = record.reason or ""
    for what in now_possible:
        name, is_limit, _ = what.partition(" = ")
        if is_limit:
            if f"{name} = " in reason and f"{what}." not in reason:
                return True
        elif what in reason:
            return True
    return False


def _mark(item: Found, now_ns: int) -> FileRecord:
    return FileRecord(
        path=item.path,
        raw_path=item.path.encode(),
        doc_id=None,
        size=-1,
        mtime_ns=0,
        content_hash=None,
        state="failed" if item.error else "excluded",
        reason=item.error or item.excluded,
        source_root=item.root,
        seen_at=now_ns,
    )
