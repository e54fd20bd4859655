"""What facets are called."""

import pytest

from app.components.filters import toggled, value_name
from indexer import FacetCount
from indexer.query.parse import parse


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


@pytest.mark.parametrize(
    ("query", "folder", "chosen"),
    [
        ("path:*.?s sensor", "path:/srv/agent", "path:*.?s sensor path:/srv/agent"),
        ("path:code battery", "path:/srv/code/a", "path:code battery path:/srv/code/a"),
        ("pump path:/srv/code", "path:/srv/code/a", "pump path:/srv/code/a"),
        ('pump path:"/srv/my docs"', 'path:"/srv/my docs/a"', 'pump path:"/srv/my docs/a"'),
        ("-path:/srv/code pump", "path:/srv/code/a", "-path:/srv/code pump path:/srv/code/a"),
        ("pump path:/srv/cod", "path:/srv/code/a", "pump path:/srv/cod path:/srv/code/a"),
    ],
)
def test_a_folder_is_added_and_only_takes_the_place_of_those_above_it(query, folder, chosen):
    count = FacetCount("a", 4, folder)
    once = toggled(parse(query), "folder", count)

    assert str(once) == chosen
    assert parse(folder).conditions[0] not in toggled(once, "folder", count).conditions
