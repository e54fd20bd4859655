"""``lmk eval MODEL DATA...``: how good a checkpoint is, on sets with known answers."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from indexer.cli.numbers import NumbersCommand
from indexer.cli.stages import stage_progress
from lmk_encoder.errors import DataError

if TYPE_CHECKING:
    from lmk_encoder.evaluation.datasets import RetrievalSet
    from lmk_encoder.evaluation.ranked import Ranked

DEFAULT_LENGTHS = (512, 1024, 2048, 4096, 8192)
Results = dict[str, dict[str, dict[str, Any]]]


class EvaluateCommand(NumbersCommand):
    """``--lengths 512 1024`` and ``--granularity 32 64``."""

    many: ClassVar[frozenset[str]] = frozenset({"--lengths", "--granularity"})


def evaluate(
    model: Annotated[str, typer.Argument(help="Checkpoint folder, or `builtin`.")],
    data: Annotated[list[Path] | None, typer.Argument(help="Folders in BEIR layout.")] = None,
    needle: Annotated[
        bool, typer.Option("--needle", help="Needle and passkey sets of growing length.")
    ] = False,
    ruler: Annotated[
        bool, typer.Option("--ruler", help="RULER's needle tasks, as the paper scores them.")
    ] = False,
    lengths: Annotated[
        list[int] | None, typer.Option(min=16, help="Words per document of those sets.")
    ] = None,
    documents: Annotated[
        int, typer.Option(min=2, help="Documents of each of those sets that hide something.")
    ] = 20,
    haystack: Annotated[
        Path | None, typer.Option(help="Text file to hide in, instead of generated prose.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of those sets.")] = 0,
    picture: Annotated[
        Path | None, typer.Option(help="Draw accuracy by length and depth: .svg, .png or .pdf.")
    ] = None,
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
    """Measure a checkpoint: quality with intervals, beside cost.

    On retrieval sets (DATA), or on sentences hidden in ever longer documents (--needle, --ruler).
    """
    from lmk_encoder.evaluation.datasets import load_set
    from lmk_encoder.evaluation.extrapolation import extrapolation, hidden_sets
    from lmk_encoder.evaluation.extras import need
    from lmk_encoder.evaluation.pictures import check_picture, draw, extrapolation_panels

    need("ir_measures")
    if not (data or needle or ruler):
        raise typer.BadParameter("name at least one set", param_hint="DATA")
    if picture is not None:
        check_picture(picture)
    sets = [load_set(folder) for folder in data or []]
    _check_names([one.name for one in sets])
    hay = None if haystack is None else _read(haystack)
    reference = against or ("chunks" if baselines else "document")
    hidden = list(
        hidden_sets(
            needle=needle,
            ruler=ruler,
            lengths=lengths or DEFAULT_LENGTHS,
            documents=documents,
            seed=seed,
            hay=hay,
        )
    )

    from lmk_encoder.encoder import LandmarkEncoder
    from lmk_encoder.evaluation.base_model import BaseModel
    from lmk_encoder.evaluation.evaluate import run_systems
    from lmk_encoder.evaluation.figures import figures
    from lmk_encoder.evaluation.report import results_table

    base_model = BaseModel(base, device=device, dtype=dtype) if baselines else None
    encoder = LandmarkEncoder(None if model == "builtin" else model, device=device, dtype=dtype)
    progress = stage_progress(quiet=quiet)

    def run(one: "RetrievalSet") -> "dict[str, Ranked]":
        return run_systems(
            encoder,
            one,
            granularities=granularity or [],
            policy=landmarks,
            base=base_model,
            progress=progress,
        )

    def retrieval() -> "Iterator[tuple[str, dict[str, dict[str, Any]]]]":
        for whole in sets:
            one = whole if max_documents is None else whole.reduced(max_documents)
            yield one.name, figures(one, run(one), against=reference)

    results: Results = {}
    _collect(retrieval(), results, json_file)
    if hidden:
        measured = extrapolation(hidden, lambda one: run(one.data), against=reference)
        _collect(measured, results, json_file)
        if picture is not None:
            drawn = {one.data.name: results[one.data.name] for one in hidden}
            draw(extrapolation_panels(drawn), picture)
    typer.echo(results_table(results))


def _check_names(names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"Two sets are called {twice[0]!r}.", "Rename one of the folders.")


def _collect(
    parts: Iterable[tuple[str, dict[str, dict[str, Any]]]], results: Results, path: Path | None
) -> None:
    """Take in set after set, and write what there is: a run that is stopped keeps its figures."""
    for name, found in parts:
        results[name] = found
        if path is not None:
            path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}.", "Name a text file in UTF-8.") from error
    if not text.strip():
        raise DataError(f"{path} is blank.", "Name a file with text.")
    return text
