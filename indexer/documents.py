"""The values that travel: a parsed Document on the way in, Hits with Passages on the way out.

One coordinate system: every ``start``/``end`` is a half-open range of characters in
``Document.text`` (a Python string in NFC with ``\\n`` line ends). Pages, lines, cells,
sections, landmarks, passages and highlights are all ranges in it.
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from indexer.offsets import Offsets

Kind = Literal["pdf", "code", "markdown", "html", "text", "docx", "pptx", "xlsx", "epub", "email"]
UnitType = Literal["page", "line", "cell", "section", "slide", "sheet", "message"]
# Of a file. "excluded": by a rule; "no text": empty, or images of text; "locked": a password is
# needed. The reason is told beside it.
State = Literal["indexed", "partly read", "excluded", "no text", "locked", "failed"]
_PART_CHARS = 1_000_000
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Section:
    """A titled range: an outline entry, a heading, a class, a function. Sections nest by level."""

    title: str
    start: int
    end: int
    level: int  # 1 is outermost


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a document could be read, in its own units (pages, lines ...).

    The tuples are 1-based numbers of units.
    """

    units: int
    with_text: int
    blank: int = 0  # really empty: not a fault
    failed: tuple[int, ...] = ()  # could not be read
    no_text: tuple[int, ...] = ()  # show something, and none of it is text: scans
    ocr: tuple[int, ...] = ()  # read by OCR
    poor: tuple[int, ...] = ()  # more than a few of their characters could not be told


@dataclass(frozen=True, slots=True)
class Document:
    """One text with its structure; what a parser returns.

    Units tile the text: unit ``i`` is ``[unit_starts[i], unit_starts[i + 1])`` and
    ``unit_starts[0] == 0``. ``unit_labels`` is empty, or one printed label per unit.
    ``breaks`` are offsets that no landmark span may cross; ``borders`` the soft places
    (statement and block starts, rows of a table) where a span should end, and ``definitions`` the
    best of them: where a class or function begins or ends. ``furniture`` are ranges that are no
    part of what the text says: running heads, page numbers, lists of contents. ``context`` is what
    the text is read behind: the first words of its project (``ingest.projects``).
    """

    text: str
    kind: Kind
    title: str
    unit: UnitType
    unit_starts: Sequence[int]
    unit_labels: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    breaks: tuple[int, ...] = ()
    borders: tuple[int, ...] = ()
    definitions: tuple[int, ...] = ()
    furniture: tuple[tuple[int, int], ...] = ()
    language: str = ""  # "en", "de" ... for prose; "python", "rust" ... for code
    metadata: Mapping[str, str] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=lambda: Coverage(units=1, with_text=1))
    context: str = ""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """The ledger's row of one path: what became of it, and why.

    ``doc_id`` is set exactly when ``state`` is "indexed" or "partly read". ``size`` is -1 for
    what was left out without being looked at. Times are nanoseconds since the epoch.
    """

    path: str
    raw_path: bytes
    doc_id: str | None
    size: int
    mtime_ns: int
    content_hash: str | None
    state: State
    reason: str | None
    source_root: str
    seen_at: int


@dataclass(frozen=True, slots=True)
class Units:
    """Units (pages, lines) ``first`` to ``last``, numbered from 1; ``label`` is the printed label
    of the first where it differs from its number, else None."""

    first: int
    last: int
    label: str | None


@dataclass(frozen=True, slots=True)
class Passage:
    """A range shown to a person or given to a prompt.

    ``first``, ``last`` and ``label`` are as in ``Units``. ``highlights`` are ranges in the
    document's text, and ``best`` is that of the landmark which answers best: the narrowest place
    that is known, the whole passage where there is no narrower one; ``best_units`` are its own.
    ``section`` is the path of titles around it, joined by " > ", or None.
    """

    start: int
    end: int
    text: str
    unit: UnitType
    first: int
    last: int
    label: str | None
    section: str | None
    score: float
    highlights: tuple[tuple[int, int], ...] = ()
    best: tuple[int, int] | None = None
    best_units: Units | None = None


@dataclass(frozen=True, slots=True)
class SignalScore:
    """What one signal says of a document, and what that adds to its score.

    ``value`` is the signal's own measure: a cosine, or BM25. ``rank`` is among all documents,
    from 1; documents of equal value share the better one.
    """

    name: str
    value: float
    rank: int
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class WordCount:
    """A word of the query and how many places (landmarks) of the document hold it."""

    word: str
    places: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a document has its score: the contributions of the signals add up to it."""

    signals: tuple[SignalScore, ...]
    words: tuple[WordCount, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked document with its best passages (best first, never overlapping)."""

    rank: int  # from 1
    doc_id: str
    path: str
    # Every file that holds this document; ``path`` is the first that meets the query's filters.
    paths: tuple[str, ...]
    title: str
    kind: Kind
    score: float  # higher is better; comparable within one query only
    passages: tuple[Passage, ...]
    duplicates: tuple[str, ...] = ()  # files of the same words in other bytes, which get no place
    explanation: Explanation | None = None  # where it was asked for


def spoken_text(document: Document) -> str:
    """The text with its furniture blanked out, offsets unchanged: what is encoded and searched."""
    return without_furniture(document.text, document.furniture)


def without_furniture(text: str, furniture: Sequence[tuple[int, int]]) -> str:
    """``text`` with the ranges of ``furniture`` blanked out, offsets unchanged."""
    parts: list[str] = []
    done = 0
    for start, end in furniture:
        parts += [text[done:start], " " * (end - start)]
        done = end
    return "".join([*parts, text[done:]])


def text_hash(document: Document) -> str:
    """Equal for documents of the same words in the same order, whatever their bytes and layout."""
    return hash_words(document.text, document.furniture)


def hash_words(text: str, furniture: Sequence[tuple[int, int]]) -> str:
    """``text_hash`` of a document with this text and furniture."""
    digest, separator = hashlib.sha256(), b""
    for part in parts_of(without_furniture(text, furniture)):
        if words := part.split():  # of a part at a time: a word as an object takes 60 bytes
            digest.update(separator + " ".join(words).encode())
            separator = b" "
    if not separator:
        digest.update(text.encode())
    return digest.hexdigest()[:32]


def parts_of(text: str) -> Iterator[str]:
    """The text in parts of a million characters or so, cut behind white space."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + _PART_CHARS)
        end = space.end() if space else len(text)
        yield text[start:end]
        start = end


def document_date(metadata: Mapping[str, str]) -> int | None:
    """When the document says it was last changed, else made: ns since the epoch, None if it does
    not say. ``modified`` and ``created`` are ISO 8601; without a zone they are taken for UTC."""
    for key in ("modified", "created"):
        try:
            date = datetime.fromisoformat(metadata.get(key, ""))
            aware = date if date.tzinfo else date.replace(tzinfo=UTC)
        except ValueError:
            continue
        if 1678 <= aware.year <= 2261:  # what 64 bits of nanoseconds can say
            return int(aware.timestamp()) * 1_000_000_000
    return None


def unit_at(unit_starts: Sequence[int], offset: int) -> int:
    """1-based number of the unit that holds the character at ``offset``."""
    return max(bisect_right(unit_starts, offset), 1)


def units_of(unit_starts: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """1-based first and last unit touched by ``[start, end)``."""
    return unit_at(unit_starts, start), unit_at(unit_starts, max(start, end - 1))


def line_starts(text: str) -> Offsets:
    """Offset of every line of ``text``. A line ends at ``\\n`` and nowhere else.

    Parsers turn CRLF and CR into ``\\n``; form feeds, vertical tabs and U+2028 stay inside
    their line, as in editors. A final line end opens no further line; empty text is one line.
    """
    return Offsets(_line_starts(text))


def _line_starts(text: str) -> Iterator[int]:
    yield 0
    position = text.find("\n")
    while position != -1 and position + 1 < len(text):
        yield position + 1
        position = text.find("\n", position + 1)


def section_path(sections: Sequence[Section], start: int, end: int) -> str | None:
    """Titles of the sections around a range, outermost first, joined by " > ".

    A section counts if it holds the middle of the range, so that a passage that begins with
    the last words of one section and tells of the next is named after the next.
    """
    middle = (start + max(start, end - 1)) // 2
    around = [s for s in sections if s.start <= middle < s.end and s.title]
    return " > ".join(s.title for s in sorted(around, key=lambda s: (s.level, s.start))) or None
