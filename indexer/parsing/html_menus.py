"""Which parts of a page are menus: lists of links that a site puts around what the page says.

By its standard role, or by a name such as ``navbar`` together with its letters: most of them
must be those of links. Neither suffices alone: a list of contents is nothing but links, and
much is called a sidebar that is none.
"""

import re

from selectolax.lexbor import LexborNode

_ROLES = frozenset({"navigation", "search", "menubar", "menu"})
_SURELY = re.compile(r"\bnav(?:header|footer)\b")  # DocBook's
_NAMED = re.compile(
    r"sidebar|(?:\b|_)(?:(?:site|page|main|top|bottom|side|sub)?[-_]?"
    r"(?:nav|navbar|navigation|navheader|navfooter|menu|langs?|bar|head(?:er)?|foot(?:er)?)"
    r"|breadcrumbs?|pagination|pager|toolbar|path)(?:\b|_)",
    re.IGNORECASE,
)
_MIN_LINK_SHARE = 0.6  # of the letters
_LETTER = re.compile(r"[^\W_]")
_PERMALINKS = frozenset({"¶", "#", "§", "🔗", "\uf0c1"})


def may_be_menu(node: LexborNode) -> bool:
    """Whether the role or the name of the element ``node`` is that of a menu."""
    return _is_marked(node) or bool(_NAMED.search(_names(node)))


def is_menu(node: LexborNode) -> bool:
    """Whether ``node``, which may be a menu, is one, with all that is in it; reads all of that."""
    if _is_marked(node):
        return True
    linked = sum(letters(link) for link in node.css("a[href]"))
    return linked >= _MIN_LINK_SHARE * letters(node)


def is_permalink(node: LexborNode) -> bool:
    """Whether ``node`` is the mark behind a heading that links to the heading itself."""
    if node.tag != "a" or not (node.attributes.get("href") or "").startswith("#"):
        return False
    return (node.text() or "").strip() in _PERMALINKS


def letters(node: LexborNode) -> int:
    """How many letters and digits ``node`` holds."""
    return len(_LETTER.findall(node.text() or ""))


def _is_marked(node: LexborNode) -> bool:
    role = (node.attributes.get("role") or "").lower()
    return role in _ROLES or bool(_SURELY.search(_names(node)))


def _names(node: LexborNode) -> str:
    return f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
