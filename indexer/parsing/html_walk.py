"""Which elements of a page are read, and in what order: what a reader sees as its content.

Text of controls, scripts and menus is none, nor are the head and foot of the page itself; those
of its parts are.
"""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from indexer.parsing.html_menus import is_permalink, letters

_DROPPED = frozenset(
    [
        "head",
        "script",
        "style",
        "noscript",
        "template",
        "iframe",
        "object",
        "embed",
        "canvas",
        "audio",
        "video",
        "select",
        "option",
        "button",
        "nav",
        "rp",
        "annotation",  # a formula in another notation
        "annotation-xml",
        "-comment",
    ]
)
_OF_A_DRAWING = frozenset({"title", "desc", "metadata"})  # mostly the name of an icon
_ENDS = frozenset({"header", "footer"})
_CONTENT = frozenset({"article", "main", "section", "blockquote"})
_CONTENT_ROLES = frozenset({"main", "article"})
_TITLES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt"})
# What tells that an element says something; a link to skip or an empty one for a program does not.
_SPEAKING = "p, h1, h2, h3, h4, h5, h6, header, footer, article, main, section, pre, table, ul, ol"
_SPEAKING_TAGS = frozenset(_SPEAKING.split(", "))
_DRAWN_TOO = ("katex-mathml", "MJX_Assistive")  # of formulas that stand beside it in HTML


def walk(root: LexborNode, *, keep_nav: bool, keep_ends: bool) -> Iterator[tuple[LexborNode, bool]]:
    """Every node that counts, once on entering and, if it is an element, once on leaving.

    Iterative, because pages nest deeper than Python's stack. ``keep_nav`` and ``keep_ends``:
    whether navigation, and the head and foot of the page, count.
    """
    choice = _Choice(root, keep_nav=keep_nav, keep_ends=keep_ends)
    node, entering = root, True
    while True:
        skip = entering and node is not root and choice.drops(node)
        if not skip:
            yield node, entering
        child = node.child if entering and not skip else None
        if child is not None:
            node = child
            continue
        if not skip:
            if entering and node.tag != "-text":
                yield node, False
            choice.leave(node)
        if node.mem_id == root.mem_id:
            return
        if node.next is not None:
            node, entering = node.next, True
            continue
        if node.parent is None:
            return
        node, entering = node.parent, False


class _Choice:
    """Decides for each element that is entered; what depends on those around it is found once."""

    def __init__(self, root: LexborNode, *, keep_nav: bool, keep_ends: bool) -> None:
        self._root = root
        self._keep_nav, self._keep_ends = keep_nav, keep_ends
        self._end: int | None = None  # id of a head or foot around that belongs to the text
        self._several: dict[str, bool] = {}  # whether the page has several heads, several feet
        self._title: LexborNode | None = None  # the heading around
        self._title_is_button: bool | None = None

    def drops(self, node: LexborNode) -> bool:
        """Whether ``node`` is left out with all that is in it."""
        tag = node.tag or ""
        if tag in _DROPPED:
            return not ((tag == "nav" and self._keep_nav) or (tag == "button" and self._is_title()))
        if tag in _TITLES and self._title is None:
            self._title, self._title_is_button = node, None
        elif tag in _ENDS and not self._keep_ends and self._end is None:
            if node.css_first("h1") is None and not self._is_of_a_part(node):
                return True
            self._end = node.mem_id
        elif tag in _OF_A_DRAWING:
            return node.parent is not None and node.parent.tag != "body"  # else the page's, astray
        elif tag == "math":
            names = (node.parent and node.parent.attributes.get("class")) or ""
            return any(name in names for name in _DRAWN_TOO)
        return is_permalink(node)

    def leave(self, node: LexborNode) -> None:
        """Told when all of ``node`` has been read."""
        if self._end is not None and node.mem_id == self._end:
            self._end = None
        if self._title is not None and node.mem_id == self._title.mem_id:
            self._title = None

    def _is_title(self) -> bool:
        """Whether buttons are all that the heading around says, as where a click unfolds what
        follows; beside words they copy, edit or share."""
        if self._title is None:
            return False
        if self._title_is_button is None:
            buttons = sum(map(letters, self._title.css("button")))
            self._title_is_button = buttons == letters(self._title)
        return self._title_is_button

    def _is_of_a_part(self, end: LexborNode) -> bool:
        """Whether a head or foot is that of a part of the page: within what is marked as content;
        or one of several, within one of several elements that say something."""
        node, partings = end, 0
        while (parent := node.parent) is not None:
            partings += _has_company(node)
            if parent.tag in ("body", "html"):
                break
            if parent.tag in _CONTENT or parent.attributes.get("role") in _CONTENT_ROLES:
                return True
            node = parent
        return partings > 1 and self._are_several(end.tag or "")

    def _are_several(self, tag: str) -> bool:
        if tag not in self._several:
            self._several[tag] = len(self._root.css(tag)) > 1
        return self._several[tag]


def _has_company(node: LexborNode) -> bool:
    """Whether something else beside ``node`` says anything."""
    after, before = node.next, node.prev
    while after is not None or before is not None:
        for other in (after, before):
            if other is not None and _speaks(other):
                return True
        after = after and after.next
        before = before and before.prev
    return False


def _speaks(node: LexborNode) -> bool:
    tag = node.tag or ""
    if tag == "-text":
        return bool((node.text_content or "").strip())
    return tag not in _DROPPED and (tag in _SPEAKING_TAGS or node.css_first(_SPEAKING) is not None)
