"""A string -> a Query. Every string is one: what is no operator is a word.

A query of several lines is pasted text (a stack trace, a paragraph) and has no operators; one
of very many words is, too, and has filters only.
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

import regex

from indexer.errors import QueryError
from indexer.query.exact import checked_pattern
from indexer.query.fields import field_of
from indexer.query.language import Atom, Condition, Field, Near, Pattern, Phrase, Query, Word, Words

PASTED_WORDS = 64  # nobody types so many
NEAR_WORDS = 10  # of NEAR without a number

_UNSENDABLE = regex.compile(r"[\p{Cc}\p{Cs}--\n\t]", regex.V1)  # NUL, escapes, lone surrogates
_DOUBLE_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»", '"'))
_AFTER = r"[)\]}.,;:!?…]*(?:\s|$)"  # what may follow the end of a quotation
_CLOSING = regex.compile(rf'"(?={_AFTER})')
_FIELDS = r"(?i:type|path|lang|after|before|title)"
# What begins an operator, seen from its own word alone: a backslash before it makes it a word.
_OPERATOR = rf"""(?: NEAR(?:/\d{{1,4}})?(?=\s|$) | OR(?=\s|$)
    | -?(?:{_FIELDS}:)?\(*" | -?/ | -?{_FIELDS}:[^\s"] | -\p{{L}} )"""
_ESCAPABLE = regex.compile(rf"\\*{_OPERATOR}", regex.VERBOSE)
_TOKEN = regex.compile(
    rf"""
    (?P<escape>\\+(?={_OPERATOR})\S+)
  | (?P<near>NEAR(?:/(?P<distance>\d{{1,4}}))?)(?=\s|$)
  | (?P<or>OR)(?=\s|$)
  | (?P<minus>-)? (?:(?P<field>{_FIELDS}):)? (?P<quote>\(*")
  | (?P<minus>-)? /(?P<pattern>(?:[^/\\\s]|\\.)(?:[^/\\]|\\.)*)/(?P<flag>i?)(?=\s|$)
  | (?P<minus>-)? (?P<field>{_FIELDS}): (?P<value>[^\s"]\S*)
  | (?P<minus>-)(?=\p{{L}}) (?P<text>\S+)
  | (?P<text>\S+)
    """,
    regex.VERBOSE,
)
_AROUND = ")]}.,;:!?…"  # punctuation of the sentence, not of the word
_NAMES_ONLY = ("type", "lang", "after", "before")  # fields whose values have no punctuation
_NO_VALUE = regex.compile(rf"-?{_FIELDS}:")
_FAR = regex.compile(r"NEAR/\d{5,}")


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of a query. ``raw`` is what it is as a word; an operator has no ``atom``."""

    raw: str
    atom: Atom | None
    is_word: bool = False
    is_plain: bool = True  # False: a word that was all but an operator
    negated: bool = False
    near: int | None = None

    @property
    def of_pasted_text(self) -> "_Token":
        """The same in a text that somebody else wrote: nothing but a filter is an operator."""
        return self if isinstance(self.atom, Field) else _Token(self.raw, Word(self.raw), True)

    @property
    def operand(self) -> Atom | None:
        """What OR can take on either side."""
        return None if self.negated else self.atom

    @property
    def exact(self) -> str | None:
        """What NEAR can take on either side."""
        atom = self.operand
        if isinstance(atom, Phrase):
            return atom.text
        return _trimmed(atom.text) if isinstance(atom, Word) and self.is_plain else None


@lru_cache(maxsize=64)
def parse(text: str) -> Query:
    """Read a query. Never raises; what was not understood as meant is told in ``notes``."""
    clean = _UNSENDABLE.sub(" ", text).strip()
    if not clean:
        return Query(())
    if "\n" in clean:
        return Query((Words(clean),))
    notes: list[str] = []
    tokens = _tokens(clean.translate(_DOUBLE_QUOTES), notes)
    # Filters do not count: adding one, or taking one away, must not change what the rest means.
    if sum(len(t.raw.split()) for t in tokens if not isinstance(t.atom, Field)) > PASTED_WORDS:
        return Query(tuple(_parts([token.of_pasted_text for token in tokens], [])))
    return Query(tuple(_parts(tokens, notes)), tuple(dict.fromkeys(notes)))


def is_word(text: str) -> bool:
    """Whether ``text`` is read as one plain word."""
    tokens = _tokens(text, [])
    is_one = len(tokens) == 1 and tokens[0].is_word and tokens[0].exact == text
    return is_one and not _ESCAPABLE.match(text)  # beside others it may be an operator


def escaped(text: str) -> str:
    """``text`` written so that it is read as words wherever it stands: a backslash before what
    would be an operator. White space becomes one blank, double quotation marks straight ones."""
    words = text.translate(_DOUBLE_QUOTES).split()
    return " ".join(rf"\{word}" if _ESCAPABLE.match(word) else word for word in words)


def _tokens(text: str, notes: list[str]) -> list[_Token]:
    closings = [found.start() for found in _CLOSING.finditer(text)]
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        token, at = _token(text, at, closings, notes)
        tokens.append(token)
    return tokens


def _token(text: str, at: int, closings: list[int], notes: list[str]) -> tuple[_Token, int]:
    """The token that begins at ``at``, and where it ends."""
    found = _TOKEN.match(text, at)
    assert found is not None  # the last alternative takes anything
    if found["escape"]:
        word = found.group()[1:]
        return _Token(word, Word(word), is_word=True, is_plain=False), found.end()
    if found["quote"]:
        quoted = _quoted(text, found.end(), closings)
        if quoted is not None:
            inner, end = quoted
            if not inner:
                blank = text[at:end]
                return _Token(blank, Word(blank), is_word=True, is_plain=False), end
            atom = _atom(found["field"], inner, notes)
            if atom is not None:
                return _Token(text[at:end], atom, negated=bool(found["minus"])), end
        elif not found["field"]:
            notes.append('A quotation mark has no partner: put the words between two, "like this".')
        return _word_at(text, at, is_plain=False)
    raw = found.group()
    if found["near"]:
        return _Token(raw, None, near=int(found["distance"] or NEAR_WORDS)), found.end()
    if found["or"]:
        return _Token(raw, None), found.end()
    atom = None
    if found["pattern"]:
        atom = _pattern(found["pattern"], bool(found["flag"]), notes)
        if atom is None:
            return _Token(raw, Word(raw), is_word=True, is_plain=False), found.end()
        if found["pattern"].isalnum() and not (found["minus"] or found["flag"]):
            notes.append(_like_a_path(raw))
    elif found["value"]:
        atom = _field(found["field"].lower(), found["value"], raw, notes)
    elif found["minus"]:
        word = _trimmed(found["text"])
        atom = Phrase(word) if word else None
    if atom is not None:
        return _Token(raw, atom, negated=bool(found["minus"])), found.end()
    return _word_at(text, at, is_plain=bool(found["text"] and not found["minus"]))


def _word_at(text: str, at: int, *, is_plain: bool) -> tuple[_Token, int]:
    end = at
    while end < len(text) and not text[end].isspace():
        end += 1
    return _Token(text[at:end], Word(text[at:end]), is_word=True, is_plain=is_plain), end


def _quoted(text: str, begin: int, closings: list[int]) -> tuple[str, int] | None:
    """What stands from ``begin`` to the closing quotation mark, and where to go on."""
    nth = bisect_left(closings, begin)
    if nth == len(closings):
        return None
    close = closings[nth]
    end = close + 1
    while end < len(text) and text[end] in _AROUND:
        end += 1
    return " ".join(text[begin:close].split()), end


def _atom(field: str | None, quoted: str, notes: list[str]) -> Atom | None:
    if field is None:
        return Phrase(quoted)
    found = field_of(field.lower(), quoted)
    if found is None:
        notes.append(_no_date(f"{field}:{quoted}"))
    return found


def _field(name: str, value: str, raw: str, notes: list[str]) -> Field | None:
    """A filter without quotation marks; None for what cannot be one, and a note says why."""
    if name in _NAMES_ONLY:
        value = _trimmed(value)
    if value.startswith("(") and ")" not in value:
        notes.append(f"{raw}: brackets group nothing, write {name}:a OR {name}:b.")
        return None
    found = field_of(name, value)
    if found is None:
        notes.append(_no_date(raw))
    return found


def _pattern(expression: str, ignore_case: bool, notes: list[str]) -> Pattern | None:
    try:
        return checked_pattern(expression, ignore_case=ignore_case)
    except QueryError as error:
        notes.append(f"{error.what} Taken as words.")
        return None


def _no_date(raw: str) -> str:
    return f"{raw} names no date: write 2024, 2024-05 or 2024-05-31. Taken as words."


def _like_a_path(raw: str) -> str:
    return f'{raw} is a regular expression here: for the text itself write "{raw}".'


def _all_but_an_operator(raw: str, *, is_last: bool, is_shouted: bool) -> str | None:
    """A note on a word that was perhaps meant as an operator."""
    if _NO_VALUE.fullmatch(raw) and not is_last:
        return f"{raw} is followed by a blank: taken as a word. A filter has none, as type:pdf."
    if _FAR.fullmatch(raw):
        return f"{raw} is taken as a word: NEAR/9999 is the farthest."
    if raw == "NOT" and not (is_last or is_shouted):
        return "NOT is taken as a word: put - before what must not be there, as -draft."
    return None


def _trimmed(word: str) -> str:
    return word.rstrip(_AROUND) or word


def _parts(tokens: list[_Token], notes: list[str]) -> list[Words | Condition]:
    parts: list[Words | Condition] = []
    words: list[str] = []
    is_shouted = not any(token.raw.lower() == token.raw for token in tokens if token.is_word)
    at = 0
    while at < len(tokens):
        condition, at_next = _condition(tokens, at)
        if condition is None:
            token = tokens[at]
            is_last = at + 1 == len(tokens)
            if not token.is_word:
                notes.append(f"{token.raw} stands without two sides: taken as a word.")
            elif hint := _all_but_an_operator(token.raw, is_last=is_last, is_shouted=is_shouted):
                notes.append(hint)
            words.append(token.raw)
            at += 1
            continue
        if words:
            parts.append(Words(" ".join(words)))
            words = []
        parts.append(condition)
        at = at_next
    return [*parts, Words(" ".join(words))] if words else parts


def _condition(tokens: list[_Token], at: int) -> tuple[Condition | None, int]:
    """The condition that begins at ``at`` and where the next part does; None for a plain word.

    The right side of a NEAR may be the left side of another: then it is read again.
    """
    token = tokens[at]
    if token.atom is None:
        return None, at
    if token.negated:
        return Condition((token.atom,), negated=True), at + 1
    alternatives: list[Atom] = []
    while True:
        near = _near(tokens, at)
        atom = near or tokens[at].operand
        assert atom is not None
        alternatives.append(atom)
        last = at + 2 if near else at
        if near and _near(tokens, last):
            at = last
            break
        at = last + 1
        if not (_is_or(tokens, at) and at + 1 < len(tokens) and tokens[at + 1].operand):
            break
        at += 1
    if alternatives == [token.atom] and token.is_word:
        return None, at
    return Condition(tuple(alternatives)), at


def _near(tokens: list[_Token], at: int) -> Near | None:
    if at + 2 >= len(tokens) or tokens[at + 1].near is None:
        return None
    left, right, distance = tokens[at].exact, tokens[at + 2].exact, tokens[at + 1].near
    if left is None or right is None or distance is None:
        return None
    return Near(left, right, distance)


def _is_or(tokens: list[_Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].atom is None and tokens[at].near is None
