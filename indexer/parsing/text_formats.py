"""Which format a text is in, beside code and the web: the suffix is asked, then the first lines."""

import re
from pathlib import PurePath
from typing import Literal

TextFormat = Literal["markdown", "restructuredtext", "latex", "asciidoc", "org", "man", "csv"]

_SUFFIXES: dict[TextFormat, str] = {
    "markdown": "md markdown mdown mkd mdx rmd qmd",
    "restructuredtext": "rst rest",
    "latex": "tex ltx latex",
    "asciidoc": "adoc asciidoc",
    "org": "org",
    "csv": "csv tsv tab",
}
_BY_SUFFIX = {
    f".{suffix}": format_ for format_, suffixes in _SUFFIXES.items() for suffix in suffixes.split()
}
# What only that format begins with, or has in its first lines.
_BY_CONTENT: tuple[tuple[TextFormat, re.Pattern[str]], ...] = (
    ("latex", re.compile(r"(?:[ \t\n]|%[^\n]*\n)*+\\document(?:class|style)\b")),
    ("man", re.compile(r"\n*+(?=[.'\\])(?s:.*?)^[.'][ \t]*(?:TH|Dd)[ \t]", re.M)),
    ("org", re.compile(r"(?:#[^\n]*\n|\n)*?#\+title:", re.IGNORECASE)),
    ("asciidoc", re.compile(r"(?://[^\n]*\n|\n)*+= \S[^\n]*\n(?s:.*?)^== \S", re.M)),
    ("markdown", re.compile(r"\n*+# \S[^\n]*\n[ \t]*\n(?s:.*?)^## \S[^\n]*\n[ \t]*\n", re.M)),
    ("restructuredtext", re.compile(r"(?s:.*?)^\.\. (?:_[^\n]+:|[\w:-]+::)(?:[ \t]|$)", re.M)),
)


def text_format(name: str, head: str) -> TextFormat | None:
    """The format of the text ``name`` that begins with ``head``, or None if it is plain.

    The suffix decides where it names a format; ``.rst.txt`` is reStructuredText too.
    """
    suffixes = PurePath(name.lower()).suffixes
    while suffixes and suffixes[-1] in (".txt", ".text"):
        suffixes.pop()
    if suffixes and (known := _BY_SUFFIX.get(suffixes[-1])):
        return known
    return next((format_ for format_, shows in _BY_CONTENT if shows.match(head)), None)
