"""Markdown headings."""

import pytest

from indexer.documents import unit_at
from indexer.parsing.markdown import parse_markdown

SOURCE = """\
---
title: "Front matter"
# not: a heading
---

Setext one
==========

text

## **Two** `code` [link](http://x) ##

```python
# no heading
```

~~~~
~~~
# still code
~~~~

- item
---

| a | b |
---

    # indented code

Setext two
---
#no space
####### seven
### Three\\#
"""


def test_headings_outside_code_become_sections():
    document = parse_markdown(SOURCE, name="a.md")

    assert [
        (s.level, s.title, unit_at(document.unit_starts, s.start)) for s in document.sections
    ] == [
        (1, "Setext one", 6),
        (2, "Two code link", 11),
        (2, "Setext two", 30),
        (3, "Three\\#", 34),
    ]
    assert document.breaks == tuple(section.start for section in document.sections)
    assert document.title == "Front matter"
    assert document.text == SOURCE


def test_the_title_is_the_first_heading_or_the_stem():
    assert parse_markdown("intro\n\n## Here\n\n# There\n", name="a.md").title == "Here"
    assert parse_markdown("only text\n", name="my notes.md").title == "my notes"
    assert parse_markdown("---\n\nA rule above\n", name="x.md").title == "x"


def test_an_open_fence_hides_the_rest_and_loses_no_text():
    document = parse_markdown("# a\n```\n# b\n", name="a.md")

    assert [section.title for section in document.sections] == ["a"]
    assert document.text.endswith("# b\n")


def titles(source: str) -> list[str]:
    return [section.title for section in parse_markdown(source, name="a.md").sections]


@pytest.mark.parametrize(
    "item",
    [
        "- ```sh\n  # code\n  ```",
        "1. ~~~\n   # code\n   ~~~",
        "* a\n    - ```\n      # code\n      ```",
        "- - ```\n    # code\n     ````",
        "-\t```\n    # code\n\n    ```",
        "- ```\n  # never closed\nout of the list",
        "- ```\n  # code\n  ```\n\n  ```\n  # code\n  ```",
        "- ```a``` words",
    ],
)
def test_a_fence_behind_the_mark_of_a_list_is_one(item):
    """Its end was taken for a beginning, and all headings behind it were lost."""
    assert titles(f"# Top\n\n{item}\n- other\n\n## Second\n\n    # x\n## Third\n") == [
        "Top",
        "Second",
        "Third",
    ]


@pytest.mark.parametrize(
    "raw",
    [
        "<!--\n# no\n\n-->",
        "<!-- a -->",
        "<!-->",
        "text\n<pre class='a'>\n\n# no\nNo\n===\n</PRE>",
        "<style>\n# no\n</style>",
        "<prelude>",
        "a <!-- b",
    ],
)
def test_comments_and_what_is_shown_as_it_stands_hold_no_headings(raw):
    assert titles(f"# Top\n\n{raw}\n\n## Second\n") == ["Top", "Second"]


@pytest.mark.parametrize(
    ("matter", "title"),
    [
        ("---\ntitle: >-\n  My long\n  title\ndate: x\n---", "My long title"),
        ("---\ntitle: |\n  Text\n---", "Text"),
        ("---\ntitle: My long\n  title\n---", "My long title"),
        ('---\ntitle: "a \\"b\\"\n  c"\n---', 'a "b" c'),
        ('---\ntitle: "a"  # comment\n---', "a"),
        ('---\ntitle: "a \\q"\n---', "a \\q"),
        ("---\ntitle: 'It''s'\n---", "It's"),
        ("---\ntitle:\n  en: x\n---", "Heading"),
        ("---\nsubtitle: x\n---", "Heading"),
        ('+++\ntitle = "Hugo"\n# comment\n+++', "Hugo"),
    ],
)
def test_titles_of_front_matter(matter, title):
    document = parse_markdown(f"{matter}\n\n# Heading\n", name="a.md")

    assert document.title == title
    assert [section.title for section in document.sections] == ["Heading"]
