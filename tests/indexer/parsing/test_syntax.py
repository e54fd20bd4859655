"""Definitions by tree-sitter. Expected values are read off the snippets."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.parsing import grammars, syntax
from indexer.parsing.grammars import grammar_of
from indexer.parsing.syntax import characters_at, find_definitions

LANGUAGES = [*sorted(grammars._GRAMMARS.keys() - {"tsx"}), "tsx"]


def found(source, language, name="x"):
    """(kind, name, its text) of every definition."""
    grammar = grammar_of(language, name)
    return [(d.kind, d.name, source[d.start : d.end]) for d in find_definitions(source, grammar)]


def names(source, language, name="x"):
    return [f"{kind} {title}" for kind, title, _ in found(source, language, name)]


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        (
            "javascript",
            "A.prototype.go = function () {}\n"
            "module.exports.run = async (x) => x\n"
            "export default class B { go = () => 1; static #p() {} get q() { return 1 } }\n"
            "const C = class {}, d = function* () {}\n"
            "const o = { m() {}, 'n': () => 1, k: 2 }\n"
            "export const J = () => <div onClick={() => 1}>x</div>\n",
            "function A.prototype.go,function module.exports.run,class B,function go,function #p,"
            "function q,class C,function d,function m,function 'n',function J",
        ),
        (
            "typescript",
            "namespace N { export enum E { A } }\ndeclare module 'm' { function f(): void }\n"
            "abstract class A<T> { private go = (x: T) => x; abstract h(): void }\n",
            "module N,class E,module 'm',class A,function go",
        ),
        (
            "c",
            "typedef struct { int x; } point;\ntypedef struct node { int x; } node_t;\n"
            "union u { int a; };\nenum e { A };\nstruct used *f(struct used *p) { return p; }\n"
            "int (*pick(int a))(int) { return 0; }\n"
            "static const char **names(void) { return 0; }\n",
            "class point,class node,class u,class e,function f,function pick,function names",
        ),
        (
            "cpp",
            "namespace a::b { template <class T> struct Box { ~Box() {} "
            "bool operator==(const Box& o) const { return true; } "
            "operator bool() { return 1; } }; }\n"
            "template <> int &a::Box<int>::at(int i) { return x; }\nenum class E { A };\n",
            "module a::b,class Box,function ~Box,function operator==,function operator bool,"
            "function a::Box<int>::at,class E",
        ),
        (
            "objectivec",
            "@interface A : B\n- (void)go:(int)x with:(int)y;\n@end\n"
            "@implementation A\n+ (int)k { return 1; }\n@end\nint main(void) { return 0; }\n",
            "class A,function go,class A,function k,function main",
        ),
        (
            "rust",
            "impl<T> fmt::Display for Box<T> { fn fmt(&self) {} }\ntrait T { fn g(); }\n"
            "mod m { pub enum E {} }\nmacro_rules! mac { () => {} }\n",
            "class impl<T> fmt::Display for Box<T>,function fmt,class T,function g,module m,"
            "class E,function mac",
        ),
        (
            "go",
            "type (\n\tA struct{}\n\tI interface{ M() }\n\tn int\n)\n"
            "func (s *Stack[T]) Push(x T) {}\nfunc (A) M() {}\nfunc G[T any](x T) {}\n",
            "class A,class I,function Stack.Push,function A.M,function G",
        ),
        (
            "csharp",
            "namespace N;\npublic record R(int X);\nclass A { int P { get { return 1; } } "
            "int Q => 2; int S { get; set; } ~A() {} A() {} "
            "public static A operator +(A a, A b) => a; void F() { void G() {} } }\n",
            "module N,class R,class A,function P,function Q,function A,function A,function +,"
            "function F,function G",
        ),
        (
            "kotlin",
            "data class A(val x: Int) {\n constructor(y: Int): this(y)\n"
            " companion object {\n  fun k() {}\n }\n}\nobject O\nfun A.twice(): Int = 2\n"
            "interface I\n",
            "class A,function constructor,class companion object,function k,class O,"
            "function twice,class I",
        ),
        (
            "swift",
            "extension A: P { subscript(i: Int) -> Int { 1 } deinit {} init?(x: Int) {} }\n"
            "protocol P { func q() }\nenum E { case a }\nactor C {}\n",
            "class A,function subscript,function deinit,function init,class P,function q,class E,"
            "class C",
        ),
        (
            "scala",
            "object O { def f(x: Int) = x }\ncase class C(x: Int)\ntrait T { def g: Int }\n",
            "class O,function f,class C,class T,function g",
        ),
        (
            "java",
            "record R(int x) { R { } }\n@interface N {}\nenum E { A { void f() {} } }\n"
            "interface I { default int g() { return 1; } }\n",
            "class R,function R,class N,class E,function f,class I,function g",
        ),
        (
            "php",
            "<?php\nnamespace A\\B;\ninterface I { public function g(); }\ntrait T {}\n"
            "enum E: string { case A = 'a'; }\nfunction &f() {}\n",
            "class I,function g,class T,class E,function f",
        ),
        (
            "ruby",
            "class A::B < C\n def self.x\n end\n def y? = 1\nend\n",
            "class A::B,function x,function y?",
        ),
        (
            "lua",
            "function M:go() end\nlocal function h() end\nM.k = function() end\n"
            "local t = { f = function() end }\n",
            "function M:go,function h,function M.k,function f",
        ),
        (
            "sql",
            'create or replace view "v" as select 1;\ncreate function s.f(x int) returns int as '
            "$$ select 1 $$ language sql;\ncreate unique index b on a (x);\n",
            'class "v",function s.f,class b',
        ),
        (
            "dart",
            "class A { int go(int x) { return x; } int get y => 1; set z(int v) {} }\n"
            "int f(int x) => x;\nmixin M {}\nextension X on A { void h() {} }\nenum E { a }\n",
            "class A,function go,function y,function z,function f,class M,class X,function h,"
            "class E",
        ),
        (
            "haskell",
            "class C a where\n  m :: a\ninstance C Int where\n  m = 1\nnewtype N = N Int\n"
            "f 0 = 1\nf n = n\ng = 2\n",
            "class C,class instance C Int,class N,function f,function g",
        ),
        (
            "ocaml",
            "let rec f x = x\nand g y = y\nmodule M = struct\n  let h z = let k q = q in k z\nend\n"
            "type t = int\nclass c = object end\n",
            "function f,function g,module M,function h,function k,class t,class c",
        ),
        (
            "elixir",
            'defmodule A.B do\n  @doc "Says."\n  def go(x) when x > 1 do\n    x\n  end\n'
            "  defp k, do: 1\n  def m(y), do: y\nend\n",
            "class A.B,function go,function k,function m",
        ),
        (
            "perl",
            "package A;\nsub go { return 1; }\npackage B { sub h { } }\n",
            "function go,module B,function h",
        ),
        (
            "julia",
            "module M\nfunction Base.show(io::IO, x)\nend\nf(x) = x\nmacro m(x)\nend\n"
            "mutable struct S{T}\n x\nend\nabstract type T end\nend\n",
            "module M,function Base.show,function f,function m,class S{T},class T",
        ),
        (
            "zig",
            'const A = struct { x: u8, pub fn go() u8 { return 1; } };\ntest "t" {}\n',
            'class A,function go,function "t"',
        ),
    ],
)
def test_names_and_kinds(language, source, expected):
    assert names(source, language) == expected.split(",")


def test_tsx_has_a_grammar_of_its_own():
    source = "export const A = (p: P) => <b>{p.x}</b>\nclass B {}\n"

    assert names(source, "typescript", "a.tsx") == ["function A", "class B"]


def test_what_stands_right_above_belongs_to_a_definition():
    source = (
        "x = 1  # of x\n# apart\n\n# first\n# second\n@a(\n    1,\n)\n@b\ndef f():\n"
        "    # of g\n    def g(): ...\n"
    )

    assert found(source, "python") == [
        ("function", "f", source[source.index("# first") : -1]),
        ("function", "g", "# of g\n    def g(): ..."),
    ]


def test_a_comment_behind_a_statement_does_not_belong_to_the_next():
    source = (
        "int x; // of x\nint f() { return 1; } // of f\n/* of\n   g */\nint g() { return 1; }\n"
    )

    assert [text for *_, text in found(source, "c")] == [
        "int f() { return 1; }",
        "/* of\n   g */\nint g() { return 1; }",
    ]


def test_macros_before_names_do_not_hide_them():
    source = (
        "class TORCH_API Box final : public Base<Box> { int f() { return 1; } };\n"
        "struct C10_ALIGN(8) Cell { int x; };\nclass API Later;\n"
        "inline Vec ALWAYS_INLINE fmadd(int é) { return x; }\n"
    )

    assert [(name, text[:9]) for _, name, text in found(source, "cpp")] == [
        ("Box", "class TOR"),
        ("f", "int f() {"),
        ("Cell", "struct C1"),
        ("fmadd", "inline Ve"),
    ]


def test_a_macro_is_no_function():
    source = (
        "FOO_BEGIN\nint f(void) {\n  FOREACH(x) if (x) { y(); }\n}\n"
        "#if A\n}\n#endif\nint g() { return 1; }\n"
    )

    assert "if" not in [name for _, name, _ in found(source, "c")]
    assert names(source, "c")[-1] == "function g"


ODD = st.text(st.sampled_from("ab é漢😀\u0301\ufeff\f\t \r\u2028(){}'\"#/*\\\n"), max_size=30)


@settings(max_examples=150, deadline=None)
@given(st.lists(ODD, max_size=6))
def test_byte_offsets_become_character_offsets(parts):
    text, ends = "", []
    for part in parts:
        text += part
        ends.append(len(text))
    source = text.encode()
    offsets = {len(text[:end].encode()): end for end in ends}

    assert characters_at(source, list(offsets)) == offsets


@settings(max_examples=100, deadline=None)
@given(st.lists(ODD, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_offsets_are_exact_whatever_stands_before(parts, newline, mark):
    comments = ["# " + "".join(p.split("\n")).replace("\r", "") for p in parts]
    source = "\ufeff" * mark + newline.join([*comments, "", "def 漢(x): return '😀'", ""])

    assert found(source, "python") == [("function", "漢", "def 漢(x): return '😀'")]


@settings(max_examples=60, deadline=None)
@given(ODD, st.sampled_from(LANGUAGES))
def test_any_text_has_definitions_within_it(text, language):
    grammar = grammar_of(language, "a.tsx") if language == "tsx" else grammar_of(language, "a")

    for definition in find_definitions(text, grammar or grammar_of("typescript", "a.tsx")):
        assert 0 <= definition.start < definition.end <= len(text)
        assert definition.name


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_deep_nesting_neither_crashes_nor_hangs(language):
    grammar = grammar_of("typescript" if language == "tsx" else language, "a.tsx")
    depth = 10_000
    begun = time.thread_time()
    for source in (
        "class A {\n" * depth + "}\n" * depth,
        "x = " + "(" * depth + ")" * depth + ";\n",
        '"${' * depth,
        "".join(" " * i + "class A:\n" for i in range(300)),
        "x" * 5_000_000,
    ):
        find_definitions(source, grammar)
    assert time.thread_time() - begun < 5 * (syntax.LIMIT_S + 2)


def test_what_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(syntax, "LIMIT_S", -1.0)
    source = "def f(): pass\n" * 1000

    assert find_definitions(source, grammar_of("python", "a.py")) is None


def test_strings_nested_too_deeply_for_a_grammar_are_not_tried():
    assert find_definitions('"${' * 10_000, grammar_of("kotlin", "a.kt")) is None
    assert names('fun f() = "${g("${x}")}"\n' * 300, "kotlin") == ["function f"] * 300


def test_what_is_too_large_is_not_tried(monkeypatch):
    monkeypatch.setattr(syntax, "MAX_BYTES", 10)

    assert find_definitions("def f(): pass\n", grammar_of("python", "a.py")) is None
