"""Blocks of markup in, one PDF out: title page, contents, outline, page labels, running heads.

Everything that could differ between two runs is fixed: dates (``invariant``), no compression
(zlib builds differ in their output), fonts that every reader has built in.
"""

from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from figures import FIGURES
from hyphenation import hyphenate
from markup import Block, Source, inline
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Frame,
    KeepTogether,
    ListFlowable,
    ListItem,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from styles import INK, RULE, TINT, paragraph_styles

WIDTH, HEIGHT = A5
MARGIN_X, MARGIN_TOP, MARGIN_BOTTOM, GUTTER = 50, 62, 60, 16
TEXT_WIDTH = WIDTH - 2 * MARGIN_X
LABEL_STYLES = {"roman": "ROMAN_LOWER", "arabic": "ARABIC"}
PASSES = 3  # empty contents, contents of the right length, contents with the right labels


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the contents page."""

    level: int
    title: str
    label: str
    key: str


@dataclass(slots=True)
class Numbering:
    """Printed page numbers: ranges that each begin at 1 in a style of their own."""

    ranges: list[tuple[int, str]] = field(default_factory=list)  # physical page, style

    def label(self, page: int) -> str:
        first, style = max(r for r in self.ranges if r[0] <= page)
        number = page - first + 1
        if style == "roman":
            tens, ones = divmod(number, 10)
            return "x" * tens + ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[ones]
        return str(number) if style == "arabic" else f"{style}-{number}"


def set_pdf(source: Source, path: Path) -> None:
    """Write the PDF of a source."""
    contents: list[Entry] = []
    for _ in range(PASSES):
        template = _Template(path, source.fields)
        template.build(_story(source, template.styles, contents))
        contents = template.entries


class _Template(BaseDocTemplate):
    """Page frames, running heads and feet; collects outline and contents while pages are made."""

    def __init__(self, path: Path, fields: dict[str, str]) -> None:
        super().__init__(
            str(path), pagesize=A5, invariant=1, pageCompression=0,
            title=fields["title"], author=fields["author"], subject=fields["subject"],
            keywords=fields["keywords"], creator="data/make_samples.py", lang="en-GB",
        )  # fmt: skip
        self.fields, self.styles = fields, paragraph_styles(fields["font"])
        self.numbering, self.entries, self.chapter = Numbering(), [], ""
        height = HEIGHT - MARGIN_TOP - MARGIN_BOTTOM
        half = (TEXT_WIDTH - GUTTER) / 2
        bare = {"leftPadding": 0, "rightPadding": 0, "topPadding": 0, "bottomPadding": 0}
        one = Frame(MARGIN_X, MARGIN_BOTTOM, TEXT_WIDTH, height, **bare)
        left = Frame(MARGIN_X, MARGIN_BOTTOM, half, height, **bare)
        right = Frame(MARGIN_X + half + GUTTER, MARGIN_BOTTOM, half, height, **bare)
        self.addPageTemplates([
            PageTemplate("cover", [one], onPage=_draw_cover),
            PageTemplate("1", [one], onPageEnd=_draw_head_and_foot),
            PageTemplate("2", [left, right], onPageEnd=_draw_head_and_foot),
        ])  # fmt: skip


class _Heading(Paragraph):
    """A heading that tells page labels, outline and contents where it came to stand."""

    def __init__(
        self, text: str, style: ParagraphStyle, *, level: int | None = None, numbering: str = ""
    ) -> None:
        super().__init__(inline(text), style)
        self.title = text.replace("'", "\u2019")  # the outline knows no markup
        self.level, self.numbering = level, numbering

    def draw(self) -> None:
        super().draw()
        canvas, template = self.canv, self.canv._doctemplate
        page = canvas.getPageNumber()
        if self.numbering:
            template.numbering.ranges.append((page, self.numbering))
            style = LABEL_STYLES.get(self.numbering, "ARABIC")
            prefix = None if self.numbering in LABEL_STYLES else f"{self.numbering}-"
            canvas.addPageLabel(page - 1, style=style, start=1, prefix=prefix)
        if self.level is not None:
            key = f"place-{len(template.entries)}"
            canvas.bookmarkHorizontal(key, 0, self.height + 4)
            canvas.addOutlineEntry(self.title, key, level=self.level, closed=self.level == 0)
            label = template.numbering.label(page)
            template.entries.append(Entry(self.level, self.title, label, key))
            if self.level == 0:
                template.chapter = self.title


def _story(source: Source, styles: dict[str, ParagraphStyle], contents: list[Entry]) -> list:
    fields = source.fields
    story: list = [
        Spacer(0, 120),
        _Heading(fields["title"], styles["title"], numbering="roman"),
        Paragraph(inline(fields["subtitle"]), styles["subtitle"]),
        Spacer(0, 150),
        Paragraph(inline(fields["author"]), styles["cover"]),
        Paragraph(inline(fields["edition"]), styles["cover"]),
        NextPageTemplate("1"),
        PageBreak(),
        _Heading("Contents", styles["chapter"], level=0),
        *(_contents_line(entry, styles) for entry in contents),
    ]
    numbering, columns, chapter, section = "", 1, 0, 0
    counted = False  # front matter has no chapter numbers
    letter = ""  # of the annex, once there is one
    for block, following in zip_longest(source.blocks, source.blocks[1:]):
        if block.kind == "numbering":
            numbering = block.argument
            letter = numbering if numbering not in LABEL_STYLES else ""
        elif block.kind == "columns":
            columns = int(block.argument)
        elif block.kind == "chapter":
            story += [NextPageTemplate(str(columns)), PageBreak()]
            counted = counted or numbering == "arabic"
            chapter, section = chapter + counted, 0
            number = f"Annex {letter}" if letter else str(chapter) if counted else ""
            title = f"{number}  {block.lines[0]}" if number else block.lines[0]
            story += [_Heading(title, styles["chapter"], level=0, numbering=numbering)]
            numbering = ""
        elif block.kind == "section":
            section += 1
            before = letter or (str(chapter) if chapter else "")
            title = f"{before}.{section}  {block.lines[0]}" if before else block.lines[0]
            story += [CondPageBreak(_room(following)), _Heading(title, styles["section"], level=1)]
        else:
            story += _flow(block, styles, columns)
    return story


def _room(following: Block | None) -> float:
    """Points that must be free below a heading for it to stay on the page."""
    if following and following.kind == "figure":
        return 280
    rows = len(following.lines) if following and following.kind == "table" else 0
    return 80 + 22 * min(rows, 13)


def _contents_line(entry: Entry, styles: dict[str, ParagraphStyle]) -> Table:
    style = styles["contents" if entry.level else "contents-chapter"]
    link = f'<link href="#{entry.key}">{inline(entry.title)}</link>'
    right = ParagraphStyle("number", parent=style, alignment=TA_RIGHT, leftIndent=0)
    row = [[Paragraph(link, style), Paragraph(entry.label, right)]]
    table = Table(row, colWidths=[TEXT_WIDTH - 40, 40])
    table.setStyle(TableStyle([
        ("LEFTPADDING", (0, 0), (-1, -1), 0), ("RIGHTPADDING", (0, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 1), ("BOTTOMPADDING", (0, 0), (-1, -1), 0),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]))  # fmt: skip
    return table


def _flow(block: Block, styles: dict[str, ParagraphStyle], columns: int) -> list:
    body = styles["body" if columns == 1 else "narrow"]
    width = TEXT_WIDTH if columns == 1 else (TEXT_WIDTH - GUTTER) / 2
    if block.kind == "heading":
        return [CondPageBreak(60), Paragraph(inline(block.lines[0]), styles["heading"])]
    if block.kind in ("bullets", "steps"):
        marks = {"bulletType": "bullet", "start": "•"} if block.kind == "bullets" else {}
        items = [ListItem(_text(line, body), spaceAfter=0) for line in block.lines]
        return [ListFlowable(items, leftIndent=16, bulletFontSize=body.fontSize,
                             bulletFontName=body.fontName, bulletColor=INK, **marks)]  # fmt: skip
    if block.kind == "note":
        return [_text(block.lines[0], styles["note"])]
    if block.kind == "figure":
        name, _, caption = block.argument.partition(" | ")
        drawing = FIGURES[name](width)
        return [KeepTogether([Spacer(0, 6), drawing, _text(caption, styles["caption"])])]
    if block.kind == "table":
        return _table(block, styles, width)
    return [_text(block.lines[0], body)]


def _text(text: str, style: ParagraphStyle) -> Paragraph:
    return Paragraph(inline(hyphenate(text)), style)


def _table(block: Block, styles: dict[str, ParagraphStyle], width: float) -> list:
    shares, _, caption = block.argument.removeprefix("[").partition("] ")
    parts = [float(share) for share in shares.split(",")]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.lines]
    if any(len(row) != len(parts) for row in rows):
        raise ValueError(f"Table {caption!r}: a row has not {len(parts)} cells.")
    cells = [[_text(cell, styles["head" if n == 0 else "cell"]) for cell in row]
             for n, row in enumerate(rows)]  # fmt: skip
    table = Table(cells, colWidths=[width * p / sum(parts) for p in parts], repeatRows=1)
    table.setStyle(TableStyle([
        ("LINEABOVE", (0, 0), (-1, 0), 0.8, INK), ("LINEBELOW", (0, 0), (-1, 0), 0.5, INK),
        ("LINEBELOW", (0, -1), (-1, -1), 0.8, INK), ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("ROWBACKGROUNDS", (0, 1), (-1, -1), [None, TINT]),
        ("LEFTPADDING", (0, 0), (-1, -1), 3), ("RIGHTPADDING", (0, 0), (-1, -1), 3),
        ("TOPPADDING", (0, 0), (-1, -1), 2), ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
    ]))  # fmt: skip
    title = _text(caption, styles["table-title"])
    whole = [title, table, Spacer(0, 8)]
    return [KeepTogether(whole)] if len(rows) < 14 else [CondPageBreak(120), *whole]


def _draw_cover(canvas, template: _Template) -> None:
    canvas.setFillColor(HexColor(template.fields["colour"]))
    canvas.rect(0, HEIGHT - 92, WIDTH, 92, stroke=0, fill=1)
    canvas.rect(0, 0, WIDTH, 14, stroke=0, fill=1)


def _draw_head_and_foot(canvas, template: _Template) -> None:
    canvas.saveState()
    canvas.setFillColor(INK)
    canvas.setFont(template.styles["body"].fontName, 8.5)
    canvas.drawString(MARGIN_X, HEIGHT - 42, template.fields["short"])
    canvas.drawRightString(WIDTH - MARGIN_X, HEIGHT - 42, template.chapter)
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.4)
    canvas.line(MARGIN_X, HEIGHT - 48, WIDTH - MARGIN_X, HEIGHT - 48)
    label = template.numbering.label(canvas.getPageNumber())
    canvas.drawCentredString(WIDTH / 2, 36, label)
    canvas.restoreState()
