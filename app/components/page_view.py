"""A PDF page as an image, with the passage and its marked words drawn over it."""

import base64
from collections.abc import Sequence

from app.formatting import escape
from indexer import PageImage

Box = tuple[float, float, float, float]  # left, top, right, bottom as shares of the page


def shares(image: PageImage) -> list[Box]:
    """The boxes of an image as shares of its size, so that they fit it at any scale."""
    return [
        (left / image.width, top / image.height, right / image.width, bottom / image.height)
        for left, top, right, bottom in image.boxes
    ]


def page_html(image: PageImage, alt: str, *, marks: Sequence[Box] = ()) -> str:
    """The page with the passage's lines tinted (``image.boxes``) and words marked (``marks``)."""
    source = base64.b64encode(image.png).decode("ascii")
    boxes = [*_boxes_html(shares(image), "box"), *_boxes_html(marks, "box word")]
    return (
        f'<figure class="sheet" style="aspect-ratio:{image.width}/{image.height}">'
        f'<img alt="{escape(alt)}" src="data:image/png;base64,{source}">{"".join(boxes)}</figure>'
    )


def _boxes_html(boxes: Sequence[Box], style: str) -> list[str]:
    # The first one carries the place, for whoever scrolls to it.
    return [
        f'<span class="{style}"{" data-place" if i == 0 else ""} style="left:{left:.3%};'
        f'top:{top:.3%};width:{right - left:.3%};height:{bottom - top:.3%}"></span>'
        for i, (left, top, right, bottom) in enumerate(boxes)
    ]
