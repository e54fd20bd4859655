"""Files for the tests of the app: a manual in PDF, a program, and text that means harm."""

from pathlib import Path

from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

HOSTILE_NAME = "evil <img src=x onerror=window.pwned=1> $a$ :smile:.md"
HOSTILE = (
    "# Title <script>window.pwned=1</script> $x$ :smile: **bold**\n\n"
    "A basilisk costs $5 to $10, <b>x</b>, `# y`, [a](javascript:window.pwned=1) :tada:\n"
    '<img src=x onerror="window.pwned=1"></div></article><style>*{display:none}</style>\n'
)
PROGRAM = '''"""Tide tables."""


def high_water(day):
    """Time of high water on a day, in minutes."""
    return day * 50 % 745


def low_water(day):
    """Time of low water on a day."""
    return high_water(day) + 372
'''
PAGES = (
    ("Contents", "1 Pumps", "2 Valves"),
    ("1 Pumps", "The cellar pump was replaced in March.", "Its seal had worn out."),
    ("2 Valves", "A brass valve closes the inlet.", "Turn the valve by hand."),
)


def write_manual(path: Path) -> None:
    """Three pages, printed i, 1 and 2, with an outline."""
    canvas = Canvas(str(path), pagesize=A5, invariant=True)
    canvas.setTitle("Manual of the water works")
    for number, lines in enumerate(PAGES):
        for row, line in enumerate(lines):
            canvas.drawString(50, 520 - 20 * row, line)
        if number:
            canvas.bookmarkPage(lines[0])
            canvas.addOutlineEntry(lines[0], lines[0], 0)
        canvas.showPage()
    canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
    canvas.addPageLabel(1, style="ARABIC", start=1)
    canvas.save()


def write_collection(folder: Path) -> None:
    """A PDF with a copy, a program, hostile Markdown, a web page, and files that fail."""
    folder.mkdir(parents=True)
    write_manual(folder / "manual.pdf")
    (folder / "manual-copy.pdf").write_bytes((folder / "manual.pdf").read_bytes())
    (folder / "tide.py").write_text(PROGRAM, encoding="utf-8")
    (folder / HOSTILE_NAME).write_text(HOSTILE, encoding="utf-8")
    (folder / "bakery.html").write_text(
        "<title>Bakery</title><h1>Bread</h1><p>Rye bread on Fridays.</p>"
        "<h2>Cakes</h2><p>Plum cake in autumn.</p>",
        encoding="utf-8",
    )
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nthis is the end")
    (folder / "empty.txt").write_bytes(b"")
