"""What the ledger says of a file: its state, and the reason (pure)."""

from indexer.documents import Document, State
from indexer.errors import Locked, NoText, ParseError, Unsupported
from indexer.parsing.decode import clean_line

ASKS_FOR_OCR = "run OCR, or install lmk[ocr]"  # `feed.now_possible` knows it again


def state_of(error: ParseError | None) -> tuple[State, str | None]:
    """State and reason of a file. What a file brings into a reason, such as the name of a missing
    part, is cleaned as titles are."""
    if error is None:
        return "indexed", None
    reason = clean_line(str(error))
    match error:
        case Locked():
            return "locked", reason
        case NoText():
            return "no text", reason
        case Unsupported():
            return "excluded", reason
        case _:
            return "failed", reason


def limit_told(name: str, value: float) -> str:
    """How a reason names a limit that a file broke, and ``feed.now_possible`` the limit of now."""
    return f"{name} = {value:.12g}"


def what_is_missing(document: Document, ocr_pages: int) -> str | None:
    """What a reader of the ledger should know of a document that was not read in full;
    ``ocr_pages``: so many pages at most were given to OCR."""
    coverage = document.coverage
    unread = coverage.units - coverage.with_text - coverage.blank - len(coverage.failed)
    parts = [damage] if (damage := document.metadata.get("damaged")) else []
    if coverage.failed:
        numbers = ", ".join(map(str, coverage.failed[:10]))
        parts.append(f"{document.unit} {numbers} cannot be read")
    if unread > 0:
        what = f"{unread} of {coverage.units} {document.unit}s have no text layer"
        if not ocr_pages:
            parts.append(f"{what}: {ASKS_FOR_OCR}")
        elif unread + len(coverage.ocr) > ocr_pages:
            parts.append(
                f"{what}: OCR is tried on no more than {limit_told('ocr_pages', ocr_pages)}."
            )
        else:
            parts.append(f"{what}, and OCR found none")
    return "; ".join(parts) or None
