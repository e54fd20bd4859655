"""The vector drawings of the sample documents: each takes the width of the text."""

from collections.abc import Callable

from reportlab.graphics.shapes import Circle, Drawing, Line, PolyLine, Rect, String
from reportlab.lib.colors import HexColor

INK, BLUE, PALE, WARM = (HexColor(c) for c in ("#1c2733", "#2f6f9f", "#dfe9f0", "#b5651d"))
FONT, SIZE = "Helvetica", 7.5


def _label(drawing: Drawing, x: float, y: float, text: str, anchor: str = "middle") -> None:
    drawing.add(String(x, y, text, fontName=FONT, fontSize=SIZE, textAnchor=anchor, fillColor=INK))


def _box(drawing: Drawing, x: float, y: float, w: float, h: float, *lines: str) -> None:
    drawing.add(Rect(x, y, w, h, fillColor=PALE, strokeColor=INK, strokeWidth=0.7))
    top = y + h / 2 + (len(lines) - 1) * 4.5 - 2.5
    for n, line in enumerate(lines):
        _label(drawing, x + w / 2, top - 9 * n, line)


def _line(drawing: Drawing, *points: float, colour: HexColor = INK, width: float = 0.9) -> None:
    drawing.add(PolyLine(list(points), strokeColor=colour, strokeWidth=width))


def _axes(
    drawing: Drawing, w: float, h: float, x_ticks: dict[str, float], y_ticks: dict[str, float]
) -> None:
    """Axes with their origin at (30, 24); ticks are shares of the axis length."""
    _line(drawing, 30, h, 30, 24, w, 24)
    for text, share in x_ticks.items():
        x = 30 + share * (w - 36)
        _line(drawing, x, 24, x, 21)
        _label(drawing, x, 12, text)
    for text, share in y_ticks.items():
        y = 24 + share * (h - 30)
        _line(drawing, 27, y, 30, y)
        _label(drawing, 25, y - 2.5, text, "end")


def island_network(width: float) -> Drawing:
    """Single-line diagram of the island's electricity network."""
    d = Drawing(width, 190)
    mid = width / 2
    _box(d, 0, 150, 84, 30, "Diesel house", "G1 G2 G3")
    _box(d, mid - 42, 150, 84, 30, "Wind: Braefell", "2 x 900 kW")
    _box(d, width - 84, 150, 84, 30, "Battery hall", "1.2 MWh")
    d.add(Line(10, 122, width - 10, 122, strokeColor=BLUE, strokeWidth=3))
    _label(d, 47, 127, "11 kV busbar, Harbour Station", "start")
    for x in (42, mid, width - 42):
        _line(d, x, 150, x, 122)
    feeders = ("F1 Town", "F2 Fish dock", "F3 North", "F4 Pumps")
    step = width / len(feeders)
    for n, name in enumerate(feeders):
        x = step * (n + 0.5)
        _line(d, x, 122, x, 74)
        d.add(Rect(x - 5, 94, 10, 10, fillColor=HexColor("#ffffff"), strokeColor=INK))
        d.add(Circle(x, 74, 5, fillColor=PALE, strokeColor=INK, strokeWidth=0.7))
        d.add(Circle(x, 67, 5, fillColor=None, strokeColor=INK, strokeWidth=0.7))
        _line(d, x, 62, x, 46)
        _box(d, x - 32, 22, 64, 22, name)
    _line(d, step * 2.5, 22, step * 2.5, 8, step * 3.5, 8, step * 3.5, 22, colour=WARM)
    _label(d, step * 3, 11, "open tie T34")
    return d


FIGURES: dict[str, Callable[[float], Drawing]] = {"island_network": island_network}
