"""Ignore files: their lines as patterns, and which of them decides on an entry (pure).

As git reads them: the last pattern that matches an entry decides on it. Since a folder that is
left out is never entered, what lies in a folder is asked for by its own name, never by that of the
folder. A line that is no pattern matches nothing, and the others hold.

Our own, since the library for them (pathspec) ranks lines that match a folder below later ones and
refuses a whole file for one line: it leaves out what git lets in. tests/indexer/sources/test_ignore
compares with git itself.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass

logger = logging.getLogger(__name__)

_ANY_FOLDERS, _ANY_CHARS = "(?:.*/)?", "[^/]*"
_FIRST = {_ANY_FOLDERS: "(?:.*?/)??", _ANY_CHARS: "[^/]*?"}  # the shortest, then longer ones
_CLASS = re.compile(r"\[:(\w*):\]")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t-\\r ",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


@dataclass(frozen=True, slots=True)
class _Pattern:
    matches: re.Pattern[str]
    leaves_out: bool
    folders_only: bool
    names_only: bool  # it is compared with names, not with paths


class IgnoreRules:
    """The patterns of one ignore file.

    Example:
        >>> rules = IgnoreRules("*\\n!*/\\n!*.md\\n")
        >>> [rules.leaves_out(path, is_folder=False) for path in ("a/b.md", "a/b.c")]
        [False, True]
    """

    def __init__(self, text: str, name: str = "") -> None:
        """``name`` is the file's, for the log."""
        self._last_first = list(_patterns(text, name))[::-1]

    def leaves_out(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the entry at ``path``, relative to the folder of the ignore file, is left out;
        None if no pattern says anything of it."""
        name = path.rpartition("/")[2]
        for pattern in self._last_first:
            if pattern.folders_only and not is_folder:
                continue
            if pattern.matches.fullmatch(name if pattern.names_only else path):
                return pattern.leaves_out
        return None


def _patterns(text: str, name: str) -> Iterator[_Pattern]:
    for line in text.split("\n"):  # lines end with a line feed only
        line = _without_spaces(line.removesuffix("\r"))
        if not line or line.startswith("#"):
            continue
        pattern = line.removeprefix("!")
        leaves_out = pattern == line
        folders_only = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        names_only = "/" not in pattern
        try:
            matches = re.compile(_regex(pattern.removeprefix("/"), names_only), re.DOTALL)
        except (ValueError, re.error) as error:
            logger.info("%s: the line %r matches nothing: %s", name, line, error)
            continue
        yield _Pattern(matches, leaves_out, folders_only, names_only)


def _without_spaces(line: str) -> str:
    """Without the spaces at its end, but for one behind a backslash."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if escapes % 2 else bare


def _regex(pattern: str, names_only: bool) -> str:
    """The regular expression of what a pattern matches. Raises ValueError if it is none.

    What stands between two stars is looked for where it comes first, and nowhere else: to try all
    places for each of them may take for ever.
    """
    if not pattern:
        raise ValueError("it is empty")
    begin = next((i for i, char in enumerate(pattern) if char in "*?[\\"), len(pattern))
    parts, at = [re.escape(pattern[:begin])], begin
    last: dict[str, int] = {}  # a kind of stars -> where in ``parts`` those before are
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            stars = len(pattern) - at - len(pattern[at:].lstrip("*"))
            kind = _stars(pattern, begin, at, at + stars, names_only)
            at += stars + (kind == _ANY_FOLDERS)
            if kind in last and (kind == _ANY_FOLDERS or "/" not in parts[last[kind] :]):
                start = last[kind]
                parts[start:] = ["(?>", _FIRST[kind], *parts[start + 1 :], ")"]
            last[kind] = len(parts)
            parts.append(kind)
        elif char == "?":
            parts.append("[^/]")
            at += 1
        elif char == "[":
            found, at = _bracket(pattern, at + 1)
            parts.append(found)
        else:
            at += char == "\\"
            if at == len(pattern):
                raise ValueError("a backslash ends it")
            parts.append(re.escape(pattern[at]))
            at += 1
    return "".join(parts)


def _stars(pattern: str, begin: int, start: int, end: int, names_only: bool) -> str:
    """Stars ``[start, end)`` of a pattern whose first one is at ``begin``."""
    is_part = start == begin or pattern[start - 1] == "/"
    if names_only or end - start == 1 or not is_part:
        return _ANY_CHARS
    if end == len(pattern):
        return ".*"
    return _ANY_FOLDERS if pattern[end] == "/" else _ANY_CHARS


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """The regular expression of a bracket that is open ``at``, and where it ends."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    start, found = at, ""
    while at == start or pattern[at : at + 1] != "]":
        if named := _CLASS.match(pattern, at):
            if named[1] not in _CLASSES:
                raise ValueError(f"[:{named[1]}:] is no class")
            found, at = found + _CLASSES[named[1]], named.end()
            continue
        low, at = _char(pattern, at)
        found += re.escape(low)
        if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("", "]"):
            high, at = _char(pattern, at + 1)
            if low <= high:  # else it holds nothing but its beginning, as in git
                found += f"-{re.escape(high)}"
    return (f"[^/{found}]" if negated else f"(?!/)[{found}]"), at + 1


def _char(pattern: str, at: int) -> tuple[str, int]:
    """The character of a bracket ``at``, and where it ends."""
    at += pattern[at : at + 1] == "\\"
    if at >= len(pattern):
        raise ValueError("its bracket has no end")
    return pattern[at], at + 1
