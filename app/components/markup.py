"""Draw our HTML on the page, with links that move inside the app.

A plain link in Streamlit's own HTML element would load the whole app anew. Here each
``<a href="./...">`` is a real link (it can be copied, and opened in a new tab), and a plain
click moves without a reload; see ``lmk.js``. The HTML stands in a shadow root with ``lmk.css``.

The HTML is trusted: whoever calls ``show`` has escaped what came from documents.
"""

from pathlib import Path
from typing import Literal

import streamlit as st

from app.formatting import escape
from app.state import Screen, href

HERE = Path(__file__).parent
NAME = "lmk.markup"
Width = Literal["stretch", "content"]
# Rules for the page around our HTML; test ids are the names Streamlit keeps for its parts.
PAGE_CSS = """
[data-testid="stHeader"] { background: transparent; height: 0; min-height: 0; }
[data-testid="stMainBlockContainer"] { max-width: WIDTHpx; padding: 1.1rem 1.25rem 4rem; }
[data-testid="stTextInputRootElement"] { height: 3rem; font-size: 1.1rem; }
[data-testid="stTextInputRootElement"] input { font-size: 1.05rem; }
[data-testid="InputInstructions"],
[data-testid="stNumberInputStepUp"], [data-testid="stNumberInputStepDown"] { display: none; }
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding: 0.75rem 0.875rem 3rem; }
}
"""

LOGO = (
    '<svg class="logo" viewBox="0 0 20 20" aria-hidden="true">'
    '<rect class="h1" x="1" y="3" width="4" height="14" rx="1"/>'
    '<rect class="h2" x="6" y="3" width="4" height="14" rx="1"/>'
    '<rect class="h4" x="11" y="1" width="4" height="18" rx="1"/>'
    '<rect class="h2" x="16" y="3" width="3" height="14" rx="1"/></svg>'
)


def show(html: str, *, key: str | None = None, width: Width = "stretch") -> None:
    """Draw trusted HTML. With a key the element is kept, and updated in place."""
    # Registered on each run: the registry belongs to the running server, not to the module.
    component = st.components.v2.component(
        NAME,
        html='<div id="lmk"></div>',
        css=_read("lmk.css"),
        js=_read("lmk.js"),
    )
    component(data={"html": html}, key=key, width=width)


def page(width: int) -> None:
    """Set the page around our HTML to its greatest width in pixels."""
    st.html(f"<style>{PAGE_CSS.replace('WIDTH', str(width))}</style>")


def header_html(active: Screen) -> str:
    """The name of the product, and the way to the two main screens."""
    links: tuple[tuple[Screen, str], ...] = (("", "Search"), ("library", "Library"))
    items = "".join(
        f'<a href="{escape(href(screen))}"'
        f"{' aria-current=page' if screen == active else ''}>{name}</a>"
        for screen, name in links
    )
    return (
        f'<header class="top"><a class="brand" href="./">{LOGO}<span>LMK</span></a>'
        f'<nav aria-label="Screens">{items}</nav></header>'
    )


def notice_html(what: str, fix: str = "", *, alarm: bool = False) -> str:
    """A short message in place of content: what is the matter, and what helps."""
    role = "alert" if alarm else "status"
    remedy = f"<p>{escape(fix)}</p>" if fix else ""
    kind = " alarm" if alarm else ""
    return f'<div class="notice{kind}" role="{role}"><p><b>{escape(what)}</b></p>{remedy}</div>'


@st.cache_resource(show_spinner=False)
def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
