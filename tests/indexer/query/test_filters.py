"""Filters as typed arguments."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from indexer.query.filters import Filters


def written(**given) -> str:
    return " ".join(map(str, Filters(**given).conditions()))


@pytest.mark.parametrize(
    ("given", "conditions"),
    [
        ({"path": ["a", Path("/b/c")]}, "path:a OR path:/b/c"),
        ({"path": Path("my docs")}, 'path:"my docs"'),
        ({"type": ["pdf", "", " "], "lang": "de"}, "type:pdf lang:de"),
        ({"type": None, "path": None, "lang": "de"}, "lang:de"),
        ({"title": "user  manual"}, 'title:"user manual"'),
        ({"after": date.min, "before": date(2024, 5, 31)}, "after:0001-01-01 before:2024-05-31"),
        ({"after": datetime(2024, 5, 31, 23, tzinfo=UTC)}, "after:2024-05-31"),
    ],
)
def test_values(given, conditions):
    assert written(**given) == conditions


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"after": 2024}, r"^after must be a string, not 2024 \(int\)"),
        ({"path": [b"a"]}, "^path must be a string"),
        ({"type": [None]}, "^type must be a string, not None"),
        ({"lang": 5}, r"^lang must be a string, not 5 \(int\)"),
        ({"title": b"a"}, "^title must be a string, not b'a'"),
    ],
)
def test_what_is_no_text_is_told(given, message):
    with pytest.raises(TypeError, match=message):
        Filters(**given).conditions()
