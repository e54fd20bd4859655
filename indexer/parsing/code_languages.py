"""File names to programming languages: one table of suffixes, one of names, one of interpreters.

Configuration and data formats that people search by line count as code as well.
"""

import re
from pathlib import PurePath

_NEVER = re.compile("(?!)")
_BY_LANGUAGE = {
    "python": "py pyi pyw pyx pxd bzl",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts tsx",
    "vue": "vue svelte astro",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala sc sbt",
    "groovy": "groovy gradle",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl cu cuh ino",
    "objectivec": "m mm",
    "csharp": "cs csx",
    "fsharp": "fs fsx fsi",
    "vb": "vb bas",
    "go": "go",
    "rust": "rs",
    "zig": "zig",
    "nim": "nim",
    "d": "d",
    "swift": "swift",
    "dart": "dart",
    "ruby": "rb rake gemspec",
    "php": "php phtml",
    "perl": "pl pm t",
    "lua": "lua",
    "haskell": "hs lhs",
    "ocaml": "ml mli mll mly",
    "elm": "elm",
    "erlang": "erl hrl",
    "elixir": "ex exs",
    "clojure": "clj cljs cljc edn",
    "lisp": "lisp lsp cl el scm ss rkt",
    "r": "r",
    "julia": "jl",
    "fortran": "f f77 f90 f95 f03 f08 for",
    "pascal": "pas pp dpr",
    "ada": "adb ads",
    "cobol": "cob cbl",
    "asm": "s asm",
    "verilog": "v sv svh vh",
    "vhdl": "vhd vhdl",
    "shell": "sh bash zsh ksh fish bats",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "sql": "sql ddl dml psql",
    "graphql": "graphql gql",
    "proto": "proto",
    "thrift": "thrift",
    "solidity": "sol",
    "hcl": "tf tfvars hcl",
    "nix": "nix",
    "cmake": "cmake",
    "make": "mk mak",
    "awk": "awk",
    "tcl": "tcl",
    "vim": "vim",
    "css": "css scss sass less",
    "yaml": "yaml yml",
    "toml": "toml",
    "json": "json jsonc json5 jsonl ndjson geojson",
    "xml": "xml xsd xsl xslt svg rss plist pom csproj",
    "ini": "ini cfg conf properties env editorconfig service desktop",
    "diff": "diff patch",
}
LANGUAGE_OF_SUFFIX = {
    f".{suffix}": language
    for language, suffixes in _BY_LANGUAGE.items()
    for suffix in suffixes.split()
}
SOURCE_MAPS = (".js.map", ".mjs.map", ".cjs.map", ".jsx.map", ".css.map", ".ts.map", ".tsx.map")
LANGUAGE_OF_NAME = {
    "makefile": "make",
    "gnumakefile": "make",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "jenkinsfile": "groovy",
    "vagrantfile": "ruby",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "cmakelists.txt": "cmake",
    "sconstruct": "python",
    "build.bazel": "python",
    ".bashrc": "shell",
    ".zshrc": "shell",
    ".profile": "shell",
    ".gitignore": "ini",
    ".gitattributes": "ini",
    ".gitconfig": "ini",
    "pipfile": "toml",
    "cargo.lock": "toml",
    "poetry.lock": "toml",
    "uv.lock": "toml",
}
LANGUAGE_OF_INTERPRETER = {
    "python": "python",
    "pypy": "python",
    "node": "javascript",
    "deno": "typescript",
    "sh": "shell",
    "bash": "shell",
    "dash": "shell",
    "zsh": "shell",
    "ksh": "shell",
    "fish": "shell",
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
    "lua": "lua",
    "rscript": "r",
    "julia": "julia",
    "awk": "awk",
    "gawk": "awk",
    "tclsh": "tcl",
    "make": "make",
    "pwsh": "powershell",
    "escript": "erlang",
    "elixir": "elixir",
    "runhaskell": "haskell",
}

# Suffixes of two languages: what the first lines of the rarer one show.
_OTHER_LANGUAGE = (
    (
        (".m",),
        "matlab",
        r"^[^\S\n]*(?:function\b|%|classdef\b|(?:clear|close|clc)\b)",
        r"^[^\S\n]*[@#]\w",
    ),
    ((".h",), "cpp", r"^[^\S\n]*(?:class \w+|namespace\b|template\s*<|using \w)|\bstd::", ""),
    ((".pl",), "prolog", r"^[^\S\n]*:-|^\w+\(.*\)\s*:-", r"^[^\S\n]*(?:use|my|sub|package)\b"),
    (
        (".v",),
        "coq",
        r"^[^\S\n]*(?:Theorem|Lemma|Require|Definition|Inductive)\b",
        r"^[^\S\n]*module\b",
    ),
    ((".ts",), "xml", r"\A\s*<(?:\?xml|!DOCTYPE TS)", ""),
    ((".d",), "make", r"\A\S+\.o\s*:", ""),
)
_OTHERS = {
    suffix: (language, re.compile(shows, re.MULTILINE), re.compile(never or "(?!)", re.MULTILINE))
    for suffixes, language, shows, never in _OTHER_LANGUAGE
    for suffix in suffixes
}


def is_code_name(name: str) -> bool:
    """Whether a file of this name is read as code."""
    return bool(language_of_name(name))


def language_of_name(name: str) -> str:
    """Programming language that the name of a file tells, or ""; a source map is JSON."""
    lower = name.lower()
    if lower.endswith(SOURCE_MAPS):
        return "json"
    return LANGUAGE_OF_NAME.get(lower) or LANGUAGE_OF_SUFFIX.get(PurePath(lower).suffix, "")


def language_by_content(suffix: str, language: str, head: str) -> str:
    """``language``, unless the suffix belongs to another one too and ``head`` shows it."""
    other, shows, never = _OTHERS.get(suffix, (language, _NEVER, _NEVER))
    return other if shows.search(head) and not never.search(head) else language
