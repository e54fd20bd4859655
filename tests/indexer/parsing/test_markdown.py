"""Markdown headings."""

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
