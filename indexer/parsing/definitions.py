"""Definitions of languages that we have no grammar for: by one regex each, and by indentation.

A pattern is matched against the start of one line; its one named group that takes part is
the title. It knows the language as ordinary code is written, and may miss the rest:
definitions give titles and places to cut, and never decide whether text exists.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from indexer.parsing.sections import Definition

_TAB = 4  # columns; only compared within a file, so any width does where tabs are consistent
# A line that begins so goes on with the definition above it, whatever its indentation.
_GOES_ON = re.compile(r"[{)\]>:,]|->|=>|- |(?:where|begin|as|is|then|do)\b")
_CLOSES = re.compile(
    r"\}|\)+\s*$|(?i:(?:end(?:if|for|while|do|function|module|class|task|package)?|esac|fi|done)\b)"
)
_LABEL = re.compile(r"(?:\w+:|case\b.*:|(?:public|private|protected|signals|Q_\w+).*:)\s*$")
MAX_LINE = 1000  # characters; a longer line was written by a program, and defines nothing

# What may stand before the keyword in languages with modifiers (union of Java, C#, Kotlin ...).
_MODIFIERS = r"""
    (?:(?:public|protected|private|internal|fileprivate|open|static|final|abstract|sealed|override
    |virtual|async|partial|readonly|extern|unsafe|synchronized|native|default|strictfp|inline
    |suspend|operator|export|implicit|case|lazy|data|inner|annotation|value|companion|const
    |mutating|indirect|convenience|required|lateinit|new|enum(?=\s+class))
    (?:\[\w+\]|\([\w ]+\))?\s+)*
"""
_TYPE = r"""
    (?:class|interface|@interface|struct|enum(?:\s+class)?|record|trait|object|namespace|protocol
    |extension|actor|mixin)\s+(?P<type>[\w.]+)
"""
# Words that look like the return type or the name of a function, and are neither.
_NO_CALL = r"""
    (?!(?:if|else|for|foreach|while|switch|return|catch|do|case|using|lock|new|throw|await|sizeof
    |typeof|yield|assert)\b)
"""
_NO_STATEMENT = r"(?!.*;\s*(?://.*|/\*.*)?$)"  # a declaration or call, not a definition
_METHOD = rf"{_NO_CALL}(?:[\w<>\[\].,?@]+\s+)+{_NO_CALL}(?P<method>\w+)\s*\({_NO_STATEMENT}"
_SCRIPT = rf"""
    (?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?
    (?:function\s*\*?\s*(?P<function>[\w$]+)
    |(?:class|interface|enum|namespace|module)\s+(?P<type>[\w$]+)
    |type\s+(?P<alias>[\w$]+)(?:<.*>)?\s*=
    |(?:const|let|var)\s+(?P<variable>[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?
     (?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)
    |(?:(?:static|public|private|protected|readonly|override|async|get|set)\s+)*
     {_NO_CALL}(?!function\b)\#?(?P<method>[\w$]+)\s*\([^;]*\)\s*(?::[^=;]+)?\{{\s*$)
"""
_PATTERNS = {
    "vue": _SCRIPT,
    "r": r"(?P<name>[\w.]+)\s*(?:<-|=)\s*function\b",
    "groovy": rf"{_MODIFIERS}(?:{_TYPE}|def\s+(?P<name>\w+)\s*\(|{_METHOD})",
    "nim": r"(?:proc|func|method|template|macro|iterator)\s+(?P<name>\w+)",
    "elm": r"type(?:\s+alias)?\s+(?P<type>\w+)|(?P<name>[a-z]\w*)\s*:(?!:)",
    "fsharp": r"(?:let|and|module|type|member)\s+(?:rec\s+|inline\s+)*(?P<name>[\w.']+)",
    "erlang": r"(?P<name>[a-z]\w*)\(.*\)\s*(?:when\b.*)?->",
    "clojure": r"\((?:defn-?|def\w*|ns)\s+(?P<name>[^\s()\[\]]+)",
    "lisp": r"\((?:def\w*)\s+\(?(?P<name>[^\s()]+)",
    "fortran": r"""
        (?i:(?:(?:pure|elemental|recursive|integer|real|logical)\S*\s+)*
        (?:program|module(?!\s+procedure)|subroutine|function)\s+(?P<name>\w+))
    """,
    "pascal": r"(?i:(?:procedure|function|constructor|destructor|unit)\s+(?P<name>[\w.]+))",
    "ada": r"(?i:(?:procedure|function|package(?:\s+body)?|task)\s+(?P<name>[\w.]+))",
    "vb": r"""
        (?i:(?:(?:public|private|friend|shared|static)\s+)*
        (?:sub|function|class|module|property\s+\w+)\s+(?P<name>\w+))
    """,
    "verilog": r"(?:module|function(?:\s+automatic)?|task|class|package)\s+(?P<name>\w+)",
    "vhdl": r"(?i:(?:entity|architecture|package(?:\s+body)?|function|procedure)\s+(?P<name>\w+))",
    "powershell": r"(?i:(?:function|filter|class)\s+(?P<name>[\w:-]+))",
    "graphql": r"""
        (?:extend\s+)?(?:type|interface|enum|input|union|scalar|query|mutation|fragment)
        \s+(?P<name>\w+)
    """,
    "proto": r"(?:message|service|enum|rpc|oneof)\s+(?P<name>\w+)",
    "thrift": r"(?:struct|service|enum|exception|union)\s+(?P<name>\w+)",
    "solidity": r"""
        (?:abstract\s+)?(?:contract|interface|library|struct|enum|event|function|modifier)
        \s+(?P<name>\w+)|(?P<constructor>constructor)\s*\(
    """,
    "hcl": r"(?P<name>(?:resource|data|module|variable|output|provider|locals)\b[^{]*)\{",
    "make": r"(?P<name>[\w./%$()-]+(?:[ ]+[\w./%$()-]+)*)\s*::?(?![=:])",
    "cmake": r"(?i:(?:function|macro)\s*\(\s*(?P<name>\w+))",
    "dockerfile": r"(?i:FROM\s+(?:\S+\s+AS\s+)?(?P<name>\S+))",
    "vim": r"function!?\s+(?P<name>[\w:.\#]+)",
    "tcl": r"proc\s+(?P<name>\S+)",
    "matlab": r"""
        function\s+(?:\[?[\w, ~]*\]?\s*=\s*)?(?P<name>[\w.]+)
        |classdef\s+(?:\([^)]*\)\s*)?(?P<type>\w+)
    """,
    "ini": r"\[(?P<name>[^\]\n]+)\]\s*$",
    "toml": r"\[\[?(?P<name>[^\]\n]+)\]\]?\s*(?:\#.*)?$",
    "yaml": r"(?P<name>[A-Za-z_][\w.-]*)\s*:(?:\s|$)",
    "css": r"(?P<name>[^\s{};/][^{};]*?)\s*\{",
    "diff": r"diff\s+.*\s(?P<name>\S+)$",
}
# In these, only a line without indentation defines something worth a section.
_TOP_LEVEL_ONLY = frozenset("elm make yaml ini toml dockerfile diff erlang clojure lisp".split())
# Here a definition lasts until the next one: a header, or equations at the margin.
_UNTIL_NEXT = frozenset("matlab ini toml dockerfile diff elm erlang".split())

_SLASHES = ("//", "/*", "*")
_COMMENTS = {
    "css": ("/*", "*/"),
    "erlang": ("%", "-spec"),
    "fortran": ("!",),
    "matlab": ("%",),
    "vim": ('"',),
    "ini": ("#", ";"),
    "vb": ("'",),
    "json": (),
    "xml": (),
    "diff": (),
    **dict.fromkeys(("elm", "ada", "vhdl"), ("--", "{-")),
    **dict.fromkeys(("lisp", "clojure"), (";",)),
    **dict.fromkeys(("groovy", "vue"), (*_SLASHES, "@")),
    **dict.fromkeys("powershell make hcl cmake dockerfile toml yaml nim tcl r".split(), ("#",)),
}


class _Open(NamedTuple):
    title: str
    first: int  # line number from 0
    indent: int


class _Lines(NamedTuple):
    title: str
    first: int
    last: int  # exclusive


def definitions_by_line(
    lines: Sequence[str], starts: Sequence[int], end: int, language: str
) -> list[Definition]:
    """Definitions in the ``lines`` of a text that begin at ``starts`` and end at ``end``; each
    begins with the comments and decorators right above it."""
    marks = _COMMENTS.get(language, _SLASHES)
    ends = (*starts[1:], end)
    taken = 0  # comments above this line belong to the definition before
    found: list[Definition] = []
    for lasting in sorted(_by_indentation(lines, language, marks), key=lambda d: d.first):
        first = lasting.first
        while first > taken and lines[first - 1].lstrip().startswith(marks):
            first -= 1
        taken = lasting.first + 1
        found.append(Definition("", lasting.title, starts[first], ends[lasting.last - 1]))
    return found


def _by_indentation(
    lines: Sequence[str], language: str, marks: tuple[str, ...]
) -> Iterator[_Lines]:
    """Definitions by the shape of lines; each lasts as long as its lines are indented deeper.

    The line that closes it ("}", "end") is its last. Comments and labels at the margin do
    not end it.
    """
    pattern = _definition_pattern(language)
    if pattern is None:
        return
    open_: list[_Open] = []
    last = 0  # after the last line that holds code
    for i, line in enumerate(lines):
        stripped = line.strip()
        if not stripped or (marks and stripped.startswith(marks)):
            continue
        indent = _width(line)
        match = pattern.match(line) if len(line) <= MAX_LINE else None
        while open_ and indent <= open_[-1].indent and (match or language not in _UNTIL_NEXT):
            top = open_[-1]
            closes = indent == top.indent and not match and _CLOSES.match(stripped)
            if not closes and not match and indent == top.indent and _goes_on(stripped):
                break
            open_.pop()
            yield _Lines(top.title, top.first, i + 1 if closes else last)
            if closes:
                break
        last = i + 1
        if match:
            title = next(value for value in match.groups() if value).strip()
            if stripped.endswith(("}", ";")) and stripped.count("{") == stripped.count("}"):
                yield _Lines(title, i, i + 1)  # all on one line
            else:
                open_.append(_Open(title, i, indent))
    while open_:
        top = open_.pop()
        yield _Lines(top.title, top.first, last)


def _goes_on(stripped: str) -> bool:
    return bool(_GOES_ON.match(stripped) or (len(stripped) <= MAX_LINE and _LABEL.match(stripped)))


def _width(line: str) -> int:
    """Columns of white space before the first character."""
    margin = line[: len(line) - len(line.lstrip())].replace("\f", "")
    return len(margin.expandtabs(_TAB))


@cache
def _definition_pattern(language: str) -> re.Pattern[str] | None:
    """Matches a line of ``language`` that begins a definition; None if we know none."""
    source = _PATTERNS.get(language)
    if source is None:
        return None
    indent = r"\f?" if language in _TOP_LEVEL_ONLY else r"[ \t\f]*"
    return re.compile(f"{indent}(?:{source})", re.VERBOSE)
