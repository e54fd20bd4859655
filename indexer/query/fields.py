"""What ``type:``, ``path:``, ``lang:``, ``after:``, ``before:`` and ``title:`` mean. Pure.

The values never become part of a database's query: a document is asked in Python.
"""

import unicodedata
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol, cast, get_args

import regex

from indexer.analysis import fold
from indexer.query.exact import word_begin
from indexer.query.language import Field, FieldName

_DATE = regex.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?", regex.ASCII)


class Facts(Protocol):
    """What is known of a document without reading it."""

    @property
    def kind(self) -> str:
        """``pdf``, ``code`` ..."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that holds it."""

    @property
    def language(self) -> str:
        """``en``, ``python`` ... or nothing."""

    @property
    def name(self) -> str:
        """Its title, else the file's name."""

    @property
    def modified(self) -> int:
        """Nanoseconds since the epoch."""


def field_of(name: str, value: str) -> Field | None:
    """The field with its value in one spelling; None if the value cannot be one of it.

    White space in a value counts as one blank, as it does between quotation marks.
    """
    known = cast("FieldName", name)
    value = " ".join(value.split())
    assert known in get_args(FieldName)
    if known in ("after", "before"):
        return Field(known, value) if begin_ns(value) is not None else None
    if known == "type":
        value = value.lower().lstrip(".") or value
    elif known == "lang":
        value = value.lower()
    return Field(known, value)


def meets(document: Facts, field: Field) -> bool:
    """Whether a document meets a field."""
    value = field.value
    if field.name == "type":
        return document.kind == value or any(
            path.lower().endswith(f".{value}") for path in document.paths
        )
    if field.name == "path":
        pattern = _glob(value)
        return any(pattern.search(_nfc(path)) for path in document.paths)
    if field.name == "lang":
        return document.language.lower() == value
    if field.name == "title":
        return _begins_word(value).search(" ".join(fold(document.name).split())) is not None
    begin = begin_ns(value)
    if begin is None:
        return False
    return document.modified >= begin if field.name == "after" else document.modified < begin


@lru_cache(maxsize=256)
def begin_ns(value: str) -> int | None:
    """When a year, a month or a day begins (``2024``, ``2024-05``, ``2024-05-31``), in UTC:
    nanoseconds since the epoch. None for what is no date."""
    found = _DATE.fullmatch(value)
    if not found:
        return None
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        return int(datetime(year, month, day, tzinfo=UTC).timestamp()) * 1_000_000_000
    except ValueError:
        return None


@lru_cache(maxsize=256)
def _glob(pattern: str) -> regex.Pattern[str]:
    """A file or a folder with all below it, whole parts of a path only.

    ``*`` and ``?`` stand for characters within a part, ``**`` for any folders, a blank for any
    white space; all else is literal. A pattern that begins with ``/`` or a drive begins at the
    root. A backslash divides parts as ``/`` does, or is a character of a name.
    """
    pattern = _nfc(pattern)
    spellings = dict.fromkeys((pattern.replace("\\", "/"), pattern))
    return regex.compile("|".join(map(_glob_body, spellings)), regex.DOTALL)


def _glob_body(pattern: str) -> str:
    anchored = pattern.startswith("/") or regex.match(r"[A-Za-z]:/", pattern)
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    body = "".join(_glob_part(part, last=i + 1 == len(parts)) for i, part in enumerate(parts))
    root = "^/?" if anchored else "(?:^|/)"
    return rf"{root}{body}(?:/|$)"


def _glob_part(part: str, *, last: bool) -> str:
    if part == "**":
        return ".*" if last else "(?:[^/]*/)*"
    signs = {"*": "[^/]*", "?": "[^/]", " ": r"\s+"}
    literal = "".join(signs.get(char) or regex.escape(char) for char in part)
    return literal if last else f"{literal}/"


def _nfc(path: str) -> str:
    return unicodedata.normalize("NFC", path)


@lru_cache(maxsize=256)
def _begins_word(words: str) -> regex.Pattern[str]:
    folded = fold(words)
    return regex.compile(word_begin(folded) + regex.escape(folded))
