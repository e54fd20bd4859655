"""Where the entries of a PDF's outline stand in its text (pure)."""

import re
from collections.abc import Iterator, Sequence

from indexer.parsing.pdf_structure import OutlineEntry
from indexer.parsing.sections import Heading

# Between the words of a title; joiners and soft hyphens are written in one place, not the other.
_GAP = re.compile("[\\s\u00ad\u200b-\u200f]+")
_PIECE = re.compile("[^-]*-|[^-]+")  # of a word: a line may end behind a hyphen
_QUOTES = "\u2018\u2019\u02bc"  # typesetters curl what bookmarks keep straight
# "3.2 ", "Chapter 4 " and "Chapter 4" on the line above.
_NUMBER = re.compile(r"(?:[^\S\n]*[\w.]{1,12}[^\S\n]+(?:[\w.]{1,4}[^\S\n]*\n)?)?[^\S\n]*")
_SPACES, _BLANKS = re.compile(r"\s*"), re.compile(r"[^\S\n]*")
# Characters looked through for entries without a page: thousands of them in a long document
# would take minutes.
_MAX_SEARCHED = 100_000_000


def place_outline(
    outline: Sequence[OutlineEntry], text: str, starts: Sequence[int]
) -> Iterator[Heading]:
    """Where the outline's entries stand in the text: at their words, else at their page's start.

    Two entries of one page are found one behind the other, so that a title that occurs
    twice is not taken for one place. An entry whose page is not known is looked for between
    its neighbours, and left out if it fills no line there. ``starts`` are those of the pages.
    """
    find = _Finder(text).find
    ends = (*starts[1:], len(text))
    next_pages = _next_pages(outline, len(starts))
    searched: dict[int, int] = {}  # page -> offset behind the last heading found on it
    behind = 0  # the last heading
    left = _MAX_SEARCHED
    for entry, next_page in zip(outline, next_pages, strict=True):
        if entry.page == 0:
            end = ends[next_page - 1]
            left -= max(end - behind, 0)
            found = find(entry.title, behind, behind, end, alone=True) if left > 0 else None
            if found is None:
                continue
        elif entry.page <= len(starts):
            start, end = starts[entry.page - 1], ends[entry.page - 1]
            # Not found: behind the one before, whose page it shares, so that they keep their order.
            lower = searched.get(entry.page, start)
            place = find(entry.title, start, lower, end)
            found = place or (lower, lower)
            if place is not None:
                searched[entry.page] = place[1]
        else:
            continue
        behind = max(behind, found[1])
        yield Heading(found[0], entry.level, entry.title)


class _Finder:
    """``find_heading`` in a long text, of which a page at a time is folded: a copy of the whole
    would be the largest thing that reading it takes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._range = (0, 0)
        self._folded = ""

    def find(
        self, title: str, page: int, start: int, end: int, *, alone: bool = False
    ) -> tuple[int, int] | None:
        """What ``find_heading`` finds in ``[start, end)`` of the page that starts at ``page``."""
        first = max(page - 1, 0)  # the character before tells whether a line begins there
        if self._range != (first, end):
            self._range, self._folded = (first, end), fold(self._text[first:end])
        found = find_heading(self._folded, title, start - first, end - first, alone=alone)
        return found and (found[0] + first, found[1] + first)


def fold(text: str) -> str:
    """``text`` as titles are compared: small letters, straight quotes; of the same length."""
    for quote in _QUOTES:
        text = text.replace(quote, "'")
    return text.replace("\u0130", "i").lower()  # the one letter that gets longer


def find_heading(
    folded: str, title: str, start: int, end: int, *, alone: bool = False
) -> tuple[int, int] | None:
    """Range of the lines of ``folded[start:end]`` that hold ``title``, or None; with ``alone``
    only of lines that it fills. ``folded`` is a text as ``fold`` leaves it.

    White space may differ, and a number may stand before the title. A place where the title
    fills its lines is preferred to one inside a sentence, and one further down to the first
    line, which may be a running head.
    """
    words = [piece for word in _GAP.split(fold(title)) for piece in _PIECE.findall(word)]
    if not words:
        return None
    places = list(_places(folded, words, start, end))
    second_line = folded.find("\n", start, end) + 1 or end
    for lower in (second_line, start):
        for place in places:
            if place[0] >= lower and (lines := _filled(folded, place, lower, end)) is not None:
                return lines
    if alone or not places:
        return None
    at, stop = places[0]
    return max(start, folded.rfind("\n", start, at) + 1), stop


def _places(text: str, words: Sequence[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the words follow one another in ``text[start:end]``, any white space between them."""
    first, *others = words
    at = text.find(first, start, end)
    while at >= 0:
        stop = at + len(first)
        for word in others:
            stop = _behind(_SPACES, text, stop, end)
            if not text.startswith(word, stop, end):
                break
            stop += len(word)
        else:
            yield at, stop
        at = text.find(first, at + 1, end)


def _filled(text: str, place: tuple[int, int], lower: int, end: int) -> tuple[int, int] | None:
    """The lines that ``place`` fills but for a number before it; None if there is more in them."""
    at, stop = place
    stop = _behind(_BLANKS, text, stop, end)
    if stop < end and text[stop] != "\n":
        return None
    line = _line_start(text, at, lower)
    above = _line_start(text, line - 1, lower) if line is not None and line > lower else None
    for begin in (above, line):
        if begin is not None and _NUMBER.fullmatch(text, begin, at):
            return begin, stop
    return None


def _line_start(text: str, at: int, lower: int) -> int | None:
    """Start of the line of ``at``; None if it lies before ``lower``."""
    found = text.rfind("\n", max(lower - 1, 0), at)
    return found + 1 if found >= 0 or lower == 0 else None


def _behind(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    found = pattern.match(text, start, end)
    return found.end() if found is not None else start


def _next_pages(outline: Sequence[OutlineEntry], last: int) -> list[int]:
    """For every entry the page of the first one behind it that has a page; else ``last``."""
    pages: list[int] = []
    for entry in reversed(outline):
        pages.append(last)
        last = entry.page if 1 <= entry.page <= last else last
    return pages[::-1]
