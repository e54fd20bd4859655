"""Figures as pictures. The only file that knows matplotlib; SVG, PNG or PDF by the file's name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lmk_encoder.errors import ConfigError
from lmk_encoder.evaluation.extras import need
from lmk_encoder.evaluation.figures import Figures

FORMATS = (".svg", ".png", ".pdf")
_WIDTH, _HEIGHT = 4.6, 3.0  # inches of one panel
# The same figures give the same bytes; text stays text, so the file is small and can be searched.
_SVG = {"svg.hashsalt": "lmk", "svg.fonttype": "none"}
Line = tuple[Sequence[float], Sequence[float]]


class Panel:
    """One diagram: a title, named lines, and what its axes say."""

    def __init__(
        self,
        title: str,
        x_label: str,
        y_label: str,
        lines: Mapping[str, Line],
        *,
        is_log: bool = False,
        limits: tuple[float, float] | None = (-0.03, 1.03),
    ) -> None:
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.lines, self.is_log, self.limits = lines, is_log, limits


def check_picture(path: Path) -> None:
    """Raise ConfigError if the name tells no known format, MissingExtra without matplotlib."""
    if path.suffix.lower() not in FORMATS:
        raise ConfigError(f"{path} tells no format of pictures.", f"Use: {', '.join(FORMATS)}.")
    need("matplotlib")


def draw(rows: Sequence[Sequence[Panel]], path: Path) -> None:
    """Write rows of panels into one file; the same systems have the same colours everywhere."""
    check_picture(path)
    figure_module: Any = need("matplotlib.figure")
    backend: Any = need("matplotlib")
    columns = max(map(len, rows))
    page = figure_module.Figure(figsize=(_WIDTH * columns, _HEIGHT * len(rows)))
    names = list(dict.fromkeys(name for row in rows for panel in row for name in panel.lines))
    axes = page.subplots(len(rows), columns, squeeze=False)
    for row, row_axes in zip(rows, axes, strict=True):
        for axis in row_axes[len(row) :]:
            axis.set_axis_off()
        for panel, axis in zip(row, row_axes, strict=False):
            _draw_panel(panel, axis, names)
    handles = {
        label: handle
        for axis in axes.flat
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    page.legend(
        list(handles.values()), list(handles), loc="lower center", ncols=4, fontsize="small"
    )
    page.tight_layout(rect=(0, 0.25 * (1 + len(handles) // 4) / (_HEIGHT * len(rows)), 1, 1))
    is_svg = path.suffix.lower() == ".svg"
    with backend.rc_context(_SVG):
        page.savefig(path, metadata={"Date": None} if is_svg else None)


def _draw_panel(panel: Panel, axis: Any, names: Sequence[str]) -> None:
    for name, (xs, ys) in panel.lines.items():
        index = names.index(name)
        axis.plot(xs, ys, marker="os^vDPX"[index % 7], color=f"C{index % 10}", label=name)
    if panel.is_log:
        ticks = sorted({x for xs, _ in panel.lines.values() for x in xs})
        axis.set_xscale("log", base=2)
        axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_title(panel.title, fontsize="medium")
    axis.set_xlabel(panel.x_label)
    axis.set_ylabel(panel.y_label)
    if panel.limits is not None:
        axis.set_ylim(*panel.limits)
    axis.grid(alpha=0.3)


def extrapolation_panels(results: Mapping[str, Mapping[str, Figures]]) -> list[list[Panel]]:
    """A row a task: accuracy@1 against length, and against depth (mean over lengths).

    Args:
        results: ``{"task-words": {system: figures with by_depth}}``; other sets are left out.

    Raises:
        ConfigError: nothing is left.
    """
    tasks: dict[str, dict[int, Mapping[str, Figures]]] = {}
    for name, systems in results.items():
        task, _, words = name.rpartition("-")
        if not words.isdecimal() or not all("by_depth" in row for row in systems.values()):
            continue
        tasks.setdefault(task, {})[int(words)] = systems
    if not tasks:
        what = f"There are no lengths and depths to draw in {', '.join(results)}."
        raise ConfigError(what, "Use --needle, or sets called task-words whose queries tell depth.")
    rows = []
    for task, lengths in tasks.items():
        names = list(next(iter(lengths.values())))
        by_length: dict[str, Line] = {
            name: (list(lengths), [of[name]["accuracy@1"] for of in lengths.values()])
            for name in names
        }
        deep = {name: _mean_by_depth([of[name] for of in lengths.values()]) for name in names}
        rows.append(
            [
                Panel(task, "words per document", "accuracy@1", by_length, is_log=True),
                Panel(task, "depth of the answer", "accuracy@1", deep),
            ]
        )
    return rows


def _mean_by_depth(figures: Sequence[Figures]) -> Line:
    columns = list(zip(*(row["by_depth"] for row in figures), strict=True))
    known = [[value for value in column if value is not None] for column in columns]
    points = [
        ((index + 0.5) / len(columns), sum(column) / len(column))
        for index, column in enumerate(known)
        if column
    ]
    return [x for x, _ in points], [y for _, y in points]
