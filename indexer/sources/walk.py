"""Walk the named paths: every file once, with the rule that left a file out.

``.gitignore`` and ``.lmkignore`` hold in the folder they lie in and below. Links to folders
are not followed, nor are links to files outside of the named paths. Version control folders,
caches of tools and indexes are not entered.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.sources.archives import ArchiveRefused, is_archive, members
from indexer.sources.files import (
    MEMBER_SEPARATOR,
    SourceFile,
    exists,
    is_file,
    is_folder,
    mtime_of,
    path_key,
    reason_of,
)
from indexer.sources.ignore import IgnoreRules
from indexer.sources.vendored import is_project, vendored

IGNORE_FILES = (".gitignore", ".lmkignore")
# Folders that hold no documents of the user's own, whatever the ignore files say.
SKIPPED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".lmk", "node_modules", "__pycache__", ".venv", "venv"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".ipynb_checkpoints"}
)
INDEX_MARK = "index.json"


@dataclass(frozen=True, slots=True)
class Found:
    """A path the walk came to: a file, or the rule that left it out, or the error."""

    path: str
    root: str  # key of the named path it was found under
    file: SourceFile | None = None
    excluded: str | None = None
    error: str | None = None


def walk(
    paths: Sequence[Path],
    *,
    hidden: bool = False,
    index_path: Path | None = None,
    archives: bool = False,
    is_code: Callable[[str], bool] | None = None,
) -> Iterator[Found]:
    """Yield what lies under ``paths``, sorted within each folder, each file once.

    A file named itself is always yielded, whatever the rules say. A named path that does not
    exist yields an error, and the walk goes on. Folders left out are yielded as one entry.
    With ``archives``, the members of an archive are yielded in its place. With ``is_code``, which
    tells code by its name, code in folders of copied packages is left out; a folder named itself
    is none of these.
    """
    seen: set[bytes] = set()
    index_key = path_key(index_path) if index_path else None
    inside = tuple(Path(os.path.realpath(path)) for path in paths)
    for path in paths:
        for found in _Walk(path_key(path), hidden, index_key, is_code, inside).of(path):
            if found.file is not None:
                if found.file.raw_path in seen:
                    continue
                seen.add(found.file.raw_path)
                if archives and is_archive(found.file.path):
                    yield from _members(found.file, hidden=hidden)
                    continue
            yield found


Rules = tuple[tuple[Path, str, IgnoreRules], ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder, and what holds in it from above."""

    folder: Path
    rules: Rules = ()
    in_project: bool = False  # of code
    vendored: str | None = ""  # the rule by which its code was copied; None: it was named itself


@dataclass(frozen=True, slots=True)
class _Walk:
    """The walk below one named path."""

    root: str
    hidden: bool
    index_key: str | None
    is_code: Callable[[str], bool] | None
    inside: tuple[Path, ...]  # all named paths, without links

    def of(self, path: Path) -> Iterator[Found]:
        path = Path(os.path.abspath(path))  # noqa: PTH100 - see files.path_key
        try:
            mode = path.stat().st_mode
        except OSError as error:
            yield Found(self.root, self.root, error=reason_of(error))
            return
        if stat.S_ISDIR(mode):
            yield from self._folder(_Place(path, vendored=None))
        else:
            yield _look_at(path, self.root)

    def _folder(self, place: _Place) -> Iterator[Found]:
        # An explicit stack of iterators, not recursion: a tree may be deeper than Python's stack.
        stack = [iter(self._entries(place))]
        while stack:
            item = next(stack[-1], None)
            if item is None:
                stack.pop()
            elif isinstance(item, Found):
                yield item
            else:
                stack.append(iter(self._entries(item)))

    def _entries(self, place: _Place) -> Iterator[Found | _Place]:
        folder = place.folder
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            yield Found(path_key(folder), self.root, error=reason_of(error))
            return
        names = {entry.name for entry in entries}
        rules = place.rules + tuple(_rules_of(folder, names))
        copied = self._vendored(place, names)
        below = replace(
            place, rules=rules, vendored=copied, in_project=place.in_project or is_project(names)
        )
        for entry in entries:
            path = Path(entry.path)
            is_dir = entry.is_dir(follow_symlinks=False)
            rule = _rule_against(entry, path, rules, is_dir=is_dir, hidden=self.hidden)
            if rule is None and entry.is_symlink() and self._leads_outside(path):
                rule = "link that leads outside (name it to index it)"
            if rule is None and is_dir and self.index_key == path_key(path):
                rule = "this index"
            if rule is None and copied and not is_dir and self._is_code(entry.name):
                rule = f"vendored code ({copied}): to read it, index with --all-code"
            if rule is not None:
                yield Found(path_key(path), self.root, excluded=rule)
            elif is_dir:
                yield replace(below, folder=path)
            else:
                yield _look_at(path, self.root)

    def _leads_outside(self, link: Path) -> bool:
        """Whether a link to a file leads out of all that was named. What it leads to may be
        anybody's; a link that leads nowhere is told as such."""
        target = Path(os.path.realpath(link))
        return exists(target) and not any(target.is_relative_to(path) for path in self.inside)

    def _is_code(self, name: str) -> bool:
        return self.is_code is not None and self.is_code(name)

    def _vendored(self, place: _Place, names: set[str]) -> str:
        """The rule by which the code in a folder is copied from elsewhere, or ""."""
        if place.vendored is None or place.vendored:
            return place.vendored or ""
        folder = place.folder
        return vendored(folder.parent.name, folder.name, names, in_project=place.in_project)


def _rules_of(folder: Path, names: set[str]) -> Iterator[tuple[Path, str, IgnoreRules]]:
    for name in IGNORE_FILES:
        if name in names and is_file(folder / name):  # to open a pipe would wait for ever
            try:
                # As git reads it: behind a byte order mark.
                data = (folder / name).read_bytes()
            except OSError:  # an unreadable ignore file must not hide documents
                continue
            text = data.decode("utf-8-sig", errors="surrogateescape")
            yield folder, name, IgnoreRules(text, str(folder / name))


def _rule_against(
    entry: os.DirEntry[str], path: Path, rules: Rules, *, is_dir: bool, hidden: bool
) -> str | None:
    if is_dir and entry.name in SKIPPED_FOLDERS:
        return f"folder {entry.name}"
    if is_dir and _is_index(path):
        return "an index"
    if is_dir and exists(path / ".git"):
        return "a checkout of its own (name it to index it)"
    if entry.is_symlink() and is_folder(path):
        return "link to a folder"
    if entry.name in IGNORE_FILES:
        return "ignore file"
    if entry.name.startswith(".") and not hidden:
        return "hidden"
    # The deepest ignore file that says anything decides, as in git.
    for folder, name, spec in reversed(rules):
        relative = path.relative_to(folder).as_posix()
        verdict = spec.leaves_out(relative, is_folder=is_dir)
        if verdict is not None:
            return f"{name} in {folder}" if verdict else None
    return None


def _is_index(folder: Path) -> bool:
    return is_file(folder / INDEX_MARK) and any(folder.glob("tables-*/landmarks.lance"))


def _look_at(path: Path, root: str) -> Found:
    key = path_key(path)
    try:
        status = path.stat()
    except OSError as error:
        return Found(key, root, error=reason_of(error))
    if not stat.S_ISREG(status.st_mode):
        return Found(key, root, excluded="not a regular file")
    return Found(
        key, root, SourceFile(key, os.fsencode(path), status.st_size, mtime_of(status), root)
    )


def _members(archive: SourceFile, *, hidden: bool) -> Iterator[Found]:
    """The files in an archive, by the rules for folders."""
    try:
        inside = members(archive.open_path())
    except ArchiveRefused as refused:
        yield Found(archive.path, archive.root, excluded=str(refused))
        return
    if not inside:
        yield Found(archive.path, archive.root, excluded="an archive without files")
    for member in inside:
        key = unicodedata.normalize("NFC", f"{archive.path}{MEMBER_SEPARATOR}{member.name}")
        key = key.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
        folders = set(member.name.split("/")[:-1]) & SKIPPED_FOLDERS
        rule = member.excluded or (f"folder {min(folders)}" if folders else None)
        if rule is None and not hidden and re.search(r"(?:\A|/)\.[^/]", member.name):
            rule = "hidden"
        if rule is not None:
            yield Found(key, archive.root, excluded=rule)
            continue
        raw_path = archive.raw_path + os.fsencode(f"{MEMBER_SEPARATOR}{member.name}")
        file = SourceFile(key, raw_path, member.size, archive.mtime_ns, archive.root)
        yield Found(key, archive.root, file)
