"""Questions that a document answers, made from what its authors wrote about its parts (pure).

A title is a question to its text, a heading to its section, a docstring to its function, the first
sentence of a section to the rest of it. What serves as the question is taken out of the answer, so
that it cannot be found by its own words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from indexer.documents import Kind, Section
from lmk_encoder.sentences import sentence_ends

_MIN_WORDS, _MAX_WORDS = 3, 60  # of a question
_MIN_ANSWER_WORDS = 20
_ANSWER_CHARS = 24_000
_WORD = re.compile(r"\w+")
# A string of three quotes that opens the body of a definition, in Python and its like.
_DOCSTRING = re.compile(
    r"""\A(?P<head>[^\n]*\n)\s*[rRuU]?(?P<q>\"{3}|'{3})(?P<doc>.*?)(?P=q)""", re.S
)
# Comment lines right in front of a definition's first line, or of a file.
_COMMENT = re.compile(r"\A\s*(?P<doc>(?:[ \t]*(?://[/!]?|#)(?!!)[^\n]*\n)+)")
_COMMENT_MARK = re.compile(r"^[ \t]*(?://[/!]?|#+)[ \t]?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SyntheticPair:
    """A question, the text that answers it, and the document that both are from."""

    query: str
    positive: str
    doc_id: str


def document_pairs(
    doc_id: str, title: str, kind: Kind, text: str, sections: Iterable[Section]
) -> Iterator[SyntheticPair]:
    """The questions of one document."""
    for query, answer in _candidates(title, kind, text, sections):
        query, answer = " ".join(query.split()), answer.strip()[:_ANSWER_CHARS]
        if (
            _MIN_WORDS <= len(_WORD.findall(query)) <= _MAX_WORDS
            and len(_WORD.findall(answer)) >= _MIN_ANSWER_WORDS
        ):
            yield SyntheticPair(query, answer, doc_id)


def unambiguous(pairs: Iterable[SyntheticPair]) -> list[SyntheticPair]:
    """Without questions that more than one text answers ("1 Introduction"), folded alike."""
    listed = list(dict.fromkeys(pairs))
    counts = Counter(pair.query.casefold() for pair in listed)
    return [pair for pair in listed if counts[pair.query.casefold()] == 1]


def _candidates(
    title: str, kind: Kind, text: str, sections: Iterable[Section]
) -> Iterator[tuple[str, str]]:
    if kind == "code":
        yield from _documented(text)
        for section in sections:
            start = text.rfind("\n", 0, section.start) + 1
            yield from _documented(text[start : section.end])
        return
    yield title, _without(text, title)
    for section in sections:
        body = _without(text[section.start : section.end], section.title)
        yield section.title, body
        yield from _first_sentence(body)


def _documented(code: str) -> Iterator[tuple[str, str]]:
    """The first sentence of a docstring or of leading comments, and the code without them."""
    found = _DOCSTRING.match(code)
    if found is not None:
        words = found["doc"]
    else:
        found = _COMMENT.match(code)
        if found is None:
            return
        words = _COMMENT_MARK.sub("", found["doc"])
    rest = code[: found.start("doc")] + code[found.end("doc") :]
    yield _opening(words), rest


def _first_sentence(text: str) -> Iterator[tuple[str, str]]:
    text = text.strip()
    ends = sentence_ends(text)
    if len(ends) > 1:
        yield text[: ends[0]], text[ends[0] :]


def _opening(text: str) -> str:
    """The first sentence, at most a paragraph."""
    paragraph = text.strip().split("\n\n")[0]
    ends = sentence_ends(paragraph)
    return paragraph[: ends[0]] if ends else paragraph


def _without(text: str, title: str) -> str:
    """The text without the title that it begins with, whatever the spaces and marks around it."""
    head = text[: 2 * len(title) + 40]
    pattern = r"\s+".join(re.escape(word) for word in title.split())
    found = re.search(pattern, head, re.IGNORECASE) if pattern else None
    return text[found.end() :] if found else text
