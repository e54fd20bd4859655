r"""LaTeX: ``\section`` and the like become sections; the text stays as it stands in the file.

Files that ``\input`` names are documents of their own.
"""

import re
import unicodedata
from collections.abc import Iterator

from indexer.documents import Document
from indexer.parsing.lines import Lines, line_document
from indexer.parsing.sections import Heading

_COMMANDS = (
    "part chapter section subsection subsubsection paragraph subparagraph frametitle".split()
)
_LEVELS = {command: level for level, command in enumerate(_COMMANDS, start=1)}
# At the beginning of a line: elsewhere such a command is commented out, defined or talked about.
_HEADING = re.compile(rf"^[ \t]*\\({'|'.join(_COMMANDS)})(?![A-Za-z@])\*?", re.MULTILINE)
_TITLE = re.compile(r"^[ \t]*\\title(?![A-Za-z@])\*?", re.MULTILINE)
_VERBATIM = re.compile(r"\\begin\{(verbatim\*?|Verbatim|lstlisting|minted|alltt|comment)\}")
_LONGEST_ARGUMENT = 2000  # characters; a brace that is open for longer was never closed
_GAP = r"(?:[ \t\n]|%[^\n]*\n)*+"
_BRACKET = re.compile(rf"{_GAP}(?:<[^>\n]*>)?(?:\[[^]]{{0,2000}}\]{_GAP})?\{{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)

_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?[ \t]*")
_SILENT = re.compile(r"\\(?:label|thanks|footnote|index|[hv]space\*?|color|texorpdfstring)(?=[ {])")
_ACCENT = re.compile(
    r"\\(?:([`'^\"~=.])|([uvHcdbrk])(?=[ {]))\s*(?:\{\s*\\?([^\W\d_])\s*\}|\\?([^\W\d_]))"
)
_COMBINING = dict(
    zip(
        "`'^\"~=.uvHcdbrk",
        "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0323\u0331\u030a\u0328",
        strict=True,
    )
)
_LETTERS = {
    **{"ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ"},
    **{"aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "ı"},
    **{"ldots": "...", "dots": "...", "textendash": "–", "textemdash": "—"},
    **{"TeX": "TeX", "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX"},
}
_COMMAND = re.compile(r"\\([A-Za-z@]+)\*?[ \t]*|\\\\(?:\[[^]]*\])?|\\([^A-Za-z\\])|[{}$~]|---?")
_NAME = re.compile(r"[A-Za-z]{2,}")
_MARKS = {"~": " ", "--": "–", "---": "—", "\\\\": " "}


def parse_latex(text: str, *, name: str) -> Document:
    r"""Document of the cleaned ``text``. The title is ``\title``'s, or the file's name."""
    named = _TITLE.search(text)
    title = _plain(_argument(text, named.end())) if named else ""
    return line_document(Lines(text), title=title or name, headings=find_headings(text))


def find_headings(text: str) -> Iterator[Heading]:
    r"""Sections from ``\part`` (level 1) to ``\subparagraph`` (7), and the titles of slides (8).

    Example: ``\section*{On \emph{tides}\label{s}}`` gives Heading(0, 3, "On tides").
    """
    verbatim = list(_verbatim(text))
    for found in _HEADING.finditer(text):
        while verbatim and verbatim[0][1] <= found.start():
            verbatim.pop(0)
        if verbatim and verbatim[0][0] < found.start():
            continue
        if title := _plain(_argument(text, found.end())):
            yield Heading(found.start(), _LEVELS[found[1]], title)


def _verbatim(text: str) -> Iterator[tuple[int, int]]:
    """Ranges in which commands are shown, not followed, in order."""
    end = 0
    while found := _VERBATIM.search(text, end):
        end = text.find(f"\\end{{{found[1]}}}", found.end())
        if end < 0:
            return  # never closed: it hides nothing
        yield found.start(), end


def _argument(text: str, start: int) -> str:
    """What stands between the braces behind a command that ends at ``start``, or ""."""
    opened = _BRACKET.match(text, start)
    if opened is None:
        return ""
    end = _closing(text, opened.end())
    return text[opened.end() : end] if end >= 0 else ""


def _closing(text: str, start: int) -> int:
    """Where the brace closes that was opened before ``start``; -1 if it does not."""
    depth = 1
    for found in _BRACE.finditer(text, start, start + _LONGEST_ARGUMENT):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    return -1


def _plain(source: str) -> str:
    r"""A title without its markup: ``\textbf{G\"odel}'s~proof\label{g}`` reads "Gödel's proof"."""
    source = _COMMENT.sub("", source)
    while found := _SILENT.search(source):
        opened = source.find("{", found.end())
        end = _closing(source, opened + 1)
        source = source[: found.start()] + (source[end + 1 :] if 0 <= opened < end else "")
    source = _ACCENT.sub(_accented, source)
    plain = " ".join(_COMMAND.sub(_shown, source).split())
    return plain or " ".join(_NAME.findall(source))  # a title that is but a command


def _accented(found: re.Match[str]) -> str:
    letter = found[3] or found[4]
    return unicodedata.normalize("NFC", letter + _COMBINING[found[1] or found[2]])


def _shown(found: re.Match[str]) -> str:
    """What a command or a mark of a title stands for."""
    if found[1]:
        return _LETTERS.get(found[1], "")
    if found[2]:
        return found[2] if found[2] in "%&#_{}$ " else ""
    return _MARKS.get(found[0].split("[")[0], "")
