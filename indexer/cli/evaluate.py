"""``lmk eval MODEL DATA...``: how good a checkpoint is, on sets with known answers."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

import typer

from indexer.cli.numbers import NumbersCommand
from lmk_encoder.errors import DataError

DEFAULT_LENGTHS = (512, 1024, 2048, 4096, 8192)


class EvaluateCommand(NumbersCommand):
    """``--lengths 512 1024`` and ``--granularity 32 64``."""

    many: ClassVar[frozenset[str]] = frozenset({"--lengths", "--granularity"})


def evaluate(
    model: Annotated[str, typer.Argument(help="Checkpoint folder, or `builtin`.")],
    data: Annotated[
        list[str] | None,
        typer.Argument(help="Folders in BEIR layout; with --mteb, names of tasks or lists."),
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
    pooling: Annotated[
        list[str] | None,
        typer.Option(help="Another pooling of the same checkpoint beside its own; repeatable."),
    ] = None,
    window: Annotated[
        int | None, typer.Option(help="Tokens of a window instead of the checkpoint's own.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="System the others are tested against.")
    ] = None,
    max_documents: Annotated[
        int | None, typer.Option(min=2, help="Documents of a set at most: a quick look.")
    ] = None,
    mteb: Annotated[
        bool, typer.Option("--mteb", help="DATA are MTEB tasks, or lists such as longembed.")
    ] = False,
    analyses: Annotated[
        bool, typer.Option("--analyses", help="What landmarks of DATA keep, as the paper asks.")
    ] = False,
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
        Path | None, typer.Option(help="Draw hidden sets or analyses: .svg, .png or .pdf.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures into this file.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda ...")] = None,
    dtype: Annotated[str | None, typer.Option(help="float32, bfloat16 or float16.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Measure a checkpoint: quality with intervals, beside cost.

    On retrieval sets (DATA), on sentences hidden in ever longer documents (--needle, --ruler),
    or on MTEB tasks (--mteb).
    """
    from indexer.cli.evaluations import UnderTest, analyse, run_hidden, run_mteb, run_retrieval

    hides = needle or ruler
    if not data and not hides:
        raise typer.BadParameter("name at least one set", param_hint="DATA")
    if (mteb or analyses) and hides:
        raise typer.BadParameter("run --needle and --ruler by themselves")
    tested = UnderTest(
        model=model,
        device=device,
        dtype=dtype,
        granularities=tuple(dict.fromkeys(granularity or ())),
        landmarks=landmarks,
        poolings=tuple(dict.fromkeys(pooling or ())),
        window=window,
        baselines=baselines,
        base=base,
        against=against,
        json_file=json_file,
        picture=picture,
        quiet=quiet,
    )
    folders = [Path(folder) for folder in data or []]
    if mteb:
        run_mteb(tested, data or [])
    elif analyses:
        analyse(tested, folders, max_documents)
    elif folders:
        run_retrieval(tested, folders, max_documents)
    if hides:
        run_hidden(
            tested,
            needle=needle,
            ruler=ruler,
            lengths=lengths or DEFAULT_LENGTHS,
            documents=documents,
            seed=seed,
            hay=None if haystack is None else _read(haystack),
        )


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}.", "Name a text file in UTF-8.") from error
    if not text.strip():
        raise DataError(f"{path} is blank.", "Name a file with text.")
    return text
