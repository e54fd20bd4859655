"""Arguments of public methods, checked where they come in: an error names the argument."""

import operator


def require_text(name: str, value: object) -> None:
    """Raise TypeError unless ``value`` is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {_shown(value)}")


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


def _shown(value: object) -> str:
    return "None" if value is None else f"{value!r:.40} ({type(value).__name__})"
