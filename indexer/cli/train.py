"""``lmk train``: a checkpoint trained by a TOML file, and what prepares its data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from indexer.cli.index import stop_on_ctrl_c
from indexer.cli.stages import StageProgress, stage_progress

if TYPE_CHECKING:
    from lmk_encoder.training.journal import ProgressCallback, TrainingProgress


class _ConfigOrCommand(TyperGroup):
    """``lmk train CONFIG`` is ``lmk train run CONFIG``; ``--own INDEX`` is ``own INDEX``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] == "--own":
            args = ["own", *args[1:]]
        elif args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["run", *args]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


train = typer.Typer(
    cls=_ConfigOrCommand,
    help="Train a checkpoint: lmk train CONFIG, a TOML file (recipes/ has examples).",
    no_args_is_help=True,
)


@train.command("run")
def run(
    config: Annotated[Path, typer.Argument(help="TOML file of the run.")],
    out: Annotated[Path | None, typer.Option(help="Run folder instead of train.out.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Instead of train.steps.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of train.seed.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu forces the processor.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the run folder's last checkpoint.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Train as a TOML file says. Ctrl-C saves a checkpoint; --resume goes on from it.

    On several GPUs: accelerate launch -m indexer.cli.main train CONFIG.
    """
    from lmk_encoder.training.config import load_config

    changes = {"steps": steps, "seed": seed, "device": device}
    settings = load_config(config, out=str(out) if out else None, **changes)
    from lmk_encoder.training import require_extra

    require_extra()
    from lmk_encoder.training.gather import part
    from lmk_encoder.training.run import train as train_model

    with stop_on_ctrl_c() as stopped:
        report = train_model(
            settings,
            resume=resume,
            progress=None if quiet else training_display(),
            should_stop=stopped.is_set,
        )
    part()
    if not report.is_main:
        return
    if report.model is None:
        typer.echo(f"Stopped after step {report.steps:,}; --resume goes on from there.")
        raise typer.Exit(130)
    typer.echo(f"{report.steps:,} steps, {report.tokens:,} tokens  ({report.model})")


def training_display() -> "ProgressCallback":
    """Shows steps, tokens a second, the loss and the time left on standard error."""
    show = StageProgress()

    def display(now: "TrainingProgress") -> None:
        loss = "" if now.loss is None else f" loss {now.loss:.4f},"
        more = f"{loss} {now.tokens_per_s:,.0f} tokens/s"
        show.line("train", now.step, now.steps, more, first=now.first_step)

    return display


@train.command("mine")
def mine(
    data: Annotated[Path, typer.Argument(help="Pairs: a file, or a folder in BEIR layout.")],
    out: Annotated[Path, typer.Option("--out", help="File of rows with negatives to write.")],
    by: Annotated[str, typer.Option(help="bm25, builtin, or the folder of a teacher.")] = "bm25",
    count: Annotated[int, typer.Option(min=1, help="Negatives of each query.")] = 7,
    first: Annotated[int, typer.Option(min=1, help="First rank taken from.")] = 1,
    last: Annotated[int, typer.Option(min=1, help="Last rank taken from.")] = 100,
    margin: Annotated[
        float,
        typer.Option(min=0, max=1, help="A negative scores below this share of the positive's."),
    ] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Of the draw among the ranks.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Add hard negatives: texts that rank high for a query and score clearly below its answer."""
    from lmk_encoder.training.mining import MiningSettings, mine_negatives

    settings = MiningSettings(by, count, first, last, margin, seed)
    report = mine_negatives(data, out, settings, progress=stage_progress(quiet=quiet))
    typer.echo(
        f"{report.queries:,} queries, {report.negatives:,} negatives, "
        f"{report.too_close:,} left out as too close to the answer  ({out})"
    )


@train.command("own")
def own(
    index: Annotated[Path, typer.Argument(help="Folder of the index.")],
    out: Annotated[Path, typer.Option("--out", help="Run folder to make.")],
    steps: Annotated[
        int | None, typer.Option(min=1, help="Two passes, at most 500, by default.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the training.")] = 0,
    device: Annotated[str | None, typer.Option(help="cpu forces the processor.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Fit the index's checkpoint to its documents; refused if it finds less than before.

    Titles, headings, docstrings and first sentences serve as questions. A fifth is held out and
    looked for before and after.
    """
    from lmk_encoder.training import require_extra

    require_extra()
    from indexer.tuning.tune import tune

    with stop_on_ctrl_c() as stopped:
        report = tune(
            index,
            out,
            steps=steps,
            seed=seed,
            device=device,
            progress=None if quiet else training_display(),
            should_stop=stopped.is_set,
        )
    typer.echo(
        f"{report.pairs:,} questions; nDCG@10 of {report.held_out:,} held-out ones "
        f"{report.before:.3f} -> {report.after:.3f}  ({report.model})"
    )
    typer.echo(f"Use it with: lmk index --rebuild --index {index} --model {report.model}")
