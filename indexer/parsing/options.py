"""What a reader of files may be told: the user's choices, and what a first try has shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How files are to be read. It travels to the parser processes.

    ``passwords`` are tried on encrypted files, after the empty one. ``ocr_pages`` is how many
    pages of one document are given to OCR at most; 0 turns it off. ``all_code`` reads generated and
    minified code too.

    The rest is for one file, found out by ``reading``: pages (1-based) that are to be left out,
    because they hung or crashed the parser, what OCR has read on pages without text, and whether
    the second reader of PDFs is to take it.
    """

    passwords: tuple[str, ...] = ()
    ocr_pages: int = 0
    all_code: bool = False
    bad_pages: frozenset[int] = frozenset()
    page_texts: Mapping[int, str] = field(default_factory=dict)
    second_reader: bool = False


DEFAULT_OPTIONS = ParseOptions()
