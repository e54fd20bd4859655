"""Text -> search terms: the one normalisation that documents and queries both go through.

Words are folded (NFKC, case, Latin accents, points of Hebrew and Arabic) and stemmed; identifiers
are kept whole and in their parts (``parseHTTPHeader`` -> ``parsehttpheader parse http header``);
scripts without spaces become single characters and bigrams; a word broken by a line-end hyphen
is mended.
Every term knows the characters it came from, so that matches can be highlighted exactly.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import regex
import snowballstemmer

SOFT_HYPHEN = "\u00ad"
SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(
    rf"""
    (?P<broken>\p{{L}}+(?:[-\u00ad][^\S\n]*\n\s*\p{{Ll}}[\p{{L}}\p{{M}}]*)+)   # cap-⏎tions
  | (?P<spaceless>[{SPACELESS}][{SPACELESS}\p{{M}}ー]*)
  | (?P<word>(?:(?![{SPACELESS}])[\p{{L}}\p{{M}}\p{{N}}_\u00ad])+(?:\+\+|\#(?!\w))?)   # C++, C#
    """,
    regex.VERBOSE,
)
# Most texts are of the letters and signs of Western languages only, with no word broken at the
# end of a line. There the standard library finds the same words in a quarter of the time.
_PLAIN = re.compile(
    r"[\0-\xac\xae-\xb1\xb4-\xb8\xba\xbb\xbf-\u017f\u2010-\u203e\u20a0-\u20bf\u2190-\u22ff]*"
)
_LINE_END_HYPHEN = re.compile(r"-[^\S\n]*\n")
_PLAIN_WORD = re.compile(r"(?P<word>\w+(?:\+\+|\#(?!\w))?)")
_LINE_HYPHEN = regex.compile(r"[-\u00ad]\s*\n\s*")
_PARTS = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+|\p{N}+")
# Accents, and what is mostly left out in writing: points of Hebrew, vowel signs of Arabic, its
# madda and hamza above and below letters, and the tatweel that only stretches a word.
_MARKS = regex.compile(
    r"[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    r"\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]+"
)
# Letters of Arabic that people, and keyboards of its languages, write for one another.
_ARABIC = regex.compile("[\u0620-\u06ff]")
_SAME_LETTERS = str.maketrans("ٱىیکةہ", "اييكهه")
_stemmer = snowballstemmer.stemmer("english")

# Words of questions that say nothing about the answer. They are indexed all the same (a quoted
# phrase needs them) and only left out of a query that has other words.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being
    below between both but by can could did do does doing down during each few for from further
    had has have having he her here hers him his how i if in into is it its itself just me more
    most my no nor not of off on once only or other our out over own please same shall she should
    so some such than that the their them then there these they this those through to too under
    until up us very was we were what when where which while who whom whose why will with would
    you your""".split()
)


class Term(NamedTuple):
    """A normalised term and the characters ``[start, end)`` it came from."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """NFKC, case folded; Latin accents, points of Hebrew and Arabic and soft hyphens removed; œ and
    æ as two letters (which they are to NFKC only where a font made one of them); letters of Arabic
    that are written for one another as one."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold().replace(SOFT_HYPHEN, "")
    text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
    text = text.replace("œ", "oe").replace("æ", "ae")
    return text.translate(_SAME_LETTERS) if _ARABIC.search(text) else text


@lru_cache(maxsize=1 << 17)
def _word_terms(word: str) -> tuple[str, ...]:
    """Terms of one word: the stem, or the whole identifier followed by its stemmed parts."""
    folded = fold(word)
    parts = [fold(part) for part in _PARTS.findall(word.replace(SOFT_HYPHEN, ""))]
    if len(parts) < 2:
        return (_stem(folded.strip("_")),) if folded.strip("_") else ()
    # The whole is stemmed as well: "parsehttpheader", typed without capitals, is found by it.
    return tuple(dict.fromkeys([_stem(folded), *(_stem(part) for part in parts if len(part) > 1)]))


def _stem(word: str) -> str:
    """English stem of a plain lower-case ASCII word; anything else as it is."""
    if word.isascii() and word.isalpha() and len(word) > 2:
        return str(_stemmer.stemWord(word))
    return word


def _words(text: str) -> Iterator[Any]:
    """Matches of ``_WORD`` in a text."""
    is_plain = _PLAIN.fullmatch(text) and not ("-" in text and _LINE_END_HYPHEN.search(text))
    return (_PLAIN_WORD if is_plain else _WORD).finditer(text)


def iter_terms(text: str) -> Iterator[Term]:
    """Yield the terms of ``text`` in reading order, with their character ranges."""
    for match in _words(text):
        start, end = match.span()
        if match.lastgroup == "word":
            for term in _word_terms(match.group()):
                yield Term(term, start, end)
        elif match.lastgroup == "broken":
            pieces = _LINE_HYPHEN.split(match.group())
            for term in _word_terms("".join(pieces)):
                yield Term(term, start, end)
            # A compound such as "well-known" may have been broken at its own hyphen.
            for piece in pieces:
                for term in _word_terms(piece):
                    yield Term(term, start, end)
        else:
            yield from _spaceless_terms(match.group(), start)


def _spaceless_terms(run: str, offset: int) -> Iterator[Term]:
    for i, char in enumerate(run):
        yield Term(fold(char), offset + i, offset + i + 1)
        if i + 1 < len(run):
            yield Term(fold(run[i : i + 2]), offset + i, offset + i + 2)


def search_text(text: str) -> str:
    """What is stored in the full-text column: the terms of ``text`` joined by spaces."""
    return " ".join(term.text for term in iter_terms(text))


def query_terms(query: str) -> tuple[str, ...]:
    """Distinct terms of a query in order, without stop words unless there is nothing else."""
    return tuple(dict.fromkeys(term.text for term in _telling(query)))


def marked_terms(query: str) -> frozenset[str]:
    """Those terms of a query that are worth marking: of a run without spaces its pairs, since
    its single characters stand in many other words."""
    terms = _telling(query)
    paired = {i for t in terms if t.end - t.start > 1 for i in range(t.start, t.end)}
    return frozenset(t.text for t in terms if t.end - t.start > 1 or t.start not in paired)


def _telling(query: str) -> list[Term]:
    terms = list(iter_terms(query))
    return [t for t in terms if fold(query[t.start : t.end]) not in STOP_WORDS] or terms


def word_forms(text: str) -> list[frozenset[str]]:
    """For each word of ``text``: a text in which it stands as written has one of these terms."""
    forms: list[frozenset[str]] = []
    for match in _words(text):
        if match.lastgroup == "spaceless":
            forms += [frozenset({fold(char)}) for char in match.group() if not char.isspace()]
            continue
        word = fold(_LINE_HYPHEN.sub("", match.group()))
        bare = word.strip("_").rstrip("+#")
        if bare:
            # "C" also stands in "C++", and a small-lettered identifier where it has capitals.
            forms.append(frozenset({word, bare, _stem(bare), f"{bare}++", f"{bare}#"}))
    return forms


def matches(text: str, terms: frozenset[str]) -> tuple[tuple[int, int], ...]:
    """Character ranges of ``text`` whose terms are among ``terms``: merged, rising, disjoint."""
    ranges: list[tuple[int, int]] = []
    for start, end in _matching(text, terms):
        if ranges and start < ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], end))
        else:
            ranges.append((start, end))
    return tuple(ranges)


def _matching(text: str, terms: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Ranges of ``text`` with a term among ``terms``, in reading order."""
    for match in _words(text):
        if match.lastgroup == "word":  # nearly all: most words are passed over at a look
            if not terms.isdisjoint(_word_terms(match.group())):
                yield match.span()
            continue
        offset = match.start()
        for term in iter_terms(match.group()):
            if term.text in terms:
                yield offset + term.start, offset + term.end
