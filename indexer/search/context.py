"""Hits -> blocks of text with citations, within a budget of tokens, ready for a prompt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from unicodedata import category

from indexer.documents import Hit, Passage, Units, UnitType


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A passage for a prompt. ``num_tokens`` counts ``str(block)``, citation included."""

    text: str
    citation: str
    path: str
    title: str
    doc_id: str
    unit: UnitType
    first: int
    last: int
    label: str | None
    section: str | None
    score: float
    num_tokens: int

    def __str__(self) -> str:
        return _render(self.citation, self.text)


def build_context(
    hits: Sequence[Hit], token_budget: int, count_tokens: Callable[[str], int]
) -> list[ContextBlock]:
    """Blocks in order of use: the best passage of each hit, then the second of each, and so on.

    The tokens of all blocks as rendered stay within ``token_budget``. Of a passage that does not
    fit the best landmark is taken, whole sentences as a rule; what is too long even so is left
    out, not cut: half a sentence is no evidence.
    """
    blocks: list[ContextBlock] = []
    left = token_budget
    names = distinct_names([hit.path for hit in hits])
    depth = max((len(hit.passages) for hit in hits), default=0)
    for level in range(depth):
        for hit in hits:
            if level >= len(hit.passages):
                continue
            passage = hit.passages[level]
            for part in (passage, narrowed(passage)):
                block = _block(hit, names[hit.path], part, count_tokens)
                if block.num_tokens <= left:
                    blocks.append(block)
                    left -= block.num_tokens
                    break
    return blocks


def narrowed(passage: Passage) -> Passage:
    """The best landmark of a passage as a passage of its own, in its own units."""
    start, end = passage.best or (passage.start, passage.end)
    text = passage.text[start - passage.start : end - passage.start]
    units = passage.best_units or Units(passage.first, passage.last, passage.label)
    marks = ((max(a, start), min(b, end)) for a, b in passage.highlights)
    return replace(
        passage,
        start=start,
        end=end,
        text=text,
        first=units.first,
        last=units.last,
        label=units.label,
        highlights=tuple((a, b) for a, b in marks if a < b),
    )


def location(passage: Passage) -> str:
    """``p. 12 (printed xii)``, ``lines 40-58``, ``section 3``."""
    words = {"page": ("p.", "pp."), "line": ("line", "lines")}
    one, many = words.get(passage.unit, (passage.unit, f"{passage.unit}s"))
    place = f"{one} {passage.first}"
    if passage.last != passage.first:
        place = f"{many} {passage.first}-{passage.last}"
    return f"{place} (printed {passage.label})" if passage.label else place


def distinct_names(paths: Sequence[str]) -> dict[str, str]:
    """Names of files by their paths, with as many folders as tell them apart.

    >>> distinct_names(["/x/a/README.md", "/x/b/README.md", "/x/b/pump.md"])["/x/a/README.md"]
    'a/README.md'
    """
    names = {}
    for path in paths:
        parts = path.split("/")
        ends = ("/".join(parts[n:]) for n in range(len(parts) - 1, 0, -1))
        others = [f"/{other}" for other in paths if other != path]
        alone = (end for end in ends if not any(other.endswith(f"/{end}") for other in others))
        names[path] = next(alone, path)
    return names


def _block(
    hit: Hit, name: str, passage: Passage, count_tokens: Callable[[str], int]
) -> ContextBlock:
    citation = _in_brackets(f"{name}, {location(passage)}")
    return ContextBlock(
        text=passage.text,
        citation=citation,
        path=hit.path,
        title=hit.title,
        doc_id=hit.doc_id,
        unit=passage.unit,
        first=passage.first,
        last=passage.last,
        label=passage.label,
        section=passage.section,
        score=passage.score,
        num_tokens=count_tokens(_render(citation, passage.text)),
    )


def _in_brackets(citation: str) -> str:
    """A citation that no name of a file ends, or breaks into lines."""
    return "".join(map(_escaped, citation))


def _escaped(char: str) -> str:
    """A bracket, or what cannot be printed, as an escape; blanks of every width stay."""
    if char in "[]":
        return f"\\{char}"
    is_shown = char.isprintable() or category(char) == "Zs"
    return char if is_shown else char.encode("unicode_escape").decode()


def _render(citation: str, text: str) -> str:
    return f"[{citation}]\n{text}\n\n"
