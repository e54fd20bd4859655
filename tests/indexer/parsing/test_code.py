"""Source code: sections, cutting places and lines. Expected values are read off the snippets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.documents import section_path, unit_at
from indexer.parsing.code import parse_code
from indexer.parsing.separators import soft_borders

PYTHON = '''\
"""Module."""
import os

LIMIT = 3


# Explains Box.
# In two lines.
@decorated
class Box:
    size = 1

    @property
    def width(self):
        if LIMIT:
            def inner():
                return 1
        return inner()


async def run(
    box,
):
    return box.width
'''


def outline(document):
    """(level, title, first line, last line) of every section."""
    return [
        (
            section.level,
            section.title,
            unit_at(document.unit_starts, section.start),
            unit_at(document.unit_starts, section.end - 1),
        )
        for section in document.sections
    ]


def test_python_sections_nest_and_take_comments_and_decorators_along():
    document = parse_code(PYTHON, name="box.py", language="python")

    assert outline(document) == [
        (1, "Box", 7, 18),
        (2, "width", 13, 18),
        (3, "inner", 16, 17),
        (1, "run", 21, 24),
    ]
    assert [unit_at(document.unit_starts, cut) for cut in document.breaks] == [7, 21]
    at = document.text.index("return 1")
    assert section_path(document.sections, at, at + 8) == "Box > width > inner"


def test_definitions_around_a_syntax_error_are_found():
    broken = PYTHON + "\ndef broken(:\n    pass\n"

    document = parse_code(broken, name="box.py", language="python")

    titles = [section.title for section in document.sections]
    assert titles[:4] == ["Box", "width", "inner", "run"]
    assert document.text == broken


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        (
            "javascript",
            """\
import x from 'x'

/** Doc. */
export function f(a) {
  if (a) {
    g()
  }
}

const h = async (x) => {
  return x
}

class A {
  m(x) {
    return x
  }
}
""",
            [(1, "f", 3, 8), (1, "h", 10, 12), (1, "A", 14, 18), (2, "m", 15, 17)],
        ),
        (
            "typescript",
            """\
export interface P {
  a: string
}

type Q = { a: 1 }

abstract class R {
  private async go(x: number): Promise<void> {
    x
  }
}
""",
            [(1, "P", 1, 3), (1, "Q", 5, 5), (1, "R", 7, 11), (2, "go", 8, 10)],
        ),
        (
            "java",
            """\
package a;

@Deprecated
public class A {
    private int x = f(1);

    public A(int x) {
        this.x = x;
    }

    @Override
    public List<String> g(int a,
                          int b) {
        if (a > b) {
            return h(a);
        }
    }
}
""",
            [(1, "A", 3, 18), (2, "A", 7, 9), (2, "g", 11, 17)],
        ),
        (
            "c",
            """\
#include <a.h>

int f(int);

struct point {
    int x;
};

/* Adds. */
static int
add(int a, int b)
{
    if (a)
        return b;
#ifdef X
    a++;
#endif
out:
    return a + b;
}

int main(void) {
    return 0;
}
""",
            [(1, "point", 5, 7), (1, "add", 9, 20), (1, "main", 22, 24)],
        ),
        (
            "cpp",
            """\
namespace a {

template <typename T>
class Box : public Base {
 public:
  explicit Box(int x) : x_(x) {}
  int size() const { return x_; }
  void walk() {
    log(x_,
        y_);
  }
};

}  // namespace a

int Box::other(int y) {
  return y;
}
""",
            [
                (1, "a", 1, 14),
                (2, "Box", 3, 12),
                (3, "Box", 6, 6),
                (3, "size", 7, 7),
                (3, "walk", 8, 11),
                (1, "Box::other", 16, 18),
            ],
        ),
        (
            "go",
            """\
package a

// Box holds.
type Box struct {
\tx int
}

func (b *Box) Size() int {
\treturn b.x
}

func main() { run() }
""",
            [(1, "Box", 3, 6), (1, "Box.Size", 8, 10), (1, "main", 12, 12)],
        ),
        (
            "rust",
            """\
use a;

/// Doc.
#[derive(Debug)]
pub struct Box {
    x: i32,
}

impl Box {
    pub fn size(
        &self,
    ) -> i32 {
        self.x
    }
}

fn main() {
}
""",
            [(1, "Box", 3, 7), (1, "impl Box", 9, 15), (2, "size", 10, 14), (1, "main", 17, 18)],
        ),
        (
            "ruby",
            """\
module A
  class B < C
    # Says.
    def say?(x)
      puts x if x
    end
  end
end
""",
            [(1, "A", 1, 8), (2, "B", 2, 7), (3, "say?", 3, 6)],
        ),
        (
            "shell",
            """\
#!/bin/sh
set -e

# Usage.
usage() {
  echo x
}

function go {
  usage
}
go
""",
            [(1, "usage", 4, 7), (1, "go", 9, 11)],
        ),
        (
            "csharp",
            """\
namespace N
{
    public class A
    {
        public async Task<int> Go(int x)
        {
            return x;
        }
    }
}
""",
            [(1, "N", 1, 10), (2, "A", 3, 9), (3, "Go", 5, 8)],
        ),
        (
            "php",
            """\
<?php
class A
{
    public static function go($x)
    {
        return $x;
    }
}
""",
            [(1, "A", 2, 8), (2, "go", 4, 7)],
        ),
        (
            "kotlin",
            """\
data class A(val x: Int)

fun A.twice(): Int {
    return x * 2
}
""",
            [(1, "A", 1, 1), (1, "twice", 3, 5)],
        ),
        (
            "swift",
            """\
struct A {
    init(x: Int) {
        go()
    }
    func go() -> Int {
        1
    }
}
""",
            [(1, "A", 1, 8), (2, "init", 2, 4), (2, "go", 5, 7)],
        ),
        (
            "haskell",
            """\
module A where

data T = T Int

-- | Twice.
twice :: Int -> Int
twice 0 = 0
twice n = n * 2

main :: IO ()
main = pure ()
""",
            [(1, "T", 3, 3), (1, "twice", 5, 8), (1, "main", 10, 11)],
        ),
        (
            "lua",
            """\
local M = {}

function M.go(x)
  if x then
    return x
  end
end

return M
""",
            [(1, "M.go", 3, 7)],
        ),
        (
            "sql",
            """\
CREATE TABLE IF NOT EXISTS a (
  x int
);

-- Faster.
create unique index b on a (x);
""",
            [(1, "a", 1, 3), (1, "b", 5, 6)],
        ),
        (
            "toml",
            """\
[a]
x = 1

[[b.c]]
y = 2
""",
            [(1, "a", 1, 2), (1, "b.c", 4, 5)],
        ),
        (
            "yaml",
            """\
name: x
on:
  push:
    a: 1
jobs:
- one
- two
""",
            [(1, "name", 1, 1), (1, "on", 2, 4), (1, "jobs", 5, 7)],
        ),
        (
            "r",
            """\
f <- function(x) x
# Halves.
g = function(y) {
  y / 2
}
""",
            [(1, "f", 1, 1), (1, "g", 2, 5)],
        ),
        (
            "make",
            """\
CC := gcc

all: a b
\tgcc $@

a:
\ttouch a
""",
            [(1, "all", 3, 4), (1, "a", 6, 7)],
        ),
    ],
)
def test_definitions_of_ordinary_code(language, source, expected):
    document = parse_code(source, name="x", language=language)

    assert outline(document) == expected
    assert document.language == language


def test_borders_stand_at_line_starts_before_blocks_and_after_blank_lines():
    source = "x = 1\n\n\ny = 2\ndef f():\n    a = 1\n    class B: ...\n"

    assert [source[at:].split("\n")[0] for at in soft_borders(source, "python")] == [
        "y = 2",
        "def f():",
        "    class B: ...",
    ]


def test_a_language_unknown_to_langchain_still_has_borders_after_blank_lines():
    assert soft_borders("a\n\nb\n \nc\n", "vhdl") == [3, 7]


def test_deep_nesting_hides_nothing_behind_it():
    source = "x = " + "(" * 5000 + ")" * 5000 + "\n\n\ndef after():\n    return 1\n"

    document = parse_code(source, name="deep.py", language="python")

    assert document.text == source
    assert [section.title for section in document.sections] == ["after"]


def test_deeply_nested_blocks_do_not_recurse():
    depth = 900
    source = "class A {\n" * depth + "}\n" * depth

    document = parse_code(source, name="deep.java", language="java")

    assert len(document.sections) == depth
    assert document.sections[-1].level == depth


def test_a_very_long_line_takes_no_time():
    source = "function f(" + "a(b) c:" * 200_000 + "\n"

    assert parse_code(source, name="min.js", language="javascript").sections == ()


LINES = st.lists(
    st.sampled_from(
        [
            "def f(x):",
            "class A {",
            "}",
            "end",
            "  x = 1",
            "",
            "\tfn a() {",
            "# c",
            "public:",
            "{",
            "\f",
        ]
    ),
    max_size=30,
)


@settings(max_examples=200, deadline=None)
@given(lines=LINES, language=st.sampled_from(["python", "java", "cpp", "rust", "ruby", "haskell"]))
def test_no_text_is_lost_and_offsets_are_line_starts(lines, language):
    source = "\n".join(lines)

    document = parse_code(source, name="x", language=language)

    assert document.text == source
    starts = set(document.unit_starts)
    assert {section.start for section in document.sections} <= starts
    assert {section.end for section in document.sections} <= starts | {len(source)}
    assert set(document.breaks) | set(document.borders) <= starts - {0}
    assert all(section.start < section.end for section in document.sections)
    assert list(document.breaks) == sorted(set(document.breaks))
