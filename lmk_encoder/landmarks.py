"""(placeholder: replaced by the encoder work)"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A landmark every ``tokens`` tokens, moved to a near line or word border."""

    tokens: int = 64


@dataclass(frozen=True, slots=True)
class Sentences:
    """A landmark at sentence ends; short sentences are merged up to ``max_tokens``."""

    max_tokens: int = 64


@dataclass(frozen=True, slots=True)
class Syntax:
    """A landmark at given soft borders (statement and block starts), about ``max_tokens`` apart."""

    borders: tuple[int, ...] = ()
    max_tokens: int = 64


LandmarkPolicy = Interval | Sentences | Syntax
