"""How a benchmark speaks: where it ran, a table to read, one JSON object as the last line."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.corpus import ROOT

Figure = float | int | str | None


def where() -> str:
    """Commit, processor, cores and load, in one line: what a figure cannot be read without."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    try:
        described = subprocess.run(command, capture_output=True, text=True, check=False)
        commit = described.stdout.strip() or "no commit"
    except OSError:
        commit = "no git"
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{commit} | {_processor()}, {os.cpu_count()} cores{load} | {platform.platform()}"


def _processor() -> str:
    """The processor's name as the kernel knows it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def table(header: Sequence[str], rows: Sequence[Sequence[Figure]]) -> str:
    """Columns of equal width: text to the left, numbers to the right, None as a dash."""
    cells = [list(header)] + [[_shown(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        first, *rest = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join([first.strip().ljust(widths[0]), *rest]).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _shown(value: Figure) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else value


def result(benchmark: str, figures: Mapping[str, Any]) -> str:
    """The last line: figures, which may stand in groups, rounded to four significant digits."""
    return json.dumps({"benchmark": benchmark, "figures": _rounded(figures)})


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, Mapping):
        return {name: _rounded(part) for name, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list) else value
