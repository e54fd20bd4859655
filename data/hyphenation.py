"""Soft hyphens in long English words, so that justified lines break inside words.

Three simple rules (known beginnings, known endings, a break between two consonants that stand
between vowels) instead of a pattern dictionary: the samples need words broken at line ends as in
printed books, not every possible break.
"""

import re
from itertools import pairwise

SOFT_HYPHEN = "\u00ad"
MIN_LETTERS = 7  # shorter words are not worth a break
MIN_PART = 3  # letters that must stay on either side, and between two breaks

BEGINNINGS = (
    "after", "any", "centi", "counter", "electro", "every", "hydro", "inter", "kilo", "micro",
    "milli", "over", "photo", "some", "super", "tele", "trans", "under", "water",
)  # fmt: skip
ENDINGS = (
    "tions", "tion", "sion", "ments", "ment", "ness", "able", "ible", "ities", "ity",
    "ings", "ing", "tures", "ture", "ally", "tive", "ship", "ward", "tory", "less", "fully",
    "ence", "ance", "ators", "ator", "ical", "ency", "ular", "phone", "ically", "graph",
)  # fmt: skip
INSEPARABLE = {
    "ch", "ck", "gh", "ph", "qu", "sh", "th", "wh", "ng", "bl", "cl", "fl", "gl", "pl",
    "br", "cr", "dr", "fr", "gr", "pr", "tr", "st", "sc", "sp", "ld", "nd", "rd", "wr", "wn",
}  # fmt: skip

WORD = re.compile(rf"[A-Za-z]{{{MIN_LETTERS},}}")
BETWEEN_VOWELS = re.compile(r"(?<=[aeiouy])[bcdfghjklmnpqrstvxz][bcdfghjklmnpqrstvwxz](?=[aeiouy])")


def hyphenate(text: str) -> str:
    """The text with soft hyphens in its long words; words in capitals stay whole."""
    return WORD.sub(lambda match: _hyphenate_word(match.group()), text)


def _hyphenate_word(word: str) -> str:
    lower = word.lower()
    if word[1:] != lower[1:]:
        return word
    wishes = [len(start) for start in BEGINNINGS if lower.startswith(start)]
    doubled = re.search(r"([bdgmnprt])\1ings?$", lower)  # run-ning, but turn-ing
    wishes += [doubled.start() + 1] if doubled else []
    wishes += [len(word) - len(end) for end in ENDINGS if lower.endswith(end)][:1]
    wishes += [
        match.start() + 1
        for match in BETWEEN_VOWELS.finditer(lower)
        if match.group() not in INSEPARABLE
    ]
    breaks = [0, len(word)]
    for wish in wishes:  # known beginnings and endings come first and win
        if all(abs(wish - other) >= MIN_PART for other in breaks):
            breaks.append(wish)
    breaks.sort()
    return SOFT_HYPHEN.join(word[a:b] for a, b in pairwise(breaks))
