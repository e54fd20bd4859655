"""How each kind of paragraph looks; one family of built-in fonts for each document."""

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle

INK, RULE, TINT = HexColor("#1c2733"), HexColor("#8a98a5"), HexColor("#eef2f5")


def paragraph_styles(family: str) -> dict[str, ParagraphStyle]:
    """Styles by name for the family "Times" or "Helvetica"."""
    serif = family == "Times"
    plain, bold, italic = (
        ("Times-Roman", "Times-Bold", "Times-Italic")
        if serif
        else ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique")
    )
    size, leading = (11, 15.5) if serif else (10, 15)

    def style(name: str, size: float, leading: float, font: str = plain, **more: object):
        return ParagraphStyle(name, fontName=font, fontSize=size, leading=leading, textColor=INK,
                              **more)  # fmt: skip

    paragraph = {"alignment": TA_JUSTIFY, "spaceAfter": 6, "allowWidows": 0, "allowOrphans": 0}
    small = size - 1.5
    all_styles = [
        style("title", 25, 30, "Helvetica-Bold", spaceAfter=12),
        style("subtitle", 13, 18, italic),
        style("cover", 11, 15),
        style("chapter", 18, 23, "Helvetica-Bold", spaceAfter=14),
        style("section", 12, 16, "Helvetica-Bold", spaceBefore=10, spaceAfter=5),
        style("heading", 10.5, 14, bold, spaceBefore=5, spaceAfter=2),
        style("body", size, leading, **paragraph),
        style("narrow", size - 1, leading - 2, **paragraph),
        style("note", size - 0.5, leading - 1, spaceBefore=4, spaceAfter=10, leftIndent=8,
              rightIndent=8, borderPadding=6, backColor=TINT, borderColor=RULE, borderWidth=0.5),
        style("caption", small, leading - 3, italic, spaceBefore=4, spaceAfter=10),
        style("table-title", small, leading - 3, bold, spaceBefore=6, spaceAfter=4),
        style("cell", small, leading - 3.5),
        style("head", small, leading - 3.5, bold),
        style("contents-chapter", 10.5, 15, bold, spaceBefore=4),
        style("contents", 10, 13, leftIndent=14),
    ]  # fmt: skip
    return {s.name: s for s in all_styles}
