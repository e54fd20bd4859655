"""HTML to text with headings.

Only this module, ``html_walk`` and ``html_menus`` know selectolax.
"""

import re
from itertools import pairwise
from pathlib import PurePath

from selectolax.lexbor import LexborHTMLParser, LexborNode

from indexer.documents import Coverage, Document
from indexer.parsing.decode import Decoded, clean, clean_line, decode
from indexer.parsing.html_menus import is_menu, may_be_menu
from indexer.parsing.html_walk import walk
from indexer.parsing.language import detect_language
from indexer.parsing.sections import Heading, distinct, nest

_META_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([-\w.:]+)", re.IGNORECASE)
_META_WITHIN = 4096  # bytes; the standard asks for 1024, pages in the wild need more
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ]
)
_PARAGRAPHS = frozenset(
    [
        "p",
        "pre",
        "blockquote",
        "table",
        "ul",
        "ol",
        "dl",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "figure",
        "hr",
    ]
)
_PARTED = {"td": "\t", "th": "\t", "text": "\t", "tspan": " "}  # cells; labels of drawings
_SPACE = re.compile(r"[ \t\n\f]+")
# XML closes an element by its own tag; HTML would take all behind it for its content.
_XML = re.compile(r"\s*<\?xml\b")
_SELF_CLOSED = re.compile(
    r"<([A-Za-z][^\s<>/\"']*+)((?:[^<>/\"']++|\"[^<\"]*+\"|'[^<']*+'|/(?!>))*+)/>"
)
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)  # of HTML: these have no content
_MAX_MENUS_AROUND = 3  # elements that might be menus and are none; deeper ones are not looked at
_MIN_SPOKEN_SHARE = 0.1  # of the letters; with less outside of menus, they are what it says


def decode_html(data: bytes) -> Decoded:
    """Cleaned text of a page; its ``<meta charset>`` is asked where UTF-8 does not fit."""
    found = _META_CHARSET.search(data[:_META_WITHIN])
    return decode(data, declared=found[1].decode("ascii", "replace") if found else None)


def parse_html(source: str, *, name: str, is_xml: bool = False, is_page: bool = True) -> Document:
    """Document of the page ``source``: visible text, a line for each block element.

    Units are sections from heading to heading. Scripts, styles, navigation, and the header
    and footer of the page are dropped, unless nothing else holds text; menus that are not
    marked as such are furniture. The title is that of the page, its first ``<h1>``, or the file's
    stem. ``is_xml``: the page is XHTML; its first line or its suffix may say so, too.
    ``is_page``: it belongs to a site; a chapter or a message has no header that is not its own.
    """
    if is_xml or name.lower().endswith(".xhtml") or _XML.match(source):
        source = _SELF_CLOSED.sub(_closed, source)
    tree = LexborHTMLParser(source)
    root = tree.body or tree.root
    writer = _Writer()
    if root is not None:
        writer.read(root, keep_nav=False, keep_ends=not is_page)
        if not writer.has_text:
            writer = _Writer()
            writer.read(root, keep_nav=True, keep_ends=True)
    text, headings = writer.finish()
    furniture = _furniture(text, writer.menus)
    title_node = tree.css_first("head > title")
    title = clean_line(title_node.text()) if title_node is not None else ""
    outer = min((heading.level for heading in headings), default=0)
    first = next((heading.title for heading in headings if heading.level == outer), "")
    cuts = distinct((heading.start for heading in headings), len(text))
    starts = (0, *cuts)
    filled = sum(1 for start, end in pairwise((*starts, len(text))) if text[start:end].strip())
    return Document(
        text=text,
        kind="html",
        title=title or first or PurePath(name).stem,
        unit="section",
        unit_starts=starts,
        sections=nest(headings, len(text)),
        breaks=cuts,
        furniture=furniture,
        language=detect_language(text),
        coverage=Coverage(units=len(starts), with_text=filled, blank=len(starts) - filled),
    )


def _closed(found: re.Match[str]) -> str:
    """An element that closes itself as HTML writes it: ``<title/>`` is ``<title></title>``."""
    tag, attributes = found.groups()
    return found[0] if tag.lower() in _VOID else f"<{tag}{attributes}></{tag}>"


def _furniture(text: str, menus: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The ranges of ``menus`` that hold text, unless hardly any text is left without them."""
    found = [(a, min(b, len(text))) for a, b in menus if text[a:b].strip()]
    taken = sum(len(text[a:b].split()) for a, b in found)
    return tuple(found) if taken < (1 - _MIN_SPOKEN_SHARE) * len(text.split()) else ()


class _Writer:
    """Collects lines, headings and menus while a tree is walked."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._line: list[str] = []  # what follows the last line end, so far; no part is empty
        self._readings: list[str] = []  # of the ruby text that is being read
        self._headings: list[tuple[int, int, int]] = []  # start, end, level
        self.menus: list[tuple[int, int]] = []  # ranges of lines, rising

    @property
    def has_text(self) -> bool:
        return bool(self._length or "".join(self._line).strip())

    def read(self, root: LexborNode, *, keep_nav: bool, keep_ends: bool) -> None:
        """Take in what counts of ``root``; see ``walk``."""
        heading: tuple[int, int] | None = None  # start, level
        preformatted = 0
        ruby: int | None = None  # id of the element
        in_reading = False
        menu: tuple[int, int] | None = None  # id of the element, start
        around: list[int] = []  # ids of elements that might have been menus
        for node, entering in walk(root, keep_nav=keep_nav, keep_ends=keep_ends):
            tag = node.tag or ""
            if tag == "-text" and ruby is not None and in_reading:
                self._readings.append(" ".join((node.text_content or "").split()))
            elif tag == "-text":
                text = node.text_content or ""
                if ruby is not None and "\n" in text:
                    text = text.strip()  # layout of the source, within a word
                self._add(text, preformatted=preformatted > 0)
            elif tag == "br":
                self._end_line()
            elif tag == "rt":
                in_reading = entering
            elif tag == "ruby" and ruby is None:
                ruby = node.mem_id
            elif tag == "ruby" and not entering and node.mem_id == ruby:
                self._end_ruby()
                ruby = None
            elif tag in _PARTED and not entering:
                self._line.append(_PARTED[tag])
            elif tag in _BLOCKS:
                self._end_line(paragraph=tag in _PARAGRAPHS)
                preformatted += (1 if entering else -1) if tag == "pre" else 0
                if not entering and around and node.mem_id == around[-1]:
                    around.pop()
                elif not entering and menu is not None and node.mem_id == menu[0]:
                    self.menus.append((menu[1], self._length))
                    menu = None
                elif entering and menu is None and node is not root and may_be_menu(node):
                    if len(around) < _MAX_MENUS_AROUND and is_menu(node):
                        menu = (node.mem_id, self._length)
                    else:
                        around.append(node.mem_id)
                if tag in _HEADINGS and menu is None:
                    if entering:
                        heading = (self._length, _HEADINGS[tag])
                    elif heading is not None:
                        self._headings.append((heading[0], self._length, heading[1]))
                        heading = None

    def finish(self) -> tuple[str, list[Heading]]:
        """The text and its headings."""
        self._end_line()
        text = "".join(self._parts).rstrip("\n") + "\n"
        return text, [
            Heading(start, level, clean_line(text[start:end]))
            for start, end, level in self._headings
            if text[start:end].strip()
        ]

    def _add(self, text: str, *, preformatted: bool) -> None:
        if preformatted:
            *lines, rest = text.split("\n")
            for line in lines:
                self._write("".join([*self._line, line]))
                self._line = []
        else:
            rest = _SPACE.sub(" ", text)
            if not self._line or self._line[-1][-1] in " \t":
                rest = rest.lstrip(" ")
        if rest:
            self._line.append(rest)

    def _end_ruby(self) -> None:
        """Put the readings behind the word, which they would tear apart where they stand."""
        if reading := "".join(self._readings):
            self._line.append(f"({reading})")
        self._readings = []

    def _end_line(self, *, paragraph: bool = False) -> None:
        line, self._line = "".join(self._line), []
        if line.strip():
            self._write(line)
        if paragraph and self._parts and self._parts[-1] != "\n":
            self._parts.append("\n")
            self._length += 1

    def _write(self, line: str) -> None:
        # Entities can spell what cleaning took out of the source; offsets count clean text.
        line = clean(line).replace("\n", " ").rstrip() + "\n"
        self._parts.append(line)
        self._length += len(line)
