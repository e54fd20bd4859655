"""Finding: one thing that is wrong with an index."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """``check`` names the rule that is broken, ``what`` says how, ``fix`` what mends it.

    ``doc_id`` and ``path`` are None where it is no matter of one document or file.
    """

    check: str
    what: str
    fix: str
    doc_id: str | None = None
    path: str | None = None
    repaired: bool = False
