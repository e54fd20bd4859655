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


def test_python_that_does_not_parse_is_read_by_its_lines():
    broken = PYTHON + "\ndef broken(:\n    pass\n"

    document = parse_code(broken, name="box.py", language="python")

    assert document.metadata["syntax"] == "not parsed"
    assert [s.title for s in document.sections] == ["Box", "width", "inner", "run", "broken"]
    assert document.text == broken


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        (
            "javascript",
            "import x from 'x'\n\n/** Doc. */\nexport function f(a) {\n  if (a) {\n    g()\n  }\n}\n\n"
            "const h = async (x) => {\n  return x\n}\n\nclass A {\n  m(x) {\n    return x\n  }\n}\n",
            [(1, "f", 3, 8), (1, "h", 10, 12), (1, "A", 14, 18), (2, "m", 15, 17)],
        ),
        (
            "typescript",
            "export interface P {\n  a: string\n}\n\ntype Q = { a: 1 }\n\n"
            "abstract class R {\n  private async go(x: number): Promise<void> {\n    x\n  }\n}\n",
            [(1, "P", 1, 3), (1, "Q", 5, 5), (1, "R", 7, 11), (2, "go", 8, 10)],
        ),
        (
            "java",
            "package a;\n\n@Deprecated\npublic class A {\n    private int x = f(1);\n\n"
            "    public A(int x) {\n        this.x = x;\n    }\n\n    @Override\n"
            "    public List<String> g(int a,\n                          int b) {\n"
            "        if (a > b) {\n            return h(a);\n        }\n    }\n}\n",
            [(1, "A", 3, 18), (2, "A", 7, 9), (2, "g", 11, 17)],
        ),
        (
            "c",
            "#include <a.h>\n\nint f(int);\n\nstruct point {\n    int x;\n};\n\n/* Adds. */\nstatic int\n"
            "add(int a, int b)\n{\n    if (a)\n        return b;\n#ifdef X\n    a++;\n#endif\nout:\n"
            "    return a + b;\n}\n\nint main(void) {\n    return 0;\n}\n",
            [(1, "point", 5, 7), (1, "add", 11, 20), (1, "main", 22, 24)],
        ),
        (
            "cpp",
            "namespace a {\n\ntemplate <typename T>\nclass Box : public Base {\n public:\n"
            "  explicit Box(int x) : x_(x) {}\n  int size() const { return x_; }\n"
            "  void walk() {\n    log(x_,\n        y_);\n  }\n};\n\n}  // namespace a\n\n"
            "int Box::other(int y) {\n  return y;\n}\n",
            [
                (1, "Box", 3, 12),
                (2, "Box", 6, 6),
                (2, "size", 7, 7),
                (2, "walk", 8, 11),
                (1, "Box::other", 16, 18),
            ],
        ),
        (
            "go",
            "package a\n\n// Box holds.\ntype Box struct {\n\tx int\n}\n\n"
            "func (b *Box) Size() int {\n\treturn b.x\n}\n\nfunc main() { run() }\n",
            [(1, "Box", 3, 6), (1, "Size", 8, 10), (1, "main", 12, 12)],
        ),
        (
            "rust",
            "use a;\n\n/// Doc.\n#[derive(Debug)]\npub struct Box {\n    x: i32,\n}\n\nimpl Box {\n"
            "    pub fn size(\n        &self,\n    ) -> i32 {\n        self.x\n    }\n}\n\nfn main() {\n}\n",
            [(1, "Box", 3, 7), (1, "impl Box", 9, 15), (2, "size", 10, 14), (1, "main", 17, 18)],
        ),
        (
            "ruby",
            "module A\n  class B < C\n    # Says.\n    def say?(x)\n      puts x if x\n    end\n  end\nend\n",
            [(1, "A", 1, 8), (2, "B", 2, 7), (3, "say?", 3, 6)],
        ),
        (
            "shell",
            "#!/bin/sh\nset -e\n\n# Usage.\nusage() {\n  echo x\n}\n\nfunction go {\n  usage\n}\ngo\n",
            [(1, "usage", 4, 7), (1, "go", 9, 11)],
        ),
        (
            "csharp",
            "namespace N\n{\n    public class A\n    {\n        public async Task<int> Go(int x)\n"
            "        {\n            return x;\n        }\n    }\n}\n",
            [(1, "N", 1, 10), (2, "A", 3, 9), (3, "Go", 5, 8)],
        ),
        (
            "php",
            "<?php\nclass A\n{\n    public static function go($x)\n    {\n        return $x;\n    }\n}\n",
            [(1, "A", 2, 8), (2, "go", 4, 7)],
        ),
        (
            "kotlin",
            "data class A(val x: Int)\n\nfun A.twice(): Int {\n    return x * 2\n}\n",
            [(1, "A", 1, 1), (1, "A.twice", 3, 5)],
        ),
        (
            "swift",
            "struct A {\n    init(x: Int) {\n        go()\n    }\n    func go() -> Int {\n        1\n    }\n}\n",
            [(1, "A", 1, 8), (2, "init", 2, 4), (2, "go", 5, 7)],
        ),
        (
            "haskell",
            "module A where\n\ndata T = T Int\n\n-- | Twice.\ntwice :: Int -> Int\ntwice 0 = 0\n"
            "twice n = n * 2\n\nmain :: IO ()\nmain = pure ()\n",
            [(1, "T", 3, 3), (1, "twice", 5, 8), (1, "main", 10, 11)],
        ),
        (
            "lua",
            "local M = {}\n\nfunction M.go(x)\n  if x then\n    return x\n  end\nend\n\nreturn M\n",
            [(1, "M.go", 3, 7)],
        ),
        (
            "sql",
            "CREATE TABLE IF NOT EXISTS a (\n  x int\n);\n\n-- Faster.\ncreate unique index b on a (x);\n",
            [(1, "a", 1, 3), (1, "b", 5, 6)],
        ),
        ("toml", "[a]\nx = 1\n\n[[b.c]]\ny = 2\n", [(1, "a", 1, 2), (1, "b.c", 4, 5)]),
        (
            "yaml",
            "name: x\non:\n  push:\n    a: 1\njobs:\n- one\n- two\n",
            [(1, "name", 1, 1), (1, "on", 2, 4), (1, "jobs", 5, 7)],
        ),
        (
            "make",
            "CC := gcc\n\nall: a b\n\tgcc $@\n\na:\n\ttouch a\n",
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


def test_deep_nesting_falls_back_to_lines():
    source = "x = " + "(" * 5000 + ")" * 5000 + "\n\n\ndef after():\n    return 1\n"

    document = parse_code(source, name="deep.py", language="python")

    assert document.text == source
    assert [section.title for section in document.sections] == ["after"]


def test_deeply_nested_blocks_do_not_recurse():
    depth = 900
    source = "".join(" " * i + "class A {\n" for i in range(depth))

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
