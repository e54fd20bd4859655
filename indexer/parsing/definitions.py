"""Where functions and classes begin in languages that we have no parser for: one regex each.

A pattern is matched against one line; its last named group that took part is the title. It
should know the language as ordinary code is written, and may miss the rest: definitions give
titles and cutting places, never decide whether text exists.
"""

import re

_NAME = r"(?P<name>[\w$]+)"
_JAVA_WORDS = (
    r"(?:(?:public|protected|private|internal|static|final|abstract|sealed|open|override|data|inner"
    r"|virtual|async|partial|readonly|extern|unsafe|synchronized|native|default|strictfp|inline"
    r"|suspend|operator|export|declare|implicit|case|lazy|new|enum|annotation|value|companion"
    r"|fileprivate|mutating|indirect|convenience|required|dynamic|lateinit|const|fun(?= interface))"
    r"(?:\[\w+\]|\([\w ]+\))?\s+)*"
)
_TYPE_WORD = (
    r"(?:class|interface|struct|enum|record|trait|object|namespace|protocol|extension|actor)"
)
# Words that look like the return type or the name of a C function and are neither.
_NO_CALL = (
    r"(?!(?:if|else|for|foreach|while|switch|return|catch|do|case|using|lock|new|throw|await)\b)"
)
_C_FUNCTION = (
    _NO_CALL + r"(?:[A-Za-z_][\w:<>,*&\[\]\s]*?[\s*&])??"
    r"(?!(?:if|for|while|switch|return|catch|sizeof)\b)(?P<name>(?:[\w]+::)*~?[A-Za-z_]\w*"
    r"|(?:\w+::)*operator\s*\S+?)\s*\((?!.*;\s*(?://.*|/\*.*)?$)"
)
_C = rf"(?:(?:typedef\s+)?(?:struct|union|enum)\s+(?P<type>\w+)\s*(?:\{{|$)|{_C_FUNCTION})"
_CPP = (
    r"(?:(?:inline\s+)?namespace\s+(?P<space>[\w:]+)\s*(?:\{|$)"
    r"|(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class)?)\s+(?:[A-Z_]+\s+)?(?P<type>\w+)"
    rf"(?!.*;\s*$)|(?:template\s*<.*>\s*)?{_C_FUNCTION})"
)
_METHOD = rf"{_NO_CALL}(?:[\w<>\[\].,?@]+\s+)+{_NO_CALL}(?P<method>\w+)\s*\((?!.*;\s*$)"
_JS = (
    r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(?:function\s*\*?\s*(?P<function>[\w$]+)|(?:class|interface|enum|namespace|module)\s+(?P<type>[\w$]+)"
    r"|type\s+(?P<alias>[\w$]+)(?:<.*>)?\s*="
    r"|(?:const|let|var)\s+(?P<arrow>[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?"
    r"(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)"
    rf"|(?:(?:static|public|private|protected|readonly|override|get|set)\s+)*{_NO_CALL}(?!function\b)"
    r"#?(?P<method>[\w$]+)\s*\([^;]*\)\s*(?::[^=;]+)?\{\s*$)"
)

_PATTERNS = {
    "python": r"(?:async\s+)?(?:def|class)\s+(?P<name>\w+)",
    "javascript": _JS,
    "typescript": _JS,
    "vue": _JS,
    "java": rf"{_JAVA_WORDS}(?:@?{_TYPE_WORD}\s+(?P<type>\w+)|{_METHOD})",
    "csharp": rf"{_JAVA_WORDS}(?:{_TYPE_WORD}\s+(?P<type>[\w.]+)|{_METHOD})",
    "kotlin": rf"{_JAVA_WORDS}(?:{_TYPE_WORD}\s+(?P<type>\w+)|fun\s+(?:<.*?>\s*)?(?P<name>[\w.`]+))",
    "scala": rf"{_JAVA_WORDS}(?:{_TYPE_WORD}\s+(?P<type>\w+)|def\s+(?P<name>\w+))",
    "groovy": rf"{_JAVA_WORDS}(?:{_TYPE_WORD}\s+(?P<type>\w+)|def\s+(?P<name>\w+)\s*\(|{_METHOD})",
    "swift": rf"{_JAVA_WORDS}(?:{_TYPE_WORD}\s+(?P<type>[\w.]+)|func\s+(?P<name>\w+)|(?P<init>init)\s*[?(])",
    "dart": rf"{_JAVA_WORDS}(?:(?:mixin|{_TYPE_WORD})\s+(?P<type>\w+)|{_METHOD})",
    "c": _C,
    "objectivec": rf"(?:@(?:interface|implementation|protocol)\s+(?P<class>\w+)|[-+]\s*\([^)]*\)\s*(?P<method>\w+)|{_C})",
    "cpp": _CPP,
    "go": r"(?:func\s+(?:\([^)]*\)\s*)?(?P<name>\w+)|type\s+(?P<type>\w+)\s)",
    "rust": (
        r"(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?"
        r"(?:extern\s+\"[^\"]*\"\s+)?(?:(?:fn|struct|enum|union|trait|mod|macro_rules!)\s+(?P<name>\w+)(?!.*\);\s*$)"
        r"|(?P<impl>impl\b[^{]*))"
    ),
    "zig": r"(?:pub\s+)?(?:(?:inline|export)\s+)?(?:fn\s+(?P<name>\w+)|const\s+(?P<type>\w+)\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union))",
    "nim": r"(?:proc|func|method|template|macro|iterator)\s+(?P<name>\w+)",
    "ruby": r"(?:def|class|module)\s+(?P<name>[\w.:?!=<]+)",
    "php": rf"{_JAVA_WORDS}(?:{_TYPE_WORD}\s+(?P<type>\w+)|function\s+&?(?P<name>\w+))",
    "perl": r"(?:sub\s+(?P<name>[\w:]+)|package\s+(?P<package>[\w:]+))",
    "lua": r"(?:local\s+)?function\s+(?P<name>[\w.:]+)",
    "haskell": r"(?:(?:data|newtype|class|instance|type)\s+(?P<type>[^=\n]+?)\s*(?:=|where|$)|(?P<name>[a-z_][\w']*)\s*::)",
    "ocaml": r"(?:let|and|module|type)\s+(?:rec\s+)?(?P<name>[\w']+)",
    "elm": r"(?:type(?:\s+alias)?\s+(?P<type>\w+)|(?P<name>[a-z]\w*)\s*:(?!:))",
    "fsharp": r"(?:let|and|module|type|member)\s+(?:rec\s+|inline\s+)*(?P<name>[\w.']+)",
    "erlang": r"(?P<name>[a-z]\w*)\(.*\)\s*(?:when\b.*)?->",
    "elixir": r"(?:defmodule|defprotocol|defimpl|defp?|defmacrop?)\s+(?P<name>[\w.?!]+)",
    "clojure": r"\((?:defn-?|defmacro|defmulti|defmethod|defprotocol|defrecord|deftype|def|ns)\s+(?P<name>[^\s()\[\]]+)",
    "lisp": r"\((?:defun|defmacro|defclass|defgeneric|defmethod|defvar|defparameter|defstruct|define)\s+\(?(?P<name>[^\s()]+)",
    "r": r"(?P<name>[\w.]+)\s*(?:<-|=)\s*function\s*\(",
    "julia": r"(?:(?:function|macro|module|(?:mutable\s+)?struct|abstract\s+type)\s+(?P<name>[\w.!]+)|(?P<short>\w+!?)\([^=]*\)\s*=(?!=))",
    "fortran": r"(?i:(?:(?:pure|elemental|recursive|integer|real|logical|double\s+precision)\S*\s+)*(?:program|module(?!\s+procedure)|subroutine|function)\s+(?P<name>\w+))",
    "pascal": r"(?i:(?:procedure|function|constructor|destructor|unit|program)\s+(?P<name>[\w.]+))",
    "ada": r"(?i:(?:procedure|function|package(?:\s+body)?|task)\s+(?P<name>[\w.]+))",
    "vb": r"(?i:(?:(?:public|private|friend|shared|static)\s+)*(?:sub|function|class|module|property\s+\w+)\s+(?P<name>\w+))",
    "verilog": r"(?:module|function(?:\s+automatic)?|task|class|package|interface)\s+(?P<name>\w+)",
    "vhdl": r"(?i:(?:entity|architecture|package(?:\s+body)?|function|procedure)\s+(?P<name>\w+))",
    "shell": r"(?:function\s+(?P<word>[\w:.-]+)|(?P<name>[\w:.-]+)\s*\(\s*\))",
    "powershell": r"(?i:(?:function|filter|class)\s+(?P<name>[\w:-]+))",
    "sql": (
        r"(?i:create\s+(?:or\s+replace\s+)?(?:(?:temp(?:orary)?|unique|materialized|global|unlogged)\s+)*"
        r"(?:table|view|function|procedure|trigger|index|type|schema|sequence|package(?:\s+body)?)\s+"
        r"(?:if\s+not\s+exists\s+)?(?P<name>[\w.\"`\[\]]+))"
    ),
    "graphql": r"(?:extend\s+)?(?:type|interface|enum|input|union|scalar|query|mutation|fragment)\s+(?P<name>\w+)",
    "proto": r"(?:message|service|enum|rpc|oneof)\s+(?P<name>\w+)",
    "thrift": r"(?:struct|service|enum|exception|union)\s+(?P<name>\w+)",
    "solidity": r"(?:abstract\s+)?(?:(?:contract|interface|library|struct|enum|event|function|modifier)\s+(?P<name>\w+)|(?P<init>constructor)\s*\()",
    "hcl": r"(?P<name>(?:resource|data|module|variable|output|provider|locals|terraform)\b[^{]*)\{",
    "make": r"(?P<name>[\w./%$()-]+(?:\s+[\w./%$()-]+)*)\s*::?(?![=:])",
    "cmake": r"(?i:(?:function|macro)\s*\(\s*(?P<name>\w+))",
    "dockerfile": r"(?i:FROM\s+(?:\S+\s+AS\s+)?(?P<name>\S+))",
    "vim": r"function!?\s+(?P<name>[\w:.#]+)",
    "tcl": r"proc\s+(?P<name>\S+)",
    "ini": r"\[(?P<name>[^\]\n]+)\]\s*$",
    "toml": r"\[\[?(?P<name>[^\]\n]+)\]\]?\s*(?:#.*)?$",
    "yaml": r"(?P<name>[A-Za-z_][\w.-]*)\s*:(?:\s|$)",
    "css": r"(?P<name>[^\s{};/][^{};]*?)\s*\{",
    "diff": r"diff\s+.*\s(?P<name>\S+)$",
}
# In these, only a line without indentation defines something worth a section.
_TOP_LEVEL_ONLY = frozenset(
    [
        "c",
        "haskell",
        "elm",
        "ocaml",
        "make",
        "yaml",
        "ini",
        "toml",
        "dockerfile",
        "diff",
        "erlang",
        "shell",
        "sql",
        "clojure",
        "lisp",
    ]
)

COMMENT_STARTS = {
    "python": ("#", "@"),
    "c": ("//", "/*", "*"),
    "java": ("//", "/*", "*", "@"),
    "csharp": ("//", "/*", "*", "["),
    "cpp": ("//", "/*", "*", "template", "[["),
    "rust": ("//", "/*", "*", "#["),
    "php": ("//", "/*", "*", "#"),
    "ruby": ("#",),
    "lua": ("--",),
    "sql": ("--", "/*", "*"),
    "haskell": ("--", "{-"),
    "elixir": ("#", "@"),
    "lisp": (";",),
    "clojure": (";",),
    "erlang": ("%", "-spec"),
    "fortran": ("!",),
    "ada": ("--",),
    "vhdl": ("--",),
    "elm": ("--", "{-"),
    "vim": ('"',),
    "ini": ("#", ";"),
    "ocaml": ("(*",),
    "vb": ("'",),
}
_HASH_COMMENTS = frozenset(
    [
        "perl",
        "r",
        "julia",
        "shell",
        "powershell",
        "hcl",
        "make",
        "cmake",
        "dockerfile",
        "toml",
        "yaml",
        "nim",
        "tcl",
        "graphql",
    ]
)
_LIKE_JAVA = frozenset(
    ["javascript", "typescript", "vue", "kotlin", "scala", "groovy", "swift", "dart"]
)


def definition_pattern(language: str) -> re.Pattern[str] | None:
    """A pattern for whole lines of ``language``: group "indent", then one group with the name."""
    source = _PATTERNS.get(language)
    if source is None:
        return None
    indent = "" if language in _TOP_LEVEL_ONLY else r"[ \t]*"
    return re.compile(rf"(?P<indent>{indent}){source}")


def comment_starts(language: str) -> tuple[str, ...]:
    """What lines begin with that belong to the definition below: comments and decorators."""
    if language in _HASH_COMMENTS:
        return ("#",)
    return COMMENT_STARTS.get("java" if language in _LIKE_JAVA else language, ("//", "/*", "*"))
