"""Which format a text is in."""

import pytest

from indexer.parsing.text_formats import text_format


@pytest.mark.parametrize(
    ("name", "head", "format_"),
    [
        ("a.MD", "", "markdown"),
        ("a.rst", "", "restructuredtext"),
        ("index.rst.txt", "", "restructuredtext"),
        ("a.tex", "", "latex"),
        ("a.adoc", "", "asciidoc"),
        ("a.org", "", "org"),
        ("a.tsv", "", "csv"),
        ("a.txt", "", None),
        ("notes.2023", "Words.\n", None),
        ("a.txt", "% comment\n\n  \\documentclass[a4]{article}\n", "latex"),
        ("a.txt", "The command \\documentclass comes first.\n", None),
        ("ls.1", '.\\" c\n.TH LS 1\n', "man"),
        ("ls.1", '.\\" c\n.\n.de x\n..\n\'\\" t\n.Dd May 1\n', "man"),
        ("x.log.1", "...\n1 .TH is no heading here\n", None),
        ("README", "# Title\n\nwords\n\n## Part\n\nmore\n", "markdown"),
        ("hosts", "# a comment\n# another\n## more\n\n127.0.0.1\n", None),
        ("README", "= Title\nwords\n\n== Part\n", "asciidoc"),
        ("README", "= Title\nwords\n\n", None),
        ("notes", "# -*- org -*-\n#+TITLE: x\n", "org"),
        ("README", "Title\n=====\n\n.. note::\n\n   x\n", "restructuredtext"),
        ("README", "Title\n=====\n\n.. and so on\n...\n", None),
    ],
)
def test_the_suffix_tells_then_the_first_lines(name, head, format_):
    assert text_format(name, head) == format_


@pytest.mark.parametrize("head", ["%" * 8192, "%\n" * 4096, "\n" * 8192, "= " * 4096, "#\n" * 4096])
def test_no_beginning_takes_long(head):
    assert text_format("a", head) is None
