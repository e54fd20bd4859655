"""A query taken apart: plain words that rank, and conditions that documents must meet.

``str`` of a query is a query again that means the same, for every parsed one and whatever is
added to it or taken away. Words that would read as operators have a backslash then.
"""

from dataclasses import dataclass, replace
from typing import Literal

FieldName = Literal["type", "path", "lang", "after", "before", "title"]


@dataclass(frozen=True, slots=True)
class Word:
    """An alternative beside OR: met by its inflections too, as a search for it would be."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Phrase:
    """Met by exactly this text; case, accents, ligatures and line breaks aside."""

    text: str

    def __str__(self) -> str:
        return f'"{self.text}"'


@dataclass(frozen=True, slots=True)
class Near:
    """Met where ``left`` and ``right`` stand with at most ``words`` words between, either first."""

    left: str
    right: str
    words: int

    def __str__(self) -> str:
        return f"{_bare(self.left)} NEAR/{self.words} {_bare(self.right)}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Met by a match of a regular expression in the text as it stands."""

    expression: str
    ignore_case: bool = False

    def __str__(self) -> str:
        return f"/{self.expression}/{'i' if self.ignore_case else ''}"


@dataclass(frozen=True, slots=True)
class Field:
    """Met by what is known of a document: its type, path, language, date or title."""

    name: FieldName
    value: str

    def __str__(self) -> str:
        spaced = any(c.isspace() for c in self.value) or self.value.startswith('"')
        return f'{self.name}:"{self.value}"' if spaced else f"{self.name}:{self.value}"


Atom = Word | Phrase | Near | Pattern | Field


@dataclass(frozen=True, slots=True)
class Condition:
    """Met if one of the alternatives is met; ``negated``, if none is."""

    alternatives: tuple[Atom, ...]
    negated: bool = False

    def __str__(self) -> str:
        if not self.negated:
            return " OR ".join(map(str, self.alternatives))
        (only,) = self.alternatives  # the language negates single atoms
        if isinstance(only, Phrase) and only.text[:1].isalpha():
            return f"-{_bare(only.text)}"
        return f"-{only}"

    @property
    def field(self) -> FieldName | None:
        """The field, if all alternatives are of one."""
        names = {a.name if isinstance(a, Field) else None for a in self.alternatives}
        return names.pop() if len(names) == 1 else None


@dataclass(frozen=True, slots=True)
class Words:
    """Plain text: it ranks documents and leaves none out."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Query:
    """The parts of a query in the order they were written.

    ``notes`` tell a person what looked like an operator and was taken as words.
    """

    parts: tuple[Words | Condition, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        from indexer.query.parse import parse

        plain = " ".join(map(str, self.parts))
        return plain if parse(plain) == self else " ".join(map(_escaped, self.parts))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What documents must meet."""
        return tuple(part for part in self.parts if isinstance(part, Condition))

    @property
    def words(self) -> str:
        """What the query is about, without operators: for the encoder and for BM25."""
        return " ".join(text for part in self.parts for text in _words_of(part))

    @property
    def loose_words(self) -> str:
        """The words that may stand anywhere: not those of phrases and NEAR."""
        loose = [a.text for c in self.conditions for a in _positive(c) if isinstance(a, Word)]
        return " ".join([*(p.text for p in self.parts if isinstance(p, Words)), *loose])

    @property
    def exact(self) -> tuple[Phrase | Near | Pattern, ...]:
        """What is looked for exactly, and shown where it stands."""
        found = (a for c in self.conditions for a in _positive(c))
        return tuple(a for a in found if isinstance(a, Phrase | Near | Pattern))

    def adding(self, *conditions: Condition) -> "Query":
        """The query with further conditions; one that it has already is not repeated."""
        new = tuple(c for c in dict.fromkeys(conditions) if c not in self.parts)
        return Query((*self.parts, *new), self.notes)

    def without(self, condition: Condition) -> "Query":
        """The query less one of its conditions."""
        left: list[Words | Condition] = []
        for part in self.parts:
            if part == condition:
                continue
            if left and isinstance(part, Words) and isinstance(left[-1], Words):
                left[-1] = Words(f"{left[-1].text} {part.text}")
            else:
                left.append(part)
        return Query(tuple(left), self.notes)


def _positive(condition: Condition) -> tuple[Atom, ...]:
    return () if condition.negated else condition.alternatives


def _words_of(part: Words | Condition) -> list[str]:
    if isinstance(part, Words):
        return [part.text]
    texts: list[str] = []
    for atom in _positive(part):
        if isinstance(atom, Word | Phrase):
            texts.append(atom.text)
        elif isinstance(atom, Near):
            texts += [atom.left, atom.right]
    return texts


def _escaped(part: Words | Condition) -> str:
    """A part that reads as what it is, whatever stands around it."""
    from indexer.query.parse import escaped

    if isinstance(part, Words):
        return escaped(part.text)
    words = tuple(Word(escaped(a.text)) if isinstance(a, Word) else a for a in part.alternatives)
    return str(replace(part, alternatives=words))


def _bare(text: str) -> str:
    """``text`` as it would be read as one word, else between quotes."""
    from indexer.query.parse import is_word

    return text if is_word(text) else f'"{text}"'
