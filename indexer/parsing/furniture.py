"""What pages carry beside their text: running heads and feet, page numbers, lists of contents.

Pure functions on the texts of pages. What they find stays in the document and in the view;
it is kept out of vectors and search terms, where a title on every page would draw every
question that names the document, and a list of contents every question about a heading.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import accumulate, islice

Range = tuple[int, int]
Line = tuple[int, str]  # where it starts in its page, and its text

EDGE_LINES = 3  # heads and feet stand among the first or last lines of a page's text
LONGEST_HEAD = 120  # characters; a longer line is text
FEWEST_LETTERS = 3  # in a head; a line of figures may be the row of a table
HEAD_WORDS, HEAD_LETTERS = 3, 10  # of a head that a chapter's title follows: its fixed part
MIN_REPEATS = 3  # pages with the same line at an edge, or with numbers that count them
MIN_CONTENTS_LINES = 5
MIN_CONTENTS_SHARE = 0.5  # of a page's lines

_ROMAN_DIGITS = "(?-i:[ivxlcIVXLC]{1,7})"  # not the Turkish letters without and with a dot
# "12", "- 12 -", "Page 12 of 40", "xii", "A-3": the letter of an annex, then the number.
_PAGE_NUMBER = re.compile(
    rf"\W*(?:page|p\.|seite|página|стр\.?)?\s*(?:([A-Z])-)?(\d{{1,4}}|{_ROMAN_DIGITS})"
    r"(?:\s*(?:of|/|von|de|из)\s*\d{1,4})?\W*",
    re.IGNORECASE,
)
# What a head may carry beside its words: the page's number before or behind them.
_NUMBER_AT_END = re.compile(rf"^\W*\d{{1,4}}\s+|\s+\W*(?:\d{{1,4}}|{_ROMAN_DIGITS})\W*$")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_LEADERS = re.compile(r"(?:\.\s?){4,}|(?:·\s?){4,}|…{2,}|_{4,}")
# A title with its leaders, and the number: from the end backwards, since leaders are long.
_ENDS_IN_NUMBER = re.compile(rf"(.*[\s.·…_])(?:[A-Za-z]-)?(?:\d{{1,4}}|{_ROMAN_DIGITS})\s*$")
_NUMBER_ENDS = frozenset("ivxlcIVXLC")  # and decimals: how such a number can end
_NOT_LETTERS = re.compile(r"[\W\d_]+")


def find_furniture(pages: Sequence[str], titles: Collection[str] = ()) -> list[list[Range]]:
    """Ranges of furniture in each page, offsets within the page, rising and disjoint.

    ``titles`` are those of the outline: lines that repeat them with a page number are
    recognised as a list of contents.
    """
    wanted = {key for title in titles if (key := _letters(title))}
    edges: list[list[tuple[Range, str, int]]] = []
    contents: list[list[Range]] = []
    for page in pages:
        lines = _visible_lines(page)
        edges.append(list(_edge_lines(lines)))
        contents.append(_contents_lines(lines, wanted))
    running = _running_lines(edges)
    return [sorted({*running[number], *listed}) for number, listed in enumerate(contents)]


def _visible_lines(page: str) -> list[Line]:
    """The lines of a page that are not blank."""
    lines = page.split("\n")
    starts = accumulate([len(line) + 1 for line in lines], initial=0)
    return [pair for pair in zip(starts, lines, strict=False) if pair[1] and not pair[1].isspace()]


def _running_lines(edges: Sequence[Sequence[tuple[Range, str, int]]]) -> dict[int, list[Range]]:
    """Lines at the edges of pages that repeat from page to page, or that count the pages."""
    pages_with: dict[Hashable, set[int]] = defaultdict(set)
    keyed: list[tuple[int, Range, list[Hashable]]] = []
    for number, lines in enumerate(edges):
        for place, line, position in lines:
            keys = _keys(line, number, position)
            keyed.append((number, place, keys))
            for key in keys:
                pages_with[key].add(number)
    running = {key: _runs(pages) for key, pages in pages_with.items()}
    found: dict[int, list[Range]] = defaultdict(list)
    for number, place, keys in keyed:
        if any(number in running[key] for key in keys):
            found[number].append(place)
    return found


def _runs(pages: Collection[int]) -> set[int]:
    """Those pages that stand in a run of ``MIN_REPEATS``, left and right pages apart or not.

    A head runs from page to page; a line of code that stands at the edge of three pages of a
    long book does not.
    """
    runs: list[list[int]] = []
    for number in sorted(pages):
        if runs and number - runs[-1][-1] <= 2:
            runs[-1].append(number)
        else:
            runs.append([number])
    return {number for run in runs if len(run) >= MIN_REPEATS for number in run}


def _edge_lines(lines: Sequence[Line]) -> Iterator[tuple[Range, str, int]]:
    """Range, text and position (0, 1 ... from the top, -1, -2 ... from the bottom) of each."""
    if len(lines) <= EDGE_LINES:
        return  # a page of a few lines is a title page or a figure: its lines are its text
    first_below = max(EDGE_LINES, len(lines) - EDGE_LINES)
    for i in (*range(EDGE_LINES), *range(first_below, len(lines))):
        start, whole = lines[i]
        line = whole.strip()
        if len(line) <= LONGEST_HEAD:
            position = i if i < EDGE_LINES else i - len(lines)
            yield (start, start + len(whole)), line, position


def _keys(line: str, page: int, position: int) -> list[Hashable]:
    """What running lines of one kind have in common; nothing for a line that can be none.

    For page numbers it is how far they are ahead of the physical page: a lone year or the
    row of a table shares that with no other page. A head is equal from page to page, or begins
    alike at the same position and ends in the title of a chapter.
    """
    counted = _PAGE_NUMBER.fullmatch(line)
    if counted:
        annex, number = counted.groups()
        value = int(number) if number.isdecimal() else _roman(number.lower())
        return [(annex, number.isdecimal(), value - page)]
    words = _NUMBER_AT_END.sub("", line)
    letters = filter(str.isalpha, words)  # counted as far as needed: lines are long
    if sum(1 for _ in islice(letters, FEWEST_LETTERS)) < FEWEST_LETTERS:
        return []
    parts = words.split(maxsplit=HEAD_WORDS)
    beginning = " ".join(parts[:HEAD_WORDS])
    long_enough = len(parts) > HEAD_WORDS and len(beginning) >= HEAD_LETTERS
    return [words, (beginning, position)] if long_enough else [words]


def _roman(numeral: str) -> int:
    values = [_ROMAN[letter] for letter in numeral]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def _contents_lines(lines: Sequence[Line], titles: Collection[str]) -> list[Range]:
    """The lines of a list of contents on a page; none if it holds no such list."""
    fewest = max(MIN_CONTENTS_LINES, MIN_CONTENTS_SHARE * len(lines))
    # A look at the last character tells for nearly every page that it holds no list.
    numbered = [
        (start, line)
        for start, line in lines
        if (last := line.rstrip()[-1]).isdecimal() or last in _NUMBER_ENDS
    ]
    if len(numbered) < fewest:
        return []
    listed = [
        (start, start + len(line))
        for start, line in numbered
        if (found := _ENDS_IN_NUMBER.match(line))
        and (_LEADERS.search(line) or _letters(found[1]) in titles)
    ]
    return listed if len(listed) >= fewest else []


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text).casefold()
