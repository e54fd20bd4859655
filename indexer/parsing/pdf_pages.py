"""What workers do with single pages of a PDF at a path: count them, try them, read them by OCR.

Everything heavy is imported when it is first needed: the process that gives out the work imports
this file, too.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.parsing.options import ParseOptions

if TYPE_CHECKING:
    from rapidocr import RapidOCR

OCR_DPI = 200
_engine: "RapidOCR | None" = None  # one a process: loading its models takes a second


def count_pages(path: Path, passwords: Sequence[str] = ()) -> int:
    """Number of pages of the PDF at ``path``, none of which is read."""
    from indexer.parsing.pdf import open_pdf

    with open_pdf(path.read_bytes(), path, passwords) as pdf:
        return len(pdf)


def try_pages(path: Path, first: int, last: int, passwords: Sequence[str] = ()) -> None:
    """Read the pages ``first`` to ``last`` (1-based) as ``parse_pdf`` does, for nothing."""
    from indexer.parsing.pdf import open_pdf, read_one

    with open_pdf(path.read_bytes(), path, passwords) as pdf:
        for number in range(first, last + 1):
            read_one(pdf, number, measured=True)


def pages_without_text(path: Path, options: ParseOptions) -> tuple[int, ...]:
    """Numbers (1-based) of the pages that show something and have no text, rising."""
    from indexer.parsing.pdf import open_pdf, read_one

    with open_pdf(path.read_bytes(), path, options.passwords) as pdf:
        numbers = [n for n in range(1, len(pdf) + 1) if n not in options.bad_pages]
        return tuple(n for n in numbers if read_one(pdf, n).shows_no_text)


def can_read_images() -> bool:
    """Whether the extra ``ocr`` is installed."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def ocr_page(path: Path, number: int, passwords: Sequence[str] = ()) -> str:
    """The text that OCR sees on the 1-based page ``number``, a line for each line."""
    import numpy as np

    from indexer.parsing.pdf import open_pdf

    with open_pdf(path.read_bytes(), path, passwords) as pdf:
        image = pdf[number - 1].render(scale=OCR_DPI / 72).to_pil().convert("RGB")
    found = _ocr()(np.asarray(image))
    return "\n".join(found.txts or ())


def _ocr() -> "RapidOCR":
    global _engine
    if _engine is None:
        from rapidocr import RapidOCR

        _engine = RapidOCR(params={"Global.log_level": "critical"})
    return _engine
