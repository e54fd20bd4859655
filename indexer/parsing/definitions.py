"""Where functions and classes begin in languages that we have no parser for: one regex each.

A pattern is matched against the start of one line; its one named group that takes part is
the title. It knows the language as ordinary code is written, and may miss the rest:
definitions give titles and places to cut, and never decide whether text exists.
"""

import re
from functools import cache

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
_CONSTRUCTOR = r"(?:public|protected|private|internal)\s+(?P<constructor>\w+)\s*\((?!.*;\s*$)"
_C_FUNCTION = rf"""
    {_NO_CALL}(?:[A-Za-z_][\w:<>,*&\[\]\s]*?[\s*&])??{_NO_CALL}
    (?P<name>(?:\w+::)*(?:~?[A-Za-z_]\w*|operator\s*[^\s(]+))\s*\({_NO_STATEMENT}
"""
_C_TYPE = rf"(?:typedef\s+)?(?:struct|union|enum)\s+(?P<type>\w+){_NO_STATEMENT}\s*(?:\{{|$)"
_CPP_TYPE = r"""
    (?:typedef\s+)?(?:class|struct|union|enum(?:\s+class)?)\s+(?:[A-Z_]+\s+)?
    (?P<type>\w+)(?!\s*[\w*&(])(?!.*;\s*$)
"""
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
    "python": r"(?:async\s+)?(?:def|class)\s+(?P<name>\w+)",
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "vue": _SCRIPT,
    "java": rf"{_MODIFIERS}(?:{_TYPE}|{_METHOD})|{_CONSTRUCTOR}",
    "csharp": rf"{_MODIFIERS}(?:{_TYPE}|{_METHOD})|{_CONSTRUCTOR}",
    "dart": rf"{_MODIFIERS}(?:{_TYPE}|{_METHOD})",
    "groovy": rf"{_MODIFIERS}(?:{_TYPE}|def\s+(?P<name>\w+)\s*\(|{_METHOD})",
    "kotlin": rf"{_MODIFIERS}(?:(?:fun\s+)?{_TYPE}|fun\s+(?:<.*?>\s*)?(?P<name>[\w.`]+))",
    "scala": rf"{_MODIFIERS}(?:{_TYPE}|def\s+(?P<name>\w+))",
    "swift": rf"{_MODIFIERS}(?:{_TYPE}|func\s+(?P<name>\w+)|(?P<initializer>init)\s*[?(])",
    "php": rf"{_MODIFIERS}(?:{_TYPE}|function\s+&?(?P<name>\w+))",
    "c": rf"{_C_TYPE}|{_C_FUNCTION}",
    # No namespaces: what they hold is not indented, so that their end cannot be seen.
    "cpp": rf"""
        (?:template\s*<.*>\s*)?(?:{_CPP_TYPE}
        |(?:(?<![ \t])|(?!.*[,(]\s*$)){_C_FUNCTION})  # an indented open list is a call
    """,
    "objectivec": rf"""
        @(?:interface|implementation|protocol)\s+(?P<class>\w+)
        |[-+]\s*\([^)]*\)\s*(?P<method>\w+)|{_C_TYPE}|{_C_FUNCTION}
    """,
    "go": r"func\s+(?:\([^)]*\)\s*)?(?P<name>\w+)|type\s+(?P<type>\w+)\s",
    "rust": r"""
        (?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?
        (?:extern\s+"[^"]*"\s+)?
        (?:(?:fn|struct|enum|union|trait|mod|macro_rules!)\s+(?P<name>\w+)|(?P<impl>impl\b[^{]*))
    """,
    "zig": r"""
        (?:pub\s+)?(?:(?:inline|export)\s+)?(?:fn\s+(?P<name>\w+)
        |const\s+(?P<type>\w+)\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union))
    """,
    "nim": r"(?:proc|func|method|template|macro|iterator)\s+(?P<name>\w+)",
    "ruby": r"(?:def|class|module)\s+(?P<name>[\w.:?!=]+)",
    "perl": r"sub\s+(?P<name>[\w:]+)|package\s+(?P<package>[\w:]+)",
    "lua": r"(?:local\s+)?function\s+(?P<name>[\w.:]+)",
    "haskell": r"""
        (?:data|newtype|class|instance|type)\s+(?P<type>[^=\n]+?)\s*(?:=|where|$)
        |(?P<name>[a-z_][\w']*)\s*::
    """,
    "ocaml": r"(?:let|and|module|type)\s+(?:rec\s+)?(?P<name>[\w']+)",
    "elm": r"type(?:\s+alias)?\s+(?P<type>\w+)|(?P<name>[a-z]\w*)\s*:(?!:)",
    "fsharp": r"(?:let|and|module|type|member)\s+(?:rec\s+|inline\s+)*(?P<name>[\w.']+)",
    "erlang": r"(?P<name>[a-z]\w*)\(.*\)\s*(?:when\b.*)?->",
    "elixir": r"(?:defmodule|defprotocol|defimpl|defp?|defmacrop?)\s+(?P<name>[\w.?!]+)",
    "clojure": r"\((?:defn-?|def\w*|ns)\s+(?P<name>[^\s()\[\]]+)",
    "lisp": r"\((?:def\w*)\s+\(?(?P<name>[^\s()]+)",
    "r": r"(?P<name>[\w.]+)\s*(?:<-|=)\s*function\s*\(",
    "julia": r"""
        (?:function|macro|module|(?:mutable\s+)?struct|abstract\s+type)\s+(?P<name>[\w.!]+)
        |(?P<short>\w+!?)\([^=]*\)\s*=(?!=)
    """,
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
    "shell": r"function\s+(?P<word>[\w:.-]+)|(?P<name>[\w:.-]+)\s*\(\s*\)",
    "powershell": r"(?i:(?:function|filter|class)\s+(?P<name>[\w:-]+))",
    "sql": r"""
        (?i:create\s+(?:or\s+replace\s+)?
        (?:(?:temp(?:orary)?|unique|materialized|global|unlogged)\s+)*
        (?:table|view|function|procedure|trigger|index|type|schema|sequence|package(?:\s+body)?)
        \s+(?:if\s+not\s+exists\s+)?(?P<name>[\w."`\[\]]+))
    """,
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
_TOP_LEVEL_ONLY = frozenset(
    "c haskell elm ocaml make yaml ini toml dockerfile diff erlang sql clojure lisp".split()
)
# Here a definition lasts until the next one: a header, or equations at the margin.
UNTIL_NEXT = frozenset("matlab ini toml dockerfile diff haskell elm ocaml erlang".split())

_SLASHES = ("//", "/*", "*")
_COMMENTS = {
    "python": ("#", "@"),
    "csharp": (*_SLASHES, "["),
    "cpp": (*_SLASHES, "template", "[["),
    "rust": (*_SLASHES, "#["),
    "php": (*_SLASHES, "#"),
    "css": ("/*", "*/"),
    "sql": ("--", "/*", "*"),
    "elixir": ("#", "@"),
    "erlang": ("%", "-spec"),
    "fortran": ("!",),
    "matlab": ("%",),
    "vim": ('"',),
    "ini": ("#", ";"),
    "ocaml": ("(*",),
    "vb": ("'",),
    "json": (),
    "xml": (),
    "diff": (),
    **dict.fromkeys(("lua", "haskell", "elm", "ada", "vhdl"), ("--", "{-")),
    **dict.fromkeys(("lisp", "clojure"), (";",)),
    **dict.fromkeys(("java", "kotlin", "scala", "groovy", "swift", "dart"), (*_SLASHES, "@")),
    **dict.fromkeys(("javascript", "typescript", "vue"), (*_SLASHES, "@")),
    **dict.fromkeys(("ruby", "perl", "r", "julia", "shell", "powershell", "make"), ("#",)),
    **dict.fromkeys(("hcl", "cmake", "dockerfile", "toml", "yaml", "nim", "tcl"), ("#",)),
}


@cache
def definition_pattern(language: str) -> re.Pattern[str] | None:
    """Matches a line of ``language`` that begins a definition; None if we know none."""
    source = _PATTERNS.get(language)
    if source is None:
        return None
    indent = r"\f?" if language in _TOP_LEVEL_ONLY else r"[ \t\f]*"
    return re.compile(f"{indent}(?:{source})", re.VERBOSE)


def comment_starts(language: str) -> tuple[str, ...]:
    """What lines begin with that belong to the definition below: comments and decorators."""
    return _COMMENTS.get(language, _SLASHES)
