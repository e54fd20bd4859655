"""What facets are called."""

import pytest

from app.components.filters import value_name


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("json", "JSON"),
        ("sql", "SQL"),
        ("css", "CSS"),
        ("html", "HTML"),
        ("cpp", "C++"),
        ("csharp", "C#"),
        ("javascript", "JavaScript"),
        ("rust", "Rust"),
        ("c", "C"),
        ("de", "German"),
    ],
)
def test_languages(value, name):
    assert value_name("language", value) == name


def test_other_values_stay_as_they_are():
    assert value_name("folder", "src") == "src"
    assert value_name("type", "pdf") == "PDF"
