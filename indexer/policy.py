"""Kind of content -> landmark policy: the one place where it is decided."""

from typing import TYPE_CHECKING

from indexer.config import Settings
from indexer.documents import Document, spoken_text

if TYPE_CHECKING:
    from lmk_encoder.landmarks import LandmarkPolicy
    from lmk_encoder.types import TextInput

PROSE_KINDS = frozenset({"pdf", "markdown", "html", "text", "docx", "pptx", "epub", "email"})
# Scripts that the sentence rules know too little of; a fixed interval is right everywhere.
UNSPLIT_LANGUAGES = frozenset({"th", "lo", "km", "my"})
# Fewer sentence ends than one in this many characters: a table, a log or a list, not prose.
CHARS_PER_SENTENCE_LIMIT = 1_000
# The commonest marks of those that ``lmk_encoder.sentences`` knows.
_SENTENCE_ENDS = (". ", ".\n", "! ", "? ", *"。！？｡．؟۔।॥։።៕།")


def text_input(document: Document, settings: Settings) -> "TextInput":
    """The document as the encoder takes it: its text, its policy, its breaks and its context."""
    from lmk_encoder.landmarks import Interval, LandmarkPolicy, Sentences, Syntax
    from lmk_encoder.types import TextInput

    policy: LandmarkPolicy
    if document.kind == "code":
        policy = Syntax(
            borders=document.borders,
            max_tokens=settings.code_tokens,
            definitions=document.definitions,
        )
    elif document.borders:  # rows of a table
        policy = Syntax(borders=document.borders, max_tokens=settings.other_tokens)
    elif _is_prose(document):
        policy = Sentences(max_tokens=settings.prose_tokens)
    else:
        policy = Interval(tokens=settings.other_tokens)
    return TextInput(spoken_text(document), policy, document.breaks, document.context)


def policies(settings: Settings) -> "tuple[LandmarkPolicy, ...]":
    """Every policy that these settings can lead to."""
    from lmk_encoder.landmarks import Interval, Sentences, Syntax

    return (
        Sentences(max_tokens=settings.prose_tokens),
        Syntax(max_tokens=settings.code_tokens),
        Interval(tokens=settings.other_tokens),
    )


def policy_name(settings: Settings) -> str:
    """What is written into the index: a change of it changes the rows."""
    return (
        f"prose=sentences:{settings.prose_tokens} code=syntax:{settings.code_tokens} "
        f"other=interval:{settings.other_tokens}"
    )


def _is_prose(document: Document) -> bool:
    if document.kind not in PROSE_KINDS or document.language in UNSPLIT_LANGUAGES:
        return False
    ends = sum(document.text.count(mark) for mark in _SENTENCE_ENDS)
    return ends * CHARS_PER_SENTENCE_LIMIT >= len(document.text)
