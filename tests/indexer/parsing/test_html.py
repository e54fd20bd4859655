"""HTML to text."""

import time

import pytest

from indexer.documents import spoken_text
from indexer.parsing.html import decode_html, parse_html

PAGE = """<!doctype html><html><head><title>Tides &amp; tables</title><style>b{}</style></head>
<body><nav>menu</nav><header>chrome</header><main>
<h1>One <b>two</b></h1><p>Hello   <i>wor</i>ld &lt;b&gt;<br>next
<pre>
  a
    b

c</pre><ul><li>x<li>y</ul>
<table><tr><th>k</th><td>v</td></tr></table>
<article><header><h2>Sub&#0;head</h2></header>text<script>no()</script></article>
</main><footer>imprint</footer></body></html>"""


def test_visible_text_in_lines():
    document = parse_html(PAGE, name="a.html")

    assert document.text.split("\n") == [
        "One two",
        "",
        "Hello world <b>",
        "next",
        "",
        "  a",
        "    b",
        "",
        "c",
        "",
        "x",
        "y",
        "",
        "k\tv",
        "",
        "Sub\ufffdhead",
        "",
        "text",
        "",
    ]
    assert document.title == "Tides & tables"


def test_headings_are_sections_and_units():
    document = parse_html("<p>before</p><h2>A</h2><p>a</p><h3>B</h3><p>b</p>", name="a.html")

    assert document.unit == "section"
    assert [document.text[s.start : s.end].split() for s in document.sections] == [
        ["A", "a", "B", "b"],
        ["B", "b"],
    ]
    assert [document.text[start:].split("\n")[0] for start in document.unit_starts] == [
        "before",
        "A",
        "B",
    ]
    assert document.title == "A"


def test_a_page_that_is_all_chrome_keeps_it():
    assert parse_html("<header>only this</header>", name="a.html").text == "only this\n"
    assert parse_html("<header><h1>Title</h1></header><p>x", name="a").sections[0].title == "Title"


def test_entities_cannot_smuggle_in_what_cleaning_took_out():
    document = parse_html("<p>a&#1;b&#13;c&#xd800;d e&#x301;", name="a.html")

    assert document.text == "ab c\ufffdd é\n"


def test_no_heading_and_no_text():
    assert parse_html("", name="a.html").unit_starts == (0,)
    assert parse_html("<p>x", name="page.html").title == "page"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('<meta charset="euc-jp"><p>日本'.encode("euc-jp"), "日本\n"),
        (
            b'<meta http-equiv=Content-Type content="text/html; charset=windows-1251">'
            b"<p>\xec\xe8\xf0",
            "мир\n",
        ),
        ("<p>größe".encode("utf-16"), "größe\n"),
        (b"<p>caf\xe9", "café\n"),
    ],
)
def test_charsets(data, text):
    assert parse_html(decode_html(data).text, name="a").text == text


def test_deep_nesting_is_walked_without_recursion():
    depth = 5000
    document = parse_html("<div>" * depth + "deep" + "</div>" * depth, name="a.html")

    assert document.text == "deep\n"


def text_of(body: str) -> list[str]:
    return [line for line in parse_html(body, name="a.html").text.split("\n") if line]


def test_a_button_that_is_a_whole_heading_is_one():
    """The questions of an accordion."""
    page = "<main><h2><span><button>How do I reset it?</button></span></h2><p>So.</p>"
    page += "<dl><dt><button>Term</button></dt><dd>x</dd></dl>"
    page += "<h3>Words <button>Copy</button></h3><button>Share</button></main>"

    assert text_of(page) == ["How do I reset it?", "So.", "Term", "x", "Words"]
    titles = [section.title for section in parse_html(page, name="a").sections]
    assert titles == ["How do I reset it?", "Words"]


def test_formulas_and_labels_of_drawings_are_text():
    math = "<math><semantics><mi>E</mi><mo>=</mo><mi>m</mi><annotation>E=m</annotation></math>"
    katex = f'<span class="katex-mathml">{math}</span><span class="katex-html">E=m</span>'
    svg = "<svg><title>Chevron</title><text>Main <tspan>pump</tspan></text><text>Valve</text></svg>"

    assert text_of(f"<p>Here {math}.</p>") == ["Here E=m."]
    assert text_of(f"<p>Here {katex}.</p>") == ["Here E=m."]
    assert text_of(f"<p>x</p><div>{svg}</div>") == ["x", "Main pump \tValve"]


POSTS = "".join(
    f"<div><header><h2>Title {n}</h2></header><p>Text {n}.</p><footer>By {n}</footer></div>"
    for n in "ab"
)
PARTS = "Title a|Text a.|By a|Title b|Text b.|By b".split("|")


@pytest.mark.parametrize(
    "frame",
    [
        "<body>{}</body>",
        "<body><a href='#x'>Skip</a><div><header>Site</header>{}<footer>Imprint</footer></div>",
        "<div id=app><div><div><header>Site</header></div><div>{}</div></div></div><div></div>",
        "<header>Site</header><div role=main>{}</div><footer><h2>Links</h2></footer>",
        "<script></script><nav>Menu</nav><header>Site</header><script></script>{}",
    ],
)
def test_the_head_and_foot_of_a_page_are_dropped_and_those_of_its_parts_kept(frame):
    lines = text_of(frame.format(POSTS))

    assert [line for line in lines if line != "Skip"] == PARTS


def test_a_banner_beside_the_page_makes_its_head_and_foot_no_parts_of_it():
    page = "<div><header>Site</header><p>Words.</p><footer>Imprint</footer></div>"

    assert text_of(f"{page}<div><p>We use cookies.</p></div>") == ["Words.", "We use cookies."]


def test_headers_of_what_is_no_page_are_its_own():
    chapter = "<header><h2>One</h2></header><nav>Menu</nav><p>x</p><footer><p>Note</p></footer>"

    assert parse_html(chapter, name="a", is_page=False).text == "One\n\nx\n\nNote\n"
    assert parse_html(chapter, name="a").text == "x\n"


@pytest.mark.parametrize("rp", ["", "<rp>(</rp>"])
def test_readings_stand_once_behind_the_word_they_would_tear_apart(rp):
    ruby = f"<ruby>漢{rp}<rt>かん</rt>\n 字{rp}<rt>じ</rt></ruby>"

    assert text_of(f"<p>この{ruby}を<ruby>読</ruby>む") == ["この漢字(かんじ)を読む"]
    assert text_of("<ruby>New <b>York</b><rt>ny") == ["New York(ny)"]


MENUS = """<body><div class="a" role="navigation"><h3>Navigation</h3><a href="/">home</a></div>
<table class="navheader"><tr><td>Part II. The language <a href="n">next</a></table>
<div id="site-nav"><ul><li><a href="a">Alpha</a><li><a href="b">Beta</a></ul></div>
<h1>Words<a class="headerlink" href="#words">¶</a></h1>
<div class="sidebar">A box that is set apart, with many words and <a href="x">one link</a>.</div>
<div class="toctree"><ul><li><a href="c">Contents</a></ul></div>
<p>See <a href="#1">#1</a> and <a href="y">#</a>.</p>
</body>"""


def test_menus_are_shown_and_not_searched():
    document = parse_html(MENUS, name="a.html")

    shown = [" ".join(document.text[a:b].split()) for a, b in document.furniture]
    assert shown == ["Navigation home", "Part II. The language next", "Alpha Beta"]
    assert [section.title for section in document.sections] == ["Words"]
    assert (
        spoken_text(document).split()
        == (
            "Words A box that is set apart, with many words and one link. Contents See #1 and #."
        ).split()
    )


def test_a_page_of_nothing_but_menus_is_searched():
    links = "".join(f'<li><a href="{n}">entry {n}</a>' for n in range(20))
    document = parse_html(f'<div class="menu"><ul>{links}</ul></div><p>x', name="a.html")

    assert document.furniture == ()
    assert "entry 19" in document.text


def test_many_nested_menus_take_no_long_time():
    depth = 5000
    page = '<div class="nav">words <a href="x">a</a>' * depth + "</div>" * depth
    begin = time.process_time()

    assert parse_html(page, name="a.html").text.count("words") == depth
    assert time.process_time() - begin < 5


def test_elements_that_close_themselves_are_empty_in_xhtml_alone():
    body = "<body><p>one<br/>two</p><div class='a/b'/><a id=\"x>y\"/><p>three</p></body>"
    page = f'<html><head><title/><script src="x.js" /></head>{body}</html>'

    for text, name in ((page, "a.xhtml"), (f'<?xml version="1.0"?>\n{page}', "a.html")):
        assert parse_html(text, name=name).text == "one\ntwo\n\nthree\n"
    assert parse_html("<div/>one <i/>two", name="a.html").text == "one two\n"
