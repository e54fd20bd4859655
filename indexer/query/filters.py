"""Filters as typed arguments: the same conditions as ``type:``, ``path:`` ... in a query."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from indexer.errors import QueryError
from indexer.query.fields import field_of
from indexer.query.language import Condition

Values = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Filters:
    """What documents must meet. Several values of ``type``, ``path`` and ``lang`` are
    alternatives; all values of ``title`` must be in the title. Empty filters leave nothing out.

    Args:
        type: a kind (``pdf``, ``code`` ...) or a suffix (``py``).
        path: a file, a folder or a glob (``docs/*``).
        lang: a language (``en``, ``python``).
        after: from this day on; ``2024`` and ``2024-05`` are their first days, in UTC.
        before: until this day, which is left out.
        title: beginnings of words of the title.
    """

    type: Values = ()
    path: Values = ()
    lang: Values = ()
    after: str | date | None = None
    before: str | date | None = None
    title: Values = ()

    def conditions(self) -> tuple[Condition, ...]:
        """The filters as conditions of a query. Raises QueryError for what is no date."""
        return tuple(self._conditions())

    def _conditions(self) -> Iterator[Condition]:
        for name in ("type", "path", "lang", "title"):
            given: Values = getattr(self, name)
            values = [given] if isinstance(given, str) else given
            for value in filter(None, values):
                yield self._condition(name, value)
        for name in ("after", "before"):
            day: str | date | None = getattr(self, name)
            if day is not None:
                yield self._condition(name, str(day) if isinstance(day, str) else f"{day:%Y-%m-%d}")

    def _condition(self, name: str, value: str) -> Condition:
        field = field_of(name, value)
        if field is None:
            raise QueryError(
                f"{name}={value!r} names no date.", "Write 2024, 2024-05 or 2024-05-31."
            )
        return Condition((field,))
