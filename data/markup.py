"""The small markup of ``sources/``: text in, a list of blocks out. It draws nothing.

A block is one or more lines up to a blank line::

    # Chapter        ## Section        ### Heading without a number
    - item           1. item           > boxed note
    !table [2,3] Caption, then lines of | cell | cell |; the first is the header
    !figure name | Caption
    !numbering roman|arabic|A|B ...    page labels from the next chapter on
    !columns 1|2                       columns from the next chapter on

Everything else is a paragraph. Inline: **bold**, *italic*, `code`.
"""

import re
from dataclasses import dataclass
from pathlib import Path

INLINE = (  # quotation marks first: the tags made below have some of their own
    (re.compile(r'"(.+?)"'), "\u201c\\1\u201d"),
    (re.compile("'"), "\u2019"),
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*(.+?)\*"), r"<i>\1</i>"),
    (re.compile(r"`(.+?)`"), r'<font face="Courier" size="-1">\1</font>'),
)


@dataclass(frozen=True, slots=True)
class Block:
    """``kind`` is chapter, section, heading, bullets, steps, note, table, figure, numbering,
    columns or paragraph; ``lines`` its text; ``argument`` what stood on the opening line.
    """

    kind: str
    lines: tuple[str, ...]
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A document before it is set: the fields of its first file's head, and its blocks."""

    fields: dict[str, str]
    blocks: tuple[Block, ...]


def read_source(folder: Path) -> Source:
    """All ``*.txt`` of a folder in the order of their names; the first begins with the fields."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))]
    head, _, texts[0] = texts[0].partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    text = "\n\n".join(texts)
    text.encode("cp1252")  # the built-in fonts have no other characters: fail here, not as boxes
    return Source(fields, tuple(_block(part) for part in re.split(r"\n\s*\n", text.strip())))


def inline(text: str) -> str:
    """Text with our inline marks as the markup of reportlab's paragraphs."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for pattern, replacement in INLINE:
        text = pattern.sub(replacement, text)
    return text


def _block(part: str) -> Block:
    lines = part.strip().splitlines()
    first = lines[0]
    if first.startswith("!"):
        kind, _, argument = first[1:].partition(" ")
        return Block(kind, tuple(lines[1:]), argument)
    for mark, kind in (("# ", "chapter"), ("## ", "section"), ("### ", "heading"), ("> ", "note")):
        if first.startswith(mark):
            return Block(kind, (" ".join(line.removeprefix(mark) for line in lines),))
    if first.startswith("- "):
        return Block("bullets", _items(lines, r"- "))
    if re.match(r"\d+\. ", first):
        return Block("steps", _items(lines, r"\d+\. "))
    return Block("paragraph", (" ".join(line.strip() for line in lines),))


def _items(lines: list[str], mark: str) -> tuple[str, ...]:
    items: list[str] = []
    for line in lines:
        match = re.match(mark, line)
        if match:
            items.append(line[match.end() :])
        else:
            items[-1] += " " + line.strip()
    return tuple(items)
