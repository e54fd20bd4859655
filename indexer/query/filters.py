"""Filters as typed arguments: the same conditions as ``type:``, ``path:`` ... in a query."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from indexer.errors import QueryError
from indexer.query.fields import field_of
from indexer.query.language import Condition, Field

Values = str | Path | Sequence[str | Path] | None


@dataclass(frozen=True, slots=True)
class Filters:
    """What documents must meet. Several values of ``type``, of ``path`` and of ``lang`` are
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
        """The filters as conditions of a query.

        Raises QueryError for what is no date, TypeError for what is no text, path or date.
        """
        return tuple(self._conditions())

    def _conditions(self) -> Iterator[Condition]:
        for name in ("type", "lang", "title"):
            for value in self._values(name):
                yield Condition((self._field(name, value),))
        paths = tuple(self._field("path", value) for value in self._values("path"))
        if paths:
            yield Condition(paths)  # in a query, all that are named must be met
        for name in ("after", "before"):
            day: str | date | None = getattr(self, name)
            if isinstance(day, date):
                day = day.isoformat()[: len("2024-05-31")]  # of a datetime, its day
            if day is not None:
                yield Condition((self._field(name, day),))

    def _values(self, name: str) -> list[object]:
        given: object = getattr(self, name)
        if given is None:
            return []
        is_one = isinstance(given, str | bytes | Path)
        values = [given] if is_one or not isinstance(given, Iterable) else list(given)
        texts = [str(value) if isinstance(value, Path) else value for value in values]
        return [text for text in texts if not isinstance(text, str) or text.strip()]

    def _field(self, name: str, value: object) -> Field:
        if not isinstance(value, str):
            known = "None" if value is None else f"{value!r:.40} ({type(value).__name__})"
            raise TypeError(f"{name} must be a string, not {known}")
        field = field_of(name, value)
        if field is None:
            raise QueryError(
                f"{name}={value!r} names no date.", "Write 2024, 2024-05 or 2024-05-31."
            )
        return field
