"""Where landmarks stand: from tokens and a policy to spans that tile the text (pure).

A landmark closes a span: the model reads ``[CLS] span LMK span LMK ...``. No tokenizer and no
tensors here: indexing, search and the screen that marks a hit share this one layout.

Cuts are balanced. A run of n tokens between two hard breaks gets about ceil(n / limit) spans of
similar length, and each cut is put at the best border near its target, so that no span of three
tokens is left over at the end.
Source: Doshi et al. 2026, arXiv:2601.21525 (fixed and sentence granularity).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lmk_encoder.borders import IntArray, TokenBorders, is_grapheme_border, token_borders
from lmk_encoder.errors import ConfigError
from lmk_encoder.sentences import sentence_ends

# Where a long sentence can be divided: after a comma, colon, closing bracket or dash, at a line.
_CLAUSE_END = re.compile(r"[,;:)\]…—–](?=\s)|[、，；：،؛]|\n")


@dataclass(frozen=True, slots=True)
class Interval:
    """A landmark every ``tokens`` tokens, moved to a near line or word border."""

    tokens: int = 64

    def __post_init__(self) -> None:
        _check_limit("Interval.tokens", self.tokens)


@dataclass(frozen=True, slots=True)
class Slices:
    """A landmark after exactly every ``tokens`` tokens, wherever that is: the paper's layout.

    Words and even characters of several tokens are cut; a span may then hold no character.
    """

    tokens: int = 32

    def __post_init__(self) -> None:
        _check_limit("Slices.tokens", self.tokens)


@dataclass(frozen=True, slots=True)
class Sentences:
    """A landmark at sentence ends; short sentences are merged up to ``max_tokens``."""

    max_tokens: int = 64

    def __post_init__(self) -> None:
        _check_limit("Sentences.max_tokens", self.max_tokens)


@dataclass(frozen=True, slots=True)
class Syntax:
    """A landmark at given soft borders (statement and block starts), about ``max_tokens`` apart.

    Where a definition begins or ends (``definitions``) is a better place than any border.
    """

    borders: tuple[int, ...] = ()
    max_tokens: int = 64
    definitions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _check_limit("Syntax.max_tokens", self.max_tokens)


LandmarkPolicy = Interval | Slices | Sentences | Syntax


class LandmarkSpan(NamedTuple):
    """What one landmark speaks for: tokens ``[first, last)``, characters ``[start, end)``."""

    first: int
    last: int
    start: int
    end: int


def max_span_tokens(policy: LandmarkPolicy) -> int:
    """The longest span that ``policy`` makes, in tokens."""
    return policy.tokens if isinstance(policy, Interval | Slices) else policy.max_tokens


def landmark_spans(
    text: str, offsets: IntArray, policy: LandmarkPolicy, breaks: Iterable[int] = ()
) -> list[LandmarkSpan]:
    """Cut a text into the spans of its landmarks.

    Args:
        text: the whole text.
        offsets: (N, 2) character range of each token, in text order.
        policy: where landmarks should stand.
        breaks: character offsets that no span may cross.

    Returns:
        At least one span, in order. Token and character ranges both tile their whole. Space
        belongs to the span before it. A break is moved on only where it would cut a token or a
        user-perceived character; a stretch between two breaks without any token has nothing to
        say and joins the span before it.
    """
    num_tokens = len(offsets)
    if num_tokens == 0:
        return [LandmarkSpan(0, 0, 0, len(text))]
    borders = token_borders(text, offsets)
    cutter = _cutter(text, borders, policy)
    edges = {0: 0, num_tokens: len(text)} | _hard_borders(text, borders, breaks)
    cuts = dict(edges)
    for first, last in pairwise(sorted(edges)):
        for cut in cutter.cuts(first, last):
            cuts[cut] = int(borders.positions[cut])
    return [
        LandmarkSpan(first, last, cuts[first], cuts[last]) for first, last in pairwise(sorted(cuts))
    ]


def _cutter(text: str, borders: TokenBorders, policy: LandmarkPolicy) -> "_Cutter | _Slicer":
    """What ``policy`` looks for in this text."""
    limit = max_span_tokens(policy)
    none = np.empty(0, dtype=np.int64)
    match policy:
        case Slices():
            return _Slicer(limit)
        case Interval():
            lines = borders.at(_line_starts(text))
            return _Cutter(text, borders, limit, strong=(none,), weak=(lines, borders.words))
        case Sentences():
            clauses = borders.at([found.end() for found in _CLAUSE_END.finditer(text)])
            ends = borders.at(sentence_ends(text))
            return _Cutter(text, borders, limit, strong=(ends,), weak=(clauses, borders.words))
        case Syntax():
            definitions, given = (
                borders.at(sorted({o for o in offsets if 0 < o < len(text)}))
                for offsets in (policy.definitions, policy.borders)
            )
            lines = borders.at(_line_starts(text))
            return _Cutter(
                text,
                borders,
                limit,
                strong=(definitions, given),
                weak=(lines, borders.words),
                whole=lines,
            )


def _hard_borders(text: str, borders: TokenBorders, breaks: Iterable[int]) -> dict[int, int]:
    """Border index -> character offset for the breaks that have tokens on both sides, sorted."""
    found: dict[int, int] = {}
    for offset in sorted({offset for offset in breaks if 0 < offset < len(text)}):
        behind = int(np.searchsorted(borders.positions, offset))
        following = borders.possible[np.searchsorted(borders.possible, behind) :]
        if behind == 0 or not len(following):
            continue  # all tokens are on one side
        border = int(following[0])
        if borders.ended[border] > offset or not is_grapheme_border(text, offset):
            moved = _first_clean(text, borders, following)
            if moved is None:
                continue
            border, offset = moved, int(borders.positions[moved])
        found[border] = offset  # of several breaks before one token, the last
    return found


def _first_clean(text: str, borders: TokenBorders, candidates: IntArray) -> int | None:
    for border in candidates.tolist():
        if is_grapheme_border(text, int(borders.positions[border])):
            return int(border)
    return None


class _Slicer(NamedTuple):
    """Cuts tokens every ``limit`` of them."""

    limit: int

    def cuts(self, first: int, last: int) -> Iterator[int]:
        """Borders that divide tokens ``[first, last)``; only the last part may be shorter."""
        return iter(range(first + self.limit, last, self.limit))


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Cuts tokens into balanced spans at the best borders there are.

    ``strong`` borders, the best kind first, are taken wherever they leave spans of a fair size,
    ``weak`` ones, the best kind first, if they lie near the target. The ends of ``whole`` things
    (lines of code) come after ``strong``, however small the spans they leave: such a thing is not
    cut if it fits.
    """

    text: str
    borders: TokenBorders
    limit: int
    strong: tuple[IntArray, ...]
    weak: tuple[IntArray, ...]
    whole: IntArray | None = None

    def cuts(self, first: int, last: int) -> Iterator[int]:
        """Borders that divide tokens ``[first, last)`` into spans of ``limit`` tokens or less.

        A span is longer only if a single character takes more tokens.
        """
        while last - first > self.limit:
            first = self._cut(first, last)
            if first == last:
                return
            yield first

    def _cut(self, first: int, last: int) -> int:
        """Where the span that starts at token ``first`` should end."""
        shortest, near = max(self.limit // 4, 1), self.limit // 4
        furthest = min(first + self.limit, last - 1)
        low, high = first + shortest, min(furthest, last - shortest)
        for kind in self.strong:
            cut = self._nearest(kind, self._target(first, last), low, high)
            if cut is not None:
                return cut
        # None within reach: divide what lies before the next one (a long sentence) evenly.
        stop = min(self._following(kind, high, last) for kind in self.strong)
        target = min(self._target(first, min(stop, last)), high)
        if self.whole is not None:
            for start, end in ((low, high), (first + 1, furthest)):
                cut = self._nearest(self.whole, target, start, end)
                if cut is not None:
                    return cut
        for kind in self.weak:
            cut = self._nearest(kind, target, max(low, target - near), min(high, target + near))
            if cut is not None:
                return cut
        possible = self.borders.possible
        cut = self._nearest(possible, target, first + 1, furthest)
        if cut is not None:
            return cut
        # A cluster of more than ``limit`` tokens (a letter under a tower of accents) is cut after
        # some character of it; a single character never.
        cut = self._nearest(possible, target, first + 1, furthest, clusters=False)
        if cut is not None:
            return cut
        behind = possible[np.searchsorted(possible, furthest, side="right") :]
        return min(int(behind[0]), last) if len(behind) else last

    def _target(self, first: int, last: int) -> int:
        """Where tokens ``[first, last)`` are cut first to give the fewest parts, of equal size."""
        pieces = max(-(-(last - first) // self.limit), 2)
        return first + -(-(last - first) // pieces)

    def _following(self, kind: IntArray, high: int, last: int) -> int:
        """The first border of one kind behind ``high``; ``last`` if there is none."""
        following = np.searchsorted(kind, high, side="right")
        return int(kind[following]) if following < len(kind) else last

    def _nearest(
        self, kind: IntArray, target: int, low: int, high: int, *, clusters: bool = True
    ) -> int | None:
        """The border of one kind nearest to ``target`` that leaves grapheme clusters whole."""
        start, stop = np.searchsorted(kind, [low, high + 1])
        candidates: list[int] = kind[start:stop].tolist()
        for border in sorted(candidates, key=lambda border: abs(border - target)):
            position = int(self.borders.positions[border])
            if not clusters or is_grapheme_border(self.text, position):
                return border
        return None


def _line_starts(text: str) -> list[int]:
    return [found.end() for found in re.finditer("\n", text)]


def _check_limit(name: str, tokens: int) -> None:
    if tokens < 1:
        raise ConfigError(
            f"{name}={tokens} leaves no room for text.", "Use 1 or more; 64 is usual."
        )
