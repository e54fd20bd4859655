"""Headings of AsciiDoc, Org and manual pages."""

from indexer.documents import unit_at
from indexer.parsing.heading_rules import parse_ruled

ASCIIDOC = """\
= The *Tide* Book
:author: nobody

== One [[anchor]]
----
== shown
....
----
=== Two `code` ===
==no space
"""
ORG = """\
#+TITLE: Tides
* TODO [#A] First [[https://x][link]]   :tag:other:
text
** *Second* =code=
*bold* is no heading
* DONE
"""
MAN = """\
'\\" t
.\\" a comment
.TH TIDE 1 2023\\-02\\-05 "Sea manual"
.SH NAME
tide \\- tells the tide
.SS "Two words"
.SH
Next \\fBline\\fP
"""
MDOC = ".Dd May 1\n.Dt TIDE 8\n.Os\n.Sh NAME\n.Ss Sub part\n"


def sections(document):
    starts = document.unit_starts
    return [(s.level, s.title, unit_at(starts, s.start)) for s in document.sections]


def test_asciidoc():
    document = parse_ruled(ASCIIDOC, name="a.adoc", format_="asciidoc")

    assert sections(document) == [(1, "The Tide Book", 1), (2, "One", 4), (3, "Two code", 9)]
    assert document.title == "The Tide Book"
    assert document.text == ASCIIDOC


def test_asciidoc_with_underlined_titles():
    document = parse_ruled("Book\n====\n\nPart\n----\nx\n", name="a.adoc", format_="asciidoc")

    assert sections(document) == [(1, "Book", 1), (2, "Part", 4)]


def test_org():
    document = parse_ruled(ORG, name="a.org", format_="org")

    assert sections(document) == [(1, "First link", 2), (2, "Second code", 4), (1, "DONE", 6)]
    assert document.title == "Tides"


def test_manual_pages():
    document = parse_ruled(MAN, name="tide.1", format_="man")

    assert sections(document) == [(1, "NAME", 4), (2, "Two words", 6), (1, "Next line", 7)]
    assert document.title == "TIDE(1)"
    mdoc = parse_ruled(MDOC, name="tide.8", format_="man")
    assert sections(mdoc) == [(1, "NAME", 4), (2, "Sub part", 5)]
    assert mdoc.title == "TIDE(8)"


def test_no_heading_is_no_title():
    for format_ in ("asciidoc", "org", "man"):
        document = parse_ruled(".TH\nwords\n", name="a", format_=format_)
        assert (document.title, document.sections) == ("a", ())
