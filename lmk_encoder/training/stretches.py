"""Which part of a text that is too long is trained on (pure)."""

import re
from collections import Counter
from math import log

import numpy as np

_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s")


def random_stretch(text: str, size: int, random: np.random.Generator) -> str:
    """About ``size`` characters from a random word start on; all of a shorter text."""
    if len(text) <= size:
        return text
    start = int(random.integers(len(text) - size + 1))
    return text[_word_start(text, start) : start + size]


def best_stretch(text: str, query: str, size: int) -> str:
    """The part of about ``size`` characters that shares most with the query; else the first.

    Parts begin every half ``size``. A shared word counts by its rarity among the parts.
    """
    if len(text) <= size:
        return text
    starts = [_word_start(text, start) for start in range(0, len(text) - size // 2, size // 2)]
    wanted = set(_words(query))
    shared = [wanted & set(_words(text[start : start + size])) for start in starts]
    parts_with = Counter(word for words in shared for word in words)
    scores = [sum(log(1 + len(starts) / parts_with[word]) for word in words) for words in shared]
    best = max(range(len(starts)), key=scores.__getitem__)  # the first of equals
    return text[starts[best] : starts[best] + size]


def _word_start(text: str, start: int) -> int:
    """The first word start at or after ``start``; ``start`` itself where there is no space near."""
    if start == 0:
        return 0
    found = _SPACE.search(text, start - 1, start + 100)
    return found.end() if found else start


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
