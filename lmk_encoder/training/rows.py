"""What a row of training data says, whichever of the usual names its keys have (pure).

Known are pairs and triples (``query``, ``positive``, ``negative``), rows of FlagEmbedding
(``query``, ``pos``, ``neg``, ``pos_scores``, ``neg_scores``), and plain texts (``text``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_QUERY = ("query", "anchor", "question")
_POSITIVE = ("positive", "pos", "positives", "answer", "passage")
_NEGATIVE = ("negative", "neg", "negatives")
_TEXT = "text"


@dataclass(frozen=True, slots=True)
class Pair:
    """A query, the texts that answer it (at least one), texts that do not, and how well each does.

    Scores are a teacher's, raw; None where no teacher scored the row (both lists then are None).
    """

    query: str
    positives: tuple[str, ...]
    negatives: tuple[str, ...] = ()
    positive_scores: tuple[float, ...] | None = None
    negative_scores: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A text without a question: for distillation."""

    text: str


Row = Pair | Text


def parse_row(values: Mapping[str, Any]) -> Row:
    """Read one row. Keys that are not known (a source, a licence) are passed over.

    Individual scores that are null count as 0, as in the paper's code.

    Raises:
        ValueError: a key is missing, of another type or blank, or lengths disagree; the message
            names the key.
    """
    query_key = next((key for key in _QUERY if key in values), None)
    if query_key is None:
        if _TEXT in values:
            return Text(_text(values, _TEXT))
        raise ValueError(
            f"it has neither {_QUERY[0]!r} nor {_TEXT!r} among its keys: "
            f"{', '.join(sorted(values)) or 'none'}"
        )
    positives = _texts(values, _POSITIVE)
    if not positives:
        raise ValueError(f"it has no {_POSITIVE[0]!r}")
    negatives = _texts(values, _NEGATIVE)
    positive_scores = _scores(values, "pos_scores", len(positives))
    negative_scores = _scores(values, "neg_scores", len(negatives))
    if positive_scores is None or (negative_scores is None and negatives):
        positive_scores = negative_scores = None
    return Pair(_text(values, query_key), positives, negatives, positive_scores, negative_scores)


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values[key]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{key!r} should be a text, not {_short(value)}")
    return value


def _texts(values: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[str, ...]:
    """The texts under the first known key; null and absent are none."""
    key = next((key for key in keys if key in values), None)
    if key is None or values[key] is None:
        return ()
    found = values[key]
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, list):
        raise ValueError(f"{key!r} should be a text or a list of texts, not {_short(found)}")
    for place, text in enumerate(found):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{key}[{place}] should be a text, not {_short(text)}")
    return tuple(found)


def _scores(values: Mapping[str, Any], key: str, expected: int) -> tuple[float, ...] | None:
    found = values.get(key)
    if not found:
        return None
    if not isinstance(found, list) or len(found) != expected:
        count = len(found) if isinstance(found, list) else _short(found)
        raise ValueError(f"{key!r} holds {count} scores for {expected} texts")
    for score in found:
        if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
            raise ValueError(f"{key!r} holds {_short(score)}, which is no number")
    return tuple(0.0 if score is None else float(score) for score in found)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
