"""A title for a PDF: is the one in its metadata sensible, and what is written largest on page 1?"""

import re
import unicodedata
from collections.abc import Sequence

from indexer.parsing.pdf_lines import SizedLine

_MAX_TITLE = 200  # characters
_SAME_SIZE = 0.92  # lines at least this tall, relative to the tallest, belong to the title
_MAX_SCRIPTS = 4  # Japanese has three of its own, and Latin beside them
# What programs write when nobody wrote a title.
_NO_TITLE = re.compile(
    r"(?:\(anonymous\)"  # reportlab
    r"|\W*(?:untitled|unnamed|unbenannt|no ?title|title|ohne titel|sans titre|sin t[ií]tulo"
    r"|sem t[ií]tulo|senza titolo|naamloos|bez nazwy|без имени|безымянный|無題|无标题|無標題)"
    r"\W*(?:document|presentation|spreadsheet)?"
    r"|document|dokument|slide|presentation|pr[aä]sentation"
    r"|powerpoint[ -]pr[aä]sentation|pr[eé]sentation powerpoint|powerpoint presentation"
    r"|microsoft \w+ - .*"
    r"|\S+\.(?:dvi|docx?|pptx?|xlsx?|tex|indd|qxd|pdf|ps|eps|rtf|odt|txt|html?|md|fm|book|ai))"
    r"(?:[ _-]*\d*)?",
    re.IGNORECASE,
)


def is_title(title: str) -> bool:
    """Whether a metadata title was written by a person: no file name, no default."""
    return (
        sum(character.isalpha() for character in title) >= 2
        and _NO_TITLE.fullmatch(title.strip()) is None
    )


def largest_line(text: str, lines: Sequence[SizedLine]) -> str:
    """The neighbouring lines of page 1 that are written largest, in one line; "" if none tell."""
    sized = [(line.size, text[line.start : line.end].strip()) for line in lines]
    sized = [(size, line) for size, line in sized if sum(map(str.isalpha, line)) >= 2]
    tallest = max((size for size, _ in sized), default=0.0)
    title: list[str] = []
    for size, line in sized:
        if size >= _SAME_SIZE * tallest:
            title.append(line)
        elif title:
            break
    found = " ".join(" ".join(title).split())[:_MAX_TITLE].strip()
    return found if len(_scripts(found)) <= _MAX_SCRIPTS else ""


def _scripts(title: str) -> set[str]:
    """The scripts of the letters of a title. Fonts that name their letters wrongly mix many."""
    return {unicodedata.name(c, "?").split()[0] for c in title if c.isalpha()}
