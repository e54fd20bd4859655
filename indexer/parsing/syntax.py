"""Definitions by tree-sitter. The only module that knows it; grammars load when first needed."""

import re
import time
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from indexer.parsing.grammars import Grammar
from indexer.parsing.sections import Definition

LIMIT_S = 5.0  # of processor time, so that a busy machine finds the same
MAX_BYTES = 8_000_000  # a tree takes some twenty times its source

_KINDS = {
    "module": "module",
    "class": "class",
    "instance": "class",
    "function": "function",
    "clause": "function",
}
# Macros make statements look like definitions; no function can have such a name.
_NO_NAMES = frozenset("if else for while do switch return catch sizeof case".split())
# Strings within strings: the Kotlin grammar keeps a stack of them, and aborts the process when
# it is full. Nobody nests them so.
_DEEP_STRINGS = re.compile(rb'(?:"[$#]\{[^"}]*){200}')
# In C++ the macro of ``class API Box : Base {`` turns a class into a function called Base.
_CLASS_MACROS = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+((?:[A-Z][A-Z0-9_]*(?:\([^()\n]*\))?[ \t]+)+)"
    rb"(?=\w+\s*[:{<\w])"
)
_NAME_MACROS = re.compile(r"(?:[A-Z][A-Z0-9_]+\s+)+(?=\w)")
_MAX_HEADER = 500  # bytes in which the body of a definition without a name should begin


class _Node(NamedTuple):
    """What a query has found: bytes ``[start, end)`` of the source, and lines from 0."""

    capture: str
    name: str
    start: int
    end: int
    first_line: int


def find_definitions(text: str, grammar: Grammar) -> list[Definition] | None:
    """The definitions in ``text``, outer before inner, each with the comments and decorators
    right above it. Offsets are characters of ``text``.

    Syntax errors cost what they hide, and no more. None if the text is too large or too deep, or
    would take too long.
    """
    source = text.encode()
    if len(source) > MAX_BYTES or _DEEP_STRINGS.search(source):
        return None
    if grammar.package in ("c", "cpp", "objc"):
        source = _CLASS_MACROS.sub(_blank, source)
    nodes = _captured(source, grammar)
    if nodes is None:
        return None
    found = _with_heads(source, nodes)
    offsets = characters_at(source, [offset for node in found for offset in (node.start, node.end)])
    return [
        Definition(
            _KINDS[node.capture],
            node.name,
            offsets[node.start],
            offsets[node.end],
        )
        for node in found
    ]


def characters_at(source: bytes, offsets: Sequence[int]) -> dict[int, int]:
    """Byte offset -> character offset in UTF-8 ``source``, for ``offsets`` between characters."""
    found: dict[int, int] = {}
    done = characters = 0
    for offset in sorted(set(offsets)):
        characters += len(source[done:offset].decode())
        found[offset] = characters
        done = offset
    return found


def _blank(found: re.Match[bytes]) -> bytes:
    """What a match of ``_CLASS_MACROS`` holds, its macros made spaces: no offset moves."""
    before = found.start(1) - found.start()
    return found[0][:before] + b" " * len(found[1])


def _captured(source: bytes, grammar: Grammar) -> list[_Node] | None:
    """All that the query of ``grammar`` captures in ``source``, in text order."""
    from tree_sitter import Parser, QueryCursor

    language, query = _loaded(grammar)
    view = memoryview(source)
    stop = time.thread_time() + LIMIT_S

    def read(offset: int, _: object) -> bytes:
        return bytes(view[offset : offset + 65536])

    def is_late(*_: object) -> bool:
        return time.thread_time() > stop

    try:
        tree = Parser(language).parse(read, progress_callback=is_late)
    except ValueError:  # stopped
        return None
    nodes: dict[tuple[int, int], _Node] = {}
    others: list[_Node] = []
    for _, match in QueryCursor(query).matches(tree.root_node):
        node = _node(source, match)
        if node.capture not in _KINDS:
            others.append(node)
        elif node.name and node.name not in _NO_NAMES:
            nodes.setdefault((node.start, node.end), node)  # several patterns may fit
    return (
        None if is_late() else sorted([*others, *nodes.values()], key=lambda n: (n.start, -n.end))
    )


def _node(source: bytes, match: dict[str, list[Any]]) -> _Node:
    capture = next(name for name in match if name not in ("name", "end") and name[0] != "_")
    node = match[capture][0]
    end = match["end"][-1].end_byte if "end" in match else node.end_byte
    while end > node.start_byte and source[end - 1] in b" \t\r\n\f":
        end -= 1  # some grammars count the line end in
    name = ""
    if capture in _KINDS:
        name = _name(node, match["name"][0] if "name" in match else None, capture)
    return _Node(capture, name, node.start_byte, end, node.start_point.row)


def _name(node: Any, given: Any, kind: str) -> str:
    """What a definition is called: its name, with the type it belongs to where that is told."""
    named = given or node.child_by_field_name("name")
    if named is None or kind == "instance":
        return _header(node, kind)
    while inner := _declarator(named):
        named = inner
    name = " ".join(named.text.decode().split())
    if kind == "function" and (macros := _NAME_MACROS.match(name)):
        name = name[macros.end() :]
    if named.type == "operator_cast":  # operator bool() const
        name = name.split("(")[0].rstrip()
    receiver = node.child_by_field_name("receiver")
    if receiver is not None and given is None:  # func (b *Box[T]) Size()
        owner = receiver.text.decode().strip("()").split("[")[0].replace("*", " ").split()
        name = f"{owner[-1]}.{name}" if owner else name
    return name


def _declarator(node: Any) -> Any:
    """What a C declarator declares: the name is under pointers, parentheses and parameters."""
    if not node.type.endswith("declarator"):
        return None
    return node.child_by_field_name("declarator") or next(
        (child for child in reversed(node.named_children)), None
    )


def _header(node: Any, kind: str) -> str:
    """What stands before the body: ``impl Display for Box``; of a function, the last word."""
    body = node.child_by_field_name("body")
    size = (body.start_byte if body is not None else node.end_byte) - node.start_byte
    text = node.text[: min(size, _MAX_HEADER)].decode(errors="ignore")
    text = text.split("{")[0].split("\n")[0] if body is None else text
    if kind == "function":
        words = text.split("(")[0].split()
        return words[-1] if words else ""
    return " ".join(text.split()).removesuffix(" where")


def _with_heads(source: bytes, nodes: Sequence[_Node]) -> list[_Node]:
    """The definitions among ``nodes``, each from the first line that belongs to it on."""
    leads = {last: lead for lead, last in _leads(source, nodes)}
    found: list[_Node] = []
    outer: _Node | None = None
    taken = -1  # what ends above this line belongs to the definition before
    for node in nodes:
        if node.capture == "outer":
            if outer is None or node.start > outer.start:
                outer = node
            continue
        if node.capture not in _KINDS:
            continue
        begin = node
        if outer is not None and node.end <= outer.end:
            begin, outer = outer, None
        start, line = begin.start, begin.first_line
        while line - 1 > taken and (lead := leads.get(line - 1)):
            start, line = lead.start, lead.first_line
        taken = node.first_line
        before = found[-1] if found else None
        if (
            node.capture == "clause"
            and before
            and (before.capture, before.name) == ("clause", node.name)
            and not source[before.end : start].strip()
        ):
            found[-1] = before._replace(end=node.end)
        else:
            found.append(node._replace(start=start, first_line=line))
    return found


def _leads(source: bytes, nodes: Sequence[_Node]) -> Iterator[tuple[_Node, int]]:
    """Comments and the like that begin their line, and the last line of each."""
    for node in nodes:
        if node.capture == "lead":
            line = source.rfind(b"\n", 0, node.start) + 1
            if not source[line : node.start].strip():
                yield node, node.first_line + source.count(b"\n", node.start, node.end)


@cache
def _loaded(grammar: Grammar) -> tuple[Any, Any]:
    """The language and the query of a grammar; every kind of comment is a lead."""
    from tree_sitter import Language, Query

    package = import_module(f"tree_sitter_{grammar.package}")
    with warnings.catch_warnings():
        # Older packages give the grammar's address as a plain number.
        warnings.simplefilter("ignore", DeprecationWarning)
        language = Language(getattr(package, grammar.loader)())
    kinds = [
        language.node_kind_for_id(number)
        for number in range(language.node_kind_count)
        if language.node_kind_is_named(number) and language.node_kind_is_visible(number)
    ]
    comments = {k for k in kinds if k and ("comment" in k or k in ("haddock", "pod"))}
    leads = " ".join(f"({kind})" for kind in sorted(comments))
    return language, Query(language, grammar.query + (f"[{leads}] @lead" if leads else ""))
