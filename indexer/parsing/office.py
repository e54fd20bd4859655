"""What the office formats share: the properties of a document."""

from datetime import datetime
from typing import Any


def office_metadata(properties: Any) -> dict[str, str]:
    """Title, author, subject, keywords and dates (ISO 8601), those that are set.

    ``properties`` are those of python-docx and python-pptx, or of openpyxl, which call some of
    them by other names.
    """
    found: dict[str, str] = {}
    for key, names in (
        ("title", ("title",)),
        ("author", ("author", "creator")),
        ("subject", ("subject",)),
        ("keywords", ("keywords",)),
    ):
        value = next((v for name in names if (v := getattr(properties, name, None))), None)
        if isinstance(value, str) and value.strip():
            found[key] = value
    for key in ("created", "modified"):
        value = getattr(properties, key, None)
        if isinstance(value, datetime):
            found[key] = value.isoformat()
    return found
