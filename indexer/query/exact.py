"""Exact places of phrases, NEAR and patterns in a text, as ranges of its own characters.

Text and phrase are folded alike: case, accents, ligatures, composed and decomposed forms, kinds
of quotes and dashes, runs of white space. A word broken by a line-end hyphen is met whole, in
its parts, and with its hyphen; a line break between characters that need no spaces is none.
"""

import contextlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, zip_longest
from unicodedata import category, normalize

import regex

from indexer.analysis import SOFT_HYPHEN, SPACELESS, fold
from indexer.errors import QueryError
from indexer.query.language import Near, Pattern, Phrase

MAX_PATTERN_CHARS = 500  # compiling takes time, too
Range = tuple[int, int]  # [start, end)
Exact = Phrase | Near | Pattern

_BREAK = "\0"  # stands where a hyphen at a line end was
_UNSPACED = SPACELESS.replace(r"\p{Hangul}", "")  # lines of Korean break at spaces
# What is not copied as it is: white space other than one blank, and all that is not ASCII.
_SPECIAL = re.compile(r"-[^\S\n]*\n\s*|[^\S ]\s*| \s+|[^\x00-\x7f\s]+")
_HYPHENS = regex.compile(r"(?<=\p{L})-[^\S\n]*\n\s*(?=\p{Ll})")
_SKIPPED = regex.compile(
    rf"(?<=\u00ad)\s*\n\s*|(?<=[{_UNSPACED}\p{{M}}])\s*\n\s*(?=[{_UNSPACED}\p{{M}}])"
)
_NO_SPACES = regex.compile(rf"[{_UNSPACED}\p{{M}}]")
_CLUSTER = regex.compile(r"\u00ad|.\p{M}*", regex.DOTALL)
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)
# A group that calls itself takes memory without end, and no time limit of the library stops it.
# Seen as the library reads it: behind "P" of a verbose pattern white space and comments may stand.
_CALL = regex.compile(
    r"(?<!\\)(?:\\\\)*\(\?(?:R|[+-]?\d|&|P(?:\s|\#[^\n]*\n)*[>&])", regex.VERSION0
)
_SPACED = rf"[^\W{SPACELESS}ー]"  # characters of words that stand between spaces
_WORD = regex.compile(rf"{_SPACED}+|[{SPACELESS}]")


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as phrases see it, and where each piece of it came from.

    Piece ``i`` begins at ``outs[i]`` of ``text`` and is ``ranges[i]`` of the original. Pieces
    of equal length in both stand for it character by character, others as a whole.
    """

    text: str
    outs: tuple[int, ...]
    ranges: tuple[Range, ...]

    def original(self, start: int, end: int) -> Range:
        """The range of the original that ``[start, end)`` of the folded text stands for."""
        return self._at(start)[0], self._at(end - 1)[1]

    def _at(self, offset: int) -> Range:
        piece = bisect_right(self.outs, offset) - 1
        begin, stop = self.ranges[piece]
        next_out = self.outs[piece + 1] if piece + 1 < len(self.outs) else len(self.text)
        if stop - begin == next_out - self.outs[piece]:
            begin += offset - self.outs[piece]
            stop = begin + 1
        return begin, stop


def folded(text: str) -> Folded:
    """Fold a text for exact comparison, keeping the way back."""
    pieces = [piece for piece in _pieces(text) if piece[0]]
    return Folded(
        "".join(piece for piece, _, _ in pieces),
        tuple(accumulate((len(piece) for piece, _, _ in pieces[:-1]), initial=0)),
        tuple((start, end) for _, start, end in pieces),
    )


def fold_text(text: str) -> str:
    """The text of ``folded``, white space around it aside: faster, and without the way back."""
    text = _HYPHENS.sub(_BREAK, text)
    text = text.lower() if text.isascii() else fold(_SKIPPED.sub("", text)).translate(_SIGNS)
    return " ".join(text.split())


def num_words(text: str) -> int:
    """How many words NEAR counts in a text."""
    return sum(1 for _ in _WORD.finditer(fold_text(text)))


def holds(atom: Exact, text: str, *, timeout_s: float) -> bool:
    """Whether ``text`` meets a condition.

    Raises TimeoutError: a pattern took too long; QueryError: it took more memory than there is.
    """
    if isinstance(atom, Pattern):
        with _told_of_memory(atom):
            return compiled(atom).search(text, timeout=timeout_s) is not None
    return bool(_places(atom, fold_text(text)))


def ranges(atom: Exact, text: str, *, timeout_s: float) -> Iterator[Range]:
    """Where ``text`` meets a condition: rising ranges.

    Both sides of a NEAR are ranges of their own. Raises TimeoutError: a pattern took too long;
    QueryError: it took more memory than there is.
    """
    if isinstance(atom, Pattern):
        yield from pattern_ranges(atom, text, timeout_s=timeout_s)
        return
    seen = folded(text)
    yield from (seen.original(start, end) for start, end in _places(atom, seen.text))


def pattern_ranges(pattern: Pattern, text: str, *, timeout_s: float) -> Iterator[Range]:
    """Every match of a regular expression that holds a character, as soon as it is found: of a
    long text there may be millions.

    Raises TimeoutError: it took too long; QueryError: it took more memory than there is.
    """
    with _told_of_memory(pattern):
        for found in compiled(pattern).finditer(text, timeout=timeout_s):
            if found.end() > found.start():
                yield found.span()


def checked_pattern(expression: str, *, ignore_case: bool = False) -> Pattern:
    """A pattern that can be looked for.

    Raises QueryError for what is no regular expression, and for one with groups that call
    groups, such as ``(?R)``.
    """
    pattern = Pattern(expression, ignore_case)
    if len(expression) > MAX_PATTERN_CHARS:
        raise QueryError(
            f"The pattern has {len(expression):,} characters.",
            f"At most {MAX_PATTERN_CHARS} are looked for.",
        )
    if _CALL.search(expression):
        raise QueryError(
            f"{expression!r} has a group that is called again, which may never end.",
            r"Write without (?R), (?1) and (?&name); a bracket meant as it stands is \(.",
        )
    try:
        compiled(pattern)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise QueryError(
            f"{expression!r} is no regular expression: {error}.",
            "Put a backslash before signs that are meant as they stand.",
        ) from error
    return pattern


@lru_cache(maxsize=256)
def compiled(pattern: Pattern) -> regex.Pattern[str]:
    """The regular expression; ``^`` and ``$`` are borders of lines.

    Raises regex.error, and ValueError for flags that exclude one another.
    """
    flags = regex.MULTILINE | (regex.IGNORECASE if pattern.ignore_case else 0)
    return regex.compile(pattern.expression, flags)


def word_begin(text: str) -> str:
    """The expression that a word border stands before ``text``, if it begins with a character
    of words that stand between spaces; else nothing."""
    return rf"(?<!{_SPACED})" if regex.match(_SPACED, text[:1]) else ""


@contextlib.contextmanager
def _told_of_memory(pattern: Pattern) -> Iterator[None]:
    try:
        yield
    except MemoryError as error:
        raise QueryError(
            f"Looking for {pattern} takes more memory than there is.", "Ask for something simpler."
        ) from error


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """A text piece by piece: what it is when folded, and its range."""
    done = 0
    for found in _SPECIAL.finditer(text):
        start, end = found.span()
        yield text[done:start].lower(), done, start
        first = text[start]
        if first == "-":
            yield (_BREAK if _is_within_word(text, start, end) else "- "), start, end
        elif first.isspace():
            yield ("" if _is_within_run(text, start, end) else " "), start, end
        else:
            yield from _foreign_pieces(found.group(), start)
        done = end
    yield text[done:].lower(), done, len(text)


def _foreign_pieces(run: str, offset: int) -> Iterator[tuple[str, int, int]]:
    whole = _fold_run(run)
    if len(whole) == len(run) and all(len(_fold_run(char)) == 1 for char in run):
        yield whole, offset, offset + len(run)
        return
    for found in _CLUSTER.finditer(run):
        start, end = found.span()
        yield _fold_run(found.group()), offset + start, offset + end


@lru_cache(maxsize=1 << 14)
def _fold_run(run: str) -> str:
    return fold(run).translate(_SIGNS)


def _is_within_word(text: str, start: int, end: int) -> bool:
    """Whether a hyphen at a line end breaks a word: letters before, small letters behind."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    return bool(before and behind) and category(before)[0] == "L" and category(behind) == "Ll"


def _is_within_run(text: str, start: int, end: int) -> bool:
    """Whether white space is a line break that reading skips: after a soft hyphen, and between
    characters that need no spaces."""
    if "\n" not in text[start:end]:
        return False
    before, behind = text[start - 1 : start], text[end : end + 1]
    if before.isascii() or not behind:
        return False
    return before == SOFT_HYPHEN or bool(_NO_SPACES.match(before) and _NO_SPACES.match(behind))


def _places(atom: Phrase | Near, text: str) -> list[Range]:
    return _near(text, atom) if isinstance(atom, Near) else _phrase(text, atom.text)


def _phrase(text: str, phrase: str) -> list[Range]:
    """Where a phrase stands in a folded text."""
    patterns = _phrase_patterns(phrase)
    if patterns is None:
        return []
    plain, mending = patterns
    pattern = mending if _BREAK in text else plain
    return [found.span() for found in pattern.finditer(text)]


@lru_cache(maxsize=256)
def _phrase_patterns(phrase: str) -> tuple[regex.Pattern[str], regex.Pattern[str]] | None:
    """Patterns for folded texts without and with hyphens at line ends; None for no phrase."""
    text = folded(normalize("NFC", phrase)).text.strip()
    if not text:
        return None
    before = word_begin(text)
    after = rf"(?!{_SPACED})" if regex.match(_SPACED, text[-1]) else ""
    plain = regex.escape(text, literal_spaces=True)
    mending = "".join(
        f"[-{_BREAK}]"
        if char == "-"
        else regex.escape(char, literal_spaces=True)
        + f"{_BREAK}?" * (char.isalpha() and following.isalpha())
        for char, following in zip_longest(text, text[1:], fillvalue="")
    )
    return regex.compile(before + plain + after), regex.compile(before + mending + after)


def _near(text: str, near: Near) -> list[Range]:
    """The pairs of nearest neighbours that stand near enough, each side a range."""
    lefts, rights = _phrase(text, near.left), _phrase(text, near.right)
    if not lefts or not rights:
        return []
    words = [found.start() for found in _WORD.finditer(text)]
    found = {
        side
        for one, other in ((lefts, rights), (rights, lefts))
        for pair in _following(one, other)
        if bisect_left(words, pair[1][0]) - bisect_left(words, pair[0][1]) <= near.words
        for side in pair
    }
    return sorted(found)


def _following(firsts: list[Range], seconds: list[Range]) -> Iterator[tuple[Range, Range]]:
    """Each range with the next of the others that begins behind it."""
    begins = [start for start, _ in seconds]
    for first in firsts:
        nth = bisect_left(begins, first[1])
        if nth < len(seconds):
            yield first, seconds[nth]
