"""Headings to nested sections (pure)."""

from collections.abc import Iterable
from typing import NamedTuple

from indexer.documents import Section


class Heading(NamedTuple):
    """Where a titled part begins; it ends where the next of the same or an outer level begins."""

    start: int
    level: int  # 1 is outermost
    title: str


class Definition(NamedTuple):
    """A class, function or module of a program: characters ``[start, end)`` of its text."""

    kind: str  # "class", "function", "module" (which only groups), or "" where it is not told
    name: str
    start: int
    end: int


def nest(headings: Iterable[Heading], end: int) -> tuple[Section, ...]:
    """Sections of ``headings`` in text order; the last ones run to ``end``.

    Example: levels 1, 2, 1 at 0, 10, 30 of 50 give [0, 30), [10, 30), [30, 50).
    """
    ordered = sorted(headings, key=lambda heading: heading.start)
    ends = [end] * len(ordered)
    open_: list[int] = []
    for i, heading in enumerate(ordered):
        while open_ and ordered[open_[-1]].level >= heading.level:
            ends[open_.pop()] = heading.start
        open_.append(i)
    return tuple(
        Section(heading.title, heading.start, stop, heading.level)
        for heading, stop in zip(ordered, ends, strict=True)
        if heading.title and stop > heading.start
    )


def distinct(offsets: Iterable[int], end: int) -> tuple[int, ...]:
    """Offsets inside ``(0, end)``, each once, rising: the form that breaks and borders have."""
    return tuple(sorted({offset for offset in offsets if 0 < offset < end}))
