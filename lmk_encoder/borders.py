"""Where a text may be cut between two tokens (pure).

Tokens carry character offsets, but not every gap between two tokens is a place to cut: a
byte-level tokenizer spells one character with several tokens, a normaliser drops characters,
and an accent or an emoji joiner belongs to what stands before it. This module says where each
border lies in the text, and which borders are possible at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_GRAPHEME = regex.compile(r"\X")
# Every space of Unicode lies at or below U+3000; the last entry stands for all code points above.
_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3001)] + [False])


@dataclass(frozen=True, slots=True)
class TokenBorders:
    """The N + 1 borders around N tokens; border ``i`` stands before token ``i``.

    ``positions`` (N + 1,) character of each border: the first character of the token behind it
    that is no space, so that space belongs to what stands before. They never fall.
    ``ended`` (N + 1,) where the tokens before the border have ended, space left out.
    ``possible`` indices of the inner borders that do not lie inside a character.
    ``words`` those of them that follow a space.
    """

    positions: IntArray
    ended: IntArray
    possible: IntArray
    words: IntArray

    def at(self, offsets: Sequence[int]) -> IntArray:
        """Possible borders at, or else right after, the given character offsets (sorted)."""
        found = np.searchsorted(self.positions, np.asarray(offsets, dtype=np.int64))
        found = np.searchsorted(self.possible, found[found > 0])  # at 0 no token stands before
        found = found[found < len(self.possible)]
        # They never fall. np.unique would do, and import numpy.ma for the first query to wait for.
        return self.possible[found[np.diff(found, prepend=-1) > 0]]


def token_borders(text: str, offsets: IntArray) -> TokenBorders:
    """Borders of tokens with the character ``offsets`` (N, 2), in text order; N >= 1."""
    is_space, length = _spaces(text), len(text)
    places = np.arange(length, dtype=np.int64)
    # For every offset of the text: the first character from it on that is no space ...
    next_word = np.append(np.where(is_space, length, places), length)
    next_word = np.minimum.accumulate(next_word[::-1])[::-1]
    # ... and the end of the last one before it.
    last_word = np.append(0, np.maximum.accumulate(np.where(is_space, 0, places + 1)))

    positions = np.append(next_word[offsets[:, 0]], length)
    positions = np.minimum.accumulate(positions[::-1])[::-1]
    ended = np.append(0, np.maximum.accumulate(last_word[offsets[:, 1]]))
    # Several borders share a position where tokens are pieces of one character, or all space. Of
    # those with nothing unfinished on their left, the last: space goes to the left.
    whole = ended <= positions
    shared = (positions[:-1] == positions[1:]) & whole[1:]
    possible = whole[:-1] & ~shared & (positions[:-1] < length)
    possible[0] = False
    inner = np.flatnonzero(possible)
    words = inner[is_space[positions[inner] - 1]]
    return TokenBorders(positions, ended, inner, words)


def is_grapheme_border(text: str, position: int) -> bool:
    """Whether no user-perceived character stretches over ``position`` (0 < position < length)."""
    before, after = text[position - 1], text[position]
    if before < "\x80" and after < "\x80":
        return not (before == "\r" and after == "\n")
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False  # the two halves of one character that was decoded badly
    # The library judges each border by all that stands before it, not only from where we start.
    cluster = _GRAPHEME.match(text, position - 1, position + 1)
    return bool(cluster.end() == position)


def _spaces(text: str) -> BoolArray:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    mask: BoolArray = _IS_SPACE[np.minimum(codes, len(_IS_SPACE) - 1)]
    return mask
