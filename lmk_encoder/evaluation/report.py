"""Figures as a table to read (pure): quality beside cost, sets below one another."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from lmk_encoder.evaluation.figures import Figures
from lmk_encoder.evaluation.metrics import MAIN_METRIC

_HEADER = (
    "set system nDCG@10 95%-interval R@10 R@100 MRR@10 acc@1 hit@1 p "
    "tokens/s tokens/cpu-s vectors/doc kB/doc"
).split()
_NUM_LEFT = 2  # columns of words


def results_table(results: Mapping[str, Mapping[str, Figures]]) -> str:
    """One line a set and system; with several sets, the mean nDCG@10 of every system below.

    ``hit@1``: the best span of the right document overlaps the answer. ``p``: paired t-test of
    nDCG@10 with the system that is marked by a dash.
    """
    rows = [_row(name, system, row) for name, of in results.items() for system, row in of.items()]
    systems = [set(of) for of in results.values()]
    if len(results) > 1:
        for system in (s for s in next(iter(results.values())) if all(s in of for of in systems)):
            mean = fmean(of[system][MAIN_METRIC] for of in results.values())
            rows.append(["mean", system, f"{mean:.3f}", *[""] * (len(_HEADER) - 3)])
    return table(_HEADER, rows, num_left=_NUM_LEFT)


def tasks_table(results: Mapping[str, Mapping[str, Figures]]) -> str:
    """One line an MTEB task: its main score, and the mean of all."""
    rows = [
        [name, row["metric"], f"{row['main']:.3f}", " ".join(row["by_split"])]
        for name, of in results.items()
        for row in of.values()
    ]
    if len(rows) > 1:
        mean = fmean(row["main"] for of in results.values() for row in of.values())
        rows.append(["mean", "", f"{mean:.3f}", ""])
    return table(["task", "metric", "score", "splits"], rows, num_left=_NUM_LEFT)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, num_left: int) -> str:
    """A Markdown table that also reads well as it stands; numbers are set right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        set_ = [
            cell.ljust(width) if index < num_left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(set_)} |"

    rule = [
        "-" * width if index < num_left else "-" * (width - 1) + ":"
        for index, width in enumerate(widths)
    ]
    return "\n".join([line(header), line(rule), *map(line, rows)])


def _row(name: str, system: str, row: Figures) -> list[str]:
    low, high = row["ci"]
    compared = row.get("compared")
    return [
        name,
        system,
        f"{row[MAIN_METRIC]:.3f}",
        f"{low:.3f}-{high:.3f}",
        *(f"{row[key]:.3f}" for key in ("recall@10", "recall@100", "mrr@10", "accuracy@1")),
        f"{row['passage_hit@1']:.3f}" if "passage_hit@1" in row else "",
        f"{compared['p_t']:.3f}" if compared else "-",
        f"{row['tokens_per_s']:,.0f}",
        f"{row['tokens_per_cpu_s']:,.0f}",
        f"{row['vectors_per_doc']:.1f}",
        f"{row['bytes_per_doc'] / 1000:.1f}",
    ]
