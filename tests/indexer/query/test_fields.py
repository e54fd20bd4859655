"""Fields on what is known of a document."""

from dataclasses import dataclass

import pytest

from indexer.query.fields import begin_ns, field_of, meets
from indexer.query.language import Field

DAY = 86_400_000_000_000


@dataclass(frozen=True)
class Known:
    kind: str = "pdf"
    paths: tuple[str, ...] = ("/srv/docs/a_b/manual 100%.PDF",)
    language: str = "de"
    name: str = "Handbuch der Café-Pumpen"
    modified: int = 19_782 * DAY  # 2024-02-29


@pytest.mark.parametrize(
    ("name", "value", "is_met"),
    [
        ("type", "pdf", True),
        ("type", "code", False),
        ("path", "docs", True),
        ("path", "doc", False),
        ("path", "ocs/a_b", False),
        ("path", "docs/*", True),
        ("path", "docs/a_b", True),
        ("path", "docs/a%", False),
        ("path", "docs/aXb", False),
        ("path", "docs/a?b", True),
        ("path", "srv/**/*.PDF", True),
        ("path", "**/docs", True),
        ("path", "*.PDF", True),
        ("path", "*.pdf", False),
        ("path", "manual 100%.PDF", True),
        ("path", "manual 1.0%.PDF", False),
        ("path", "/srv/docs", True),
        ("path", "/docs", False),
        ("path", "docs\\a_b\\", True),
        ("lang", "de", True),
        ("lang", "d", False),
        ("title", "cafe", True),
        ("title", "pump", True),
        ("title", "umpen", False),
        ("title", "handbuch der", True),
        ("after", "2024", True),
        ("after", "2024-02-29", True),
        ("after", "2024-03", False),
        ("before", "2024-02-29", False),
        ("before", "2024-3-1", True),
    ],
)
def test_meets(name, value, is_met):
    assert meets(Known(), Field(name, value)) is is_met


def test_a_type_is_a_kind_or_a_suffix():
    known = Known(kind="code", paths=("/a/b.tar.gz", "/a/c.PY"))
    assert [meets(known, Field("type", t)) for t in ("code", "py", "gz", "tar.gz", "y")] == [
        True,
        True,
        True,
        True,
        False,
    ]


def test_names_with_signs_of_other_languages_are_literal():
    known = Known(paths=("/d/x' OR 1=1 --/[x] (1).pdf",))
    assert meets(known, Field("path", "x' OR 1=1 --"))
    assert meets(known, Field("path", "[x] (1).pdf"))
    assert not meets(known, Field("path", "[xy] (1).pdf"))


@pytest.mark.parametrize(
    ("title", "value", "is_met"),
    [
        ("東京都の電力報告書", "報告書", True),
        ("電力報告書 東京", "報告書", True),
        ("サーバーデータ", "タ", True),
        ("서울에서", "에서", True),
        ("Python入門", "入門", True),
        ("使用Python", "python", True),
        ("使用Python", "ython", False),
        ("The user\u3000 manual", "user manual", True),
        ("The manual", "anual", False),
    ],
)
def test_scripts_without_spaces_have_no_borders_of_words(title, value, is_met):
    assert meets(Known(name=title), Field("title", value)) is is_met


def test_white_space_in_a_value_is_one_blank():
    assert field_of("title", " user \t manual") == Field("title", "user manual")
    spaced = Known(paths=("/d/my  old\u3000docs/a.txt",))
    assert meets(spaced, field_of("path", "my  old docs"))
    assert not meets(spaced, field_of("path", "my olddocs"))


def test_both_forms_of_an_accent_are_one():
    assert meets(Known(paths=("/d/o\u0301.txt",)), Field("path", "ó.txt"))


@pytest.mark.parametrize(
    "value", ["", "24", "2024-13", "2024-02-30", "0000", "２０２４", "2024-01-01x"]
)
def test_what_is_no_date(value):
    assert begin_ns(value) is None
    assert field_of("after", value) is None


@pytest.mark.parametrize("path", [r"/d/a\b.txt", r"/d/a\xffb.txt", r"/d\x/y  z.txt", "\\\\d/e"])
def test_a_backslash_may_be_part_of_a_name(path):
    assert meets(Known(paths=(path,)), field_of("path", path))
    assert not meets(Known(paths=("/d/other.txt",)), field_of("path", path))
    assert meets(Known(paths=(r"/d\x/y.txt",)), field_of("path", r"d\x"))
