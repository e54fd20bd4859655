"""Arguments of public methods, checked where they come in: an error names the argument."""

import operator
from typing import SupportsFloat


def require_text(name: str, value: object) -> None:
    """Raise TypeError unless ``value`` is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {_shown(value)}")


def require_type(name: str, value: object, kind: type) -> None:
    """Raise TypeError unless ``value`` is a ``kind`` or None."""
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} must be of the type {kind.__name__}, not {_shown(value)}")


def require_whole(name: str, value: object, least: int) -> None:
    """Raise TypeError unless ``value`` is a whole number (numpy's too), ValueError below
    ``least``."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {_shown(value)}") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least}, not {number}")


def require_number(name: str, value: object, least: float, most: float) -> None:
    """Raise TypeError unless ``value`` is a number, ValueError outside of ``[least, most]``;
    what is not finite is outside."""
    if isinstance(value, bool) or not isinstance(value, SupportsFloat):
        raise TypeError(f"{name} must be a number, not {_shown(value)}")
    if not least <= float(value) <= most:
        raise ValueError(f"{name} must be from {least:g} to {most:g}, not {value}")


def require_range(name: str, value: object) -> None:
    """Raise TypeError unless ``value`` is a pair of whole numbers, ValueError unless the first is
    at least 0 and the second is greater."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"{name} must be (start, end), not {_shown(value)}")
    start, end = value
    require_whole(f"{name}[0]", start, 0)
    require_whole(f"{name}[1]", end, 0)
    if end <= start:
        raise ValueError(f"{name} must end behind its start, not {value!r:.40}")


def _shown(value: object) -> str:
    return "None" if value is None else f"{value!r:.40} ({type(value).__name__})"
