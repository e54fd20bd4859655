"""``lmk eval MODEL DATA...``: how good a checkpoint is on sets with known answers."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from indexer.cli.stages import stage_progress


def evaluate(
    model: Annotated[str, typer.Argument(help="Checkpoint folder, or `builtin`.")],
    data: Annotated[list[Path], typer.Argument(help="Folders in BEIR layout.")],
    baselines: Annotated[
        bool, typer.Option("--baselines", help="BM25 and the base model in the same run.")
    ] = False,
    base: Annotated[
        Path | None, typer.Option(help="Folder of the base model instead of all-MiniLM-L6-v2.")
    ] = None,
    granularity: Annotated[
        list[int] | None, typer.Option(min=1, help="Tokens a landmark; several are compared.")
    ] = None,
    landmarks: Annotated[
        Literal["interval", "sentences"], typer.Option(help="Where landmarks stand.")
    ] = "interval",
    against: Annotated[
        str | None, typer.Option(help="System the others are tested against.")
    ] = None,
    max_documents: Annotated[
        int | None, typer.Option(min=2, help="Documents of a set at most: a quick look.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures into this file.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda ...")] = None,
    dtype: Annotated[str | None, typer.Option(help="float32, bfloat16 or float16.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Measure a checkpoint on retrieval sets: quality with intervals, beside cost."""
    from lmk_encoder.evaluation.datasets import load_set
    from lmk_encoder.evaluation.extras import need

    need("ir_measures")
    sets = [load_set(folder) for folder in data]
    from lmk_encoder.encoder import LandmarkEncoder
    from lmk_encoder.evaluation.base_model import BaseModel
    from lmk_encoder.evaluation.evaluate import run_systems
    from lmk_encoder.evaluation.figures import figures
    from lmk_encoder.evaluation.report import results_table

    base_model = None
    if baselines:
        base_model = BaseModel(base, device=device, dtype=dtype)
    checkpoint = None if model == "builtin" else model
    encoder = LandmarkEncoder(checkpoint, device=device, dtype=dtype)
    results = {}
    for whole in sets:
        one = whole if max_documents is None else whole.reduced(max_documents)
        systems = run_systems(
            encoder,
            one,
            granularities=granularity or [],
            policy=landmarks,
            base=base_model,
            progress=stage_progress(quiet=quiet),
        )
        results[one.name] = figures(
            one, systems, against=against or ("chunks" if baselines else "document")
        )
        if json_file is not None:  # after every set: what was measured is kept whatever comes
            json_file.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    typer.echo(results_table(results))
