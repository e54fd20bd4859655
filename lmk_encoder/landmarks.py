"""Where landmarks stand: from tokens and a policy to spans that tile the text (pure).

A landmark closes a span: the model reads ``[CLS] span LMK span LMK ...``. No tokenizer and no
tensors here: indexing, search and the screen that marks a hit share this one layout.

Cuts are balanced. A run of n tokens between two hard breaks gets about ceil(n / limit) spans of
similar length, and each cut is put at the best border near its target, so that no span of three
tokens is left over at the end.
Source: Doshi et al. 2026, arXiv:2601.21525 (fixed and sentence granularity).
"""

import re
from collections.abc import Iterable, Sequence
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
class Sentences:
    """A landmark at sentence ends; short sentences are merged up to ``max_tokens``."""

    max_tokens: int = 64

    def __post_init__(self) -> None:
        _check_limit("Sentences.max_tokens", self.max_tokens)


@dataclass(frozen=True, slots=True)
class Syntax:
    """A landmark at given soft borders (statement and block starts), about ``max_tokens`` apart."""

    borders: tuple[int, ...] = ()
    max_tokens: int = 64

    def __post_init__(self) -> None:
        _check_limit("Syntax.max_tokens", self.max_tokens)


LandmarkPolicy = Interval | Sentences | Syntax


class LandmarkSpan(NamedTuple):
    """What one landmark speaks for: tokens ``[first, last)``, characters ``[start, end)``."""

    first: int
    last: int
    start: int
    end: int


class _Level(NamedTuple):
    """Borders of one quality, and how far from the target of a cut they are looked for."""

    borders: IntArray
    reach: int
    anywhere: bool = False  # even if that leaves a short span


def max_span_tokens(policy: LandmarkPolicy) -> int:
    """The longest span that ``policy`` makes, in tokens."""
    return policy.tokens if isinstance(policy, Interval) else policy.max_tokens


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
    limit, levels = max_span_tokens(policy), _levels(text, borders, policy)
    edges = {0: 0} | _hard_borders(text, borders, breaks) | {num_tokens: len(text)}
    cuts = dict(edges)
    stops = list(edges)
    for first, last in pairwise(stops):
        for cut in _balanced_cuts(text, borders, first, last, limit, levels):
            cuts[cut] = int(borders.positions[cut])
    tokens = sorted(cuts)
    return [LandmarkSpan(first, last, cuts[first], cuts[last]) for first, last in pairwise(tokens)]


def _levels(text: str, borders: TokenBorders, policy: LandmarkPolicy) -> list[_Level]:
    """Kinds of border that ``policy`` looks for, the best kind first."""
    limit = max_span_tokens(policy)
    near = limit // 4
    words = _Level(borders.words, near)
    match policy:
        case Interval():
            return [_Level(borders.at(_line_starts(text)), near), words]
        case Sentences():
            clauses = borders.at([found.end() for found in _CLAUSE_END.finditer(text)])
            return [_Level(borders.at(sentence_ends(text)), limit), _Level(clauses, near), words]
        case Syntax():
            given = sorted({offset for offset in policy.borders if 0 < offset < len(text)})
            lines = borders.at(_line_starts(text))
            # Never inside a line if there is any line start within reach, however unbalanced.
            return [
                _Level(borders.at(given), limit),
                _Level(lines, limit),
                _Level(lines, limit, anywhere=True),
                words,
            ]


def _hard_borders(text: str, borders: TokenBorders, breaks: Iterable[int]) -> dict[int, int]:
    """Border index -> character offset for the breaks that have tokens on both sides, sorted."""
    positions, found = borders.positions, dict[int, int]()
    num_tokens = len(positions) - 1
    for offset in sorted({offset for offset in breaks if 0 < offset < len(text)}):
        border = int(np.searchsorted(positions, offset))
        border = int(np.searchsorted(positions, positions[border], side="right")) - 1
        if borders.ended[border] > offset or not is_grapheme_border(text, offset):
            following = borders.possible[np.searchsorted(borders.possible, border) :]
            border = _first_clean(text, borders, following)
            offset = int(positions[border])
        # Tokens that are all behind, or all in front, leave nothing to divide.
        if 0 < border < num_tokens and borders.ended[border] > 0:
            found[border] = offset  # of several breaks before one token, the last
    return found


def _first_clean(text: str, borders: TokenBorders, candidates: IntArray) -> int:
    for border in candidates:
        if is_grapheme_border(text, int(borders.positions[border])):
            return int(border)
    return len(borders.positions) - 1


def _balanced_cuts(
    text: str, borders: TokenBorders, first: int, last: int, limit: int, levels: Sequence[_Level]
) -> Iterable[int]:
    """Borders that divide tokens ``[first, last)`` into spans of at most ``limit`` tokens."""
    while (left := last - first) > limit:
        pieces = -(-left // limit)
        target = first + -(-left // pieces)
        cut = _best_border(text, borders, first, last, target, limit, levels)
        if cut >= last:
            return
        yield cut
        first = cut


def _best_border(
    text: str,
    borders: TokenBorders,
    first: int,
    last: int,
    target: int,
    limit: int,
    levels: Sequence[_Level],
) -> int:
    """The border where the span that starts at token ``first`` should end."""
    shortest = max(limit // 4, 1)
    furthest = min(first + limit, last - 1)
    low, high = first + shortest, min(furthest, last - shortest)
    for level in levels:
        if level.anywhere:
            candidates = _nearest(level.borders, target, first + 1, furthest)
        else:
            reach = level.reach
            nearest, widest = max(low, target - reach), min(high, target + reach)
            candidates = _nearest(level.borders, target, nearest, widest)
        for border in candidates:
            if is_grapheme_border(text, int(borders.positions[border])):
                return border
    inside = _nearest(borders.possible, target, first + 1, furthest)
    for border in inside:
        if is_grapheme_border(text, int(borders.positions[border])):
            return border
    if inside:  # one cluster of more than ``limit`` tokens: a letter under a tower of accents
        return inside[0]
    # One character of more than ``limit`` tokens.
    behind = borders.possible[np.searchsorted(borders.possible, furthest, side="right") :]
    return int(behind[0]) if len(behind) else last


def _nearest(borders: IntArray, target: int, low: int, high: int) -> list[int]:
    """The ``borders`` within ``[low, high]``, nearest to ``target`` first."""
    start, stop = np.searchsorted(borders, [low, high + 1])
    return sorted(borders[start:stop].tolist(), key=lambda border: abs(border - target))


def _line_starts(text: str) -> list[int]:
    return [found.end() for found in re.finditer("\n", text)]


def _check_limit(name: str, tokens: int) -> None:
    if tokens < 1:
        raise ConfigError(
            f"{name}={tokens} leaves no room for text.", "Use 1 or more; 64 is usual."
        )
