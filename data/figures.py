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


def dipwell(width: float) -> Drawing:
    """Section through the peat with a dipwell and the rod that reaches the clay."""
    d = Drawing(width, 170)
    left, right = 20, width - 20
    d.add(Rect(left, 30, right - left, 100, fillColor=HexColor("#e9e1d2"), strokeColor=None))
    d.add(Rect(left, 10, right - left, 20, fillColor=HexColor("#b9b3a8"), strokeColor=None))
    _line(d, left, 92, right, 92, colour=BLUE)
    surface = [n for k in range(11) for n in (left + k * (right - left) / 10, 130 + 4 * (k % 2))]
    _line(d, *surface, colour=HexColor("#5c7a3a"), width=2)
    tube, rod = left + (right - left) * 0.38, left + (right - left) * 0.68
    d.add(Rect(tube - 6, 46, 12, 104, fillColor=HexColor("#ffffff"), strokeColor=INK))
    for y in range(52, 120, 8):
        _line(d, tube - 6, y, tube + 6, y, width=0.4)
    _line(d, rod, 14, rod, 156, width=2.2)
    _label(d, tube, 155, "dipwell, 50 mm")
    _label(d, rod, 160, "datum rod")
    _label(d, right - 4, 95, "water table", "end")
    _label(d, left + 4, 60, "peat", "start")
    _label(d, left + 4, 17, "clay", "start")
    return d


SUMMER_LEVELS = {  # mean June to August, cm below the surface, from 1994 to 2023
    "K4 open": (38, 61, 44, 42, 33, 35, 34, 45, 37, 72, 40, 43, 47, 36, 35, 38, 46, 49, 29, 50,
                41, 34, 43, 40, 70, 37, 36, 46, 66, 37),
    "K5 blocked": (38, 60, 44, 43, 32, 34, 29, 34, 24, 55, 25, 27, 30, 20, 19, 21, 28, 31, 14, 31,
                   24, 17, 25, 22, 48, 20, 19, 27, 43, 19),
    "K1 crown": (10, 20, 12, 12, 7, 8, 8, 13, 9, 23, 10, 12, 13, 9, 8, 9, 13, 15, 5, 16,
                 11, 8, 12, 10, 24, 9, 9, 14, 22, 9),
}  # fmt: skip


def water_table(width: float) -> Drawing:
    """Summer water tables of three sites as lines."""
    d = Drawing(width, 180)
    years = {str(year): (year - 1994) / 29 for year in (1994, 1999, 2003, 2011, 2018, 2023)}
    plot = width - 46  # the names of the lines stand to the right
    _axes(d, plot, 176, years, {str(cm): 1 - cm / 80 for cm in range(0, 81, 20)})
    for (name, levels), colour in zip(SUMMER_LEVELS.items(), (WARM, BLUE, INK), strict=True):
        points = [
            value
            for n, cm in enumerate(levels)
            for value in (30 + n / 29 * (plot - 36), 24 + (1 - cm / 80) * 146)
        ]
        _line(d, *points, colour=colour, width=1.3)
        _label(d, plot, points[-1] - 2.5, name, "start")
    x = 30 + 5 / 29 * (plot - 36)
    d.add(Line(x, 24, x, 170, strokeColor=INK, strokeWidth=0.5, strokeDashArray=[3, 3]))
    _label(d, x + 3, 30, "ditches blocked", "start")
    return d


def printer(width: float) -> Drawing:
    """Section of the clay printer: tank, hose, auger, bed."""
    d = Drawing(width, 200)
    clay = HexColor("#c98e6b")
    d.add(Rect(20, 40, 54, 130, fillColor=HexColor("#ffffff"), strokeColor=INK, strokeWidth=1.4))
    d.add(Rect(21, 41, 52, 88, fillColor=clay, strokeColor=None))
    d.add(Rect(21, 129, 52, 12, fillColor=INK, strokeColor=None))
    _line(d, 47, 170, 47, 188, colour=BLUE, width=2)
    _label(d, 52, 184, "air", "start")
    _label(d, 78, 132, "piston", "start")
    _label(d, 47, 82, "tank")
    head = width * 0.62
    _line(d, 47, 40, 47, 22, 110, 22, 130, 60, 136, 176, head, 176, head, 164, colour=clay, width=6)
    _label(d, 124, 28, "hose", "start")
    d.add(Rect(head - 14, 92, 28, 72, fillColor=PALE, strokeColor=INK))
    for y in range(98, 160, 10):
        _line(d, head - 10, y, head + 10, y + 6, width=1.6)
    _line(d, head - 14, 92, head - 4, 78, head + 4, 78, head + 14, 92)
    _label(d, head + 20, 126, "auger and sleeve", "start")
    _label(d, head + 20, 81, "nozzle", "start")
    for layer in range(4):
        d.add(Rect(head - 34, 56 + layer * 5, 68, 4.4, fillColor=clay, strokeColor=None))
    d.add(Rect(head - 62, 48, 124, 7, fillColor=HexColor("#f4f0ea"), strokeColor=INK))
    d.add(Rect(head - 70, 38, 140, 9, fillColor=PALE, strokeColor=INK))
    _label(d, head + 74, 49, "bat", "start")
    _label(d, head + 74, 39, "bed", "start")
    for x in (head - 50, head + 50):
        _line(d, x, 38, x, 8, width=2)
    _label(d, head, 14, "screws, driven by one belt")
    return d


FIGURES: dict[str, Callable[[float], Drawing]] = {
    "island_network": island_network,
    "dipwell": dipwell,
    "water_table": water_table,
    "printer": printer,
}
