"""Page settings and navigation: ``streamlit run app/main.py -- --index DIR``."""

import logging
from collections.abc import Callable

import streamlit as st

from app.components import markup
from app.screens import document, library, search
from app.state import Screen
from indexer.errors import IndexNotFound
from lmk_encoder.errors import LmkError

logger = logging.getLogger(__name__)


def main() -> None:
    """Draw the screen that the address names."""
    st.set_page_config("LMK search", page_icon=str(markup.HERE / "lmk.svg"), layout="wide")
    pages = [
        st.Page(screen("", search.show, search.WIDTH), title="Search", default=True),
        st.Page(
            screen("document", document.show, document.WIDTH),
            title="Document",
            url_path="document",
        ),
        st.Page(
            screen("library", library.show, library.WIDTH), title="Library", url_path="library"
        ),
    ]
    st.navigation(pages, position="hidden").run()


def screen(name: Screen, show: Callable[[], None], width: int) -> Callable[[], None]:
    """``show`` below the header of the app; what the index refuses is told in its place."""

    def run() -> None:
        markup.page(width)
        markup.show(markup.header_html(name), key="header")
        try:
            show()
        except IndexNotFound as error:
            # A beginning, not a fault: no alarm.
            markup.show(markup.notice_html(error.what, f"{error.fix} (then reload this page)"))
        except LmkError as error:
            markup.show(markup.notice_html(error.what, error.fix, alarm=True))
        except Exception as error:
            # The border to a person: Streamlit would leave the screen blank without a word.
            logger.exception("the screen %r failed", name)
            what = f"This screen failed with an unexpected {type(error).__name__}."
            fix = "The terminal in which the server runs tells more."
            markup.show(markup.notice_html(what, fix, alarm=True))

    run.__name__ = show.__module__.rpartition(".")[2]  # Streamlit names pages by function
    return run


if __name__ == "__main__":
    main()
