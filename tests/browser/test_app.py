"""What only a real browser shows: moves without a reload, boxes in place, inert hostile text."""

import re

import pytest

pytestmark = pytest.mark.browser


def is_where(page, pattern):
    page.wait_for_url(re.compile(pattern))


def test_from_the_question_to_the_place_and_back(open_page):
    page = open_page("")
    page.get_by_text("4 documents").wait_for()
    page.evaluate("window.sameTab = true")

    box = page.get_by_placeholder("Search 4 documents")
    box.fill("cellar pump")
    box.press("Enter")
    page.locator(".hit mark", has_text="cellar").first.wait_for()
    is_where(page, r"/\?q=cellar\+pump$")

    page.locator(".hit", has_text="Manual of the water works").locator(".passage").first.click()
    page.get_by_alt_text("Page 2 of Manual of the water works").wait_for()
    is_where(page, r"/document\?q=cellar\+pump&doc=\w+&at=\d+-\d+$")
    assert page.evaluate("window.sameTab"), "the click loaded the whole app anew"

    page.go_back()
    page.locator(".hit mark").first.wait_for()
    assert box.input_value() == "cellar pump"
    page.go_back()
    page.get_by_text("Ask in your own words").wait_for()
    assert box.input_value() == ""


def test_box_lies_on_the_passage(open_page):
    page = open_page("?q=cellar+pump")
    page.locator(".hit a", has_text="Manual of the water works").first.click()
    sheet = page.locator(".sheet")
    sheet.wait_for()
    page.locator(".box").first.wait_for()

    # The lines were drawn 75 and 95 points below the top of a page of 595 points.
    paper = sheet.bounding_box()
    boxes = [box.bounding_box() for box in page.locator(".box").all()]
    middles = [(box["y"] + box["height"] / 2 - paper["y"]) / paper["height"] for box in boxes]

    assert any(0.15 < middle < 0.18 for middle in middles)  # 500 of 595 from below: 0.16
    assert all(paper["x"] < box["x"] < paper["x"] + paper["width"] for box in boxes)


def test_reload_shows_the_same(open_page):
    page = open_page("?q=brass+valve")
    page.locator(".hit .passage").first.click()
    page.locator(".sheet .box").first.wait_for()
    url, place = page.url, page.locator(".side .passage[aria-current]").inner_text()

    page.reload()
    page.locator(".sheet .box").first.wait_for()

    assert page.url == url
    assert page.locator(".side .passage[aria-current]").inner_text() == place
    assert page.get_by_placeholder("Search in this document").input_value() == "brass valve"


def test_filters_live_in_the_question_and_the_address(open_page):
    page = open_page("?q=water")
    page.locator(".facets a", has_text="PDF").wait_for()
    page.evaluate("window.sameTab = true")
    page.locator(".facets a", has_text="PDF").click()

    is_where(page, r"\?q=water\+type%3Apdf$")
    page.locator(".conditions a", has_text="type:pdf").wait_for()
    box = page.get_by_placeholder("Search 4 documents")
    assert box.input_value() == "water type:pdf"
    assert page.locator(".hit").count() == 1
    page.locator(".conditions a").first.click()
    is_where(page, r"\?q=water$")
    page.locator(".hit").nth(3).wait_for()
    assert page.evaluate("window.sameTab"), "a click loaded the whole app anew"


def test_why_and_more_like_this(open_page):
    page = open_page("?q=cellar+pump")
    card = page.locator(".hit", has_text="Manual of the water works")
    card.locator(".why summary").click()
    assert card.get_by_text("Whole document by words").is_visible()

    card.get_by_text("More like this").click()
    is_where(page, r"\?like=[0-9a-f]+$")
    page.locator("h1.like").wait_for()
    assert page.locator(".hit").count() == 3
    page.locator(".hit .passage").first.click()
    page.get_by_text("← Results").click()
    is_where(page, r"\?like=[0-9a-f]+$")


def test_heat_strip_leads_to_its_places(open_page):
    page = open_page("?q=cellar+pump")
    strip = page.locator(".hit", has_text="Manual of the water works").locator(".strip")
    strip.locator("i").last.click()

    page.get_by_alt_text(re.compile("Page 3 of")).wait_for()
    is_where(page, r"/document\?.*at=\d+-\d+$")


def test_code_opens_with_the_lines_in_view(open_page):
    page = open_page("?q=time+of+low+water")
    page.locator(".hit", has_text="tide.py").locator(".passage").first.click()

    row = page.locator(".row.in", has_text="low").first
    row.wait_for()
    assert row.get_attribute("data-n") in {"9", "10", "11"}
    assert row.is_visible()


@pytest.mark.parametrize("path", ["", "?q=cellar+pump", "?q=basilisk+type:markdown", "library"])
def test_narrow_screens_do_not_scroll_sideways(open_page, path):
    page = open_page(path, width=390)
    page.locator(".hit, .welcome, .files").first.wait_for()

    assert page.evaluate(
        "() => [document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".every(part => part.scrollWidth <= part.clientWidth)"
    )


def test_narrow_document_does_not_scroll_sideways(open_page):
    page = open_page("?q=cellar+pump", width=390)
    page.locator(".hit .passage").first.click()
    page.locator(".sheet").wait_for()

    assert page.evaluate(
        "() => document.querySelector('[data-testid=stMain]')"
        ".scrollWidth <= document.documentElement.clientWidth"
    )


def test_hostile_text_is_inert(open_page):
    page = open_page("?q=basilisk")
    hit = page.locator(".hit", has=page.locator("mark", has_text="basilisk"))
    hit.wait_for()

    assert "Title <script>window.pwned=1</script> $x$ :smile: bold" in hit.inner_text()
    assert "costs $5 to $10, <b>x</b>, `# y`," in hit.inner_text()
    assert "evil <img src=x onerror=window.pwned=1> $a$ :smile:.md" in hit.inner_text()
    hit.locator(".passage").first.click()
    page.locator(".lines").wait_for()
    page.wait_for_timeout(300)

    assert (
        "# Title <script>window.pwned=1</script> $x$ :smile:" in page.locator(".lines").inner_text()
    )
    assert page.evaluate("window.pwned") is None
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("dark", [False, True])
def test_text_is_easy_to_read(open_page, dark):
    """This test ensures a contrast of 4.5 : 1 (WCAG AA) for quiet text, links and marks."""
    page = open_page("?q=cellar+pump", dark=dark)
    page.locator(".hit mark").first.wait_for()

    for selector in (
        ".summary",
        ".where",
        ".section",
        ".score",
        ".head a",
        ".hit mark",
        ".axis",
        ".facets a",
        ".why",
    ):
        found = page.locator(f"{selector}").first
        if found.count():
            assert found.evaluate(CONTRAST) >= 4.5, selector


# Relative luminance as in WCAG 2; the background is that of the nearest painted ancestor.
CONTRAST = """
element => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = color => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  let at = element, back = [0, 0, 0, 0];
  while (at && back[3] < 255) {
    back = rgb(getComputedStyle(at).backgroundColor);
    at = at.parentElement || (at.getRootNode() && at.getRootNode().host);
  }
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const [a, b] = [light(rgb(getComputedStyle(element).color)), light(back)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}
"""
