"""The kinds of evaluation behind ``lmk eval``: each takes what was asked and prints a table.

Everything that can be wrong with names and files is found before a model is loaded.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from indexer.cli.stages import stage_progress
from lmk_encoder.errors import ConfigError, DataError
from lmk_encoder.evaluation.datasets import RetrievalSet, load_set
from lmk_encoder.evaluation.extras import need
from lmk_encoder.types import Progress

if TYPE_CHECKING:
    from lmk_encoder.config import EncoderConfig
    from lmk_encoder.encoder import LandmarkEncoder
    from lmk_encoder.evaluation.base_model import BaseModel
    from lmk_encoder.evaluation.evaluate import PolicyName
    from lmk_encoder.evaluation.ranked import Ranked

GRANULARITIES = (64, 32, 128, 256)  # the paper's; the first is that of the neighbours
Parts = Iterable[tuple[str, dict[str, dict[str, Any]]]]
Results = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class UnderTest:
    """What is measured and where its figures go: the options that all kinds share."""

    model: str
    device: str | None
    dtype: str | None
    granularities: tuple[int, ...]
    landmarks: "PolicyName"
    poolings: tuple[str, ...]
    window: int | None
    baselines: bool
    base: Path | None
    against: str | None
    json_file: Path | None
    picture: Path | None
    quiet: bool

    @property
    def reference(self) -> str:
        """The system that the others are compared with."""
        return self.against or ("chunks" if self.baselines else "document")

    @property
    def progress(self) -> Progress:
        """Where progress is told."""
        return stage_progress(quiet=self.quiet)

    def encoder(self, pooling: str | None = None) -> "LandmarkEncoder":
        """The checkpoint, loaded, with its own pooling or another."""
        from lmk_encoder.encoder import LandmarkEncoder
        from lmk_encoder.formats.reading import read_checkpoint

        folder = None if self.model == "builtin" else self.model
        settings: dict[str, Any] = {} if pooling is None else {"pooling": pooling}
        if self.window is not None:
            settings |= _fitted(read_checkpoint(folder).config, self.window)
        return LandmarkEncoder(folder, device=self.device, dtype=self.dtype, settings=settings)

    def base_model(self) -> "BaseModel | None":
        """The base model, loaded, if baselines are wanted."""
        from lmk_encoder.evaluation.base_model import BaseModel

        if not self.baselines:
            return None
        return BaseModel(self.base, device=self.device, dtype=self.dtype)


def run_retrieval(tested: UnderTest, folders: Sequence[Path], max_documents: int | None) -> None:
    """Retrieval sets through all systems."""
    from lmk_encoder.evaluation.figures import figures

    _check(tested)
    sets = _load(folders, max_documents)
    run = _Systems(tested)

    parts = ((one.name, figures(one, run(one), against=tested.reference)) for one in sets)
    _draw(tested, _report(tested, parts))


def run_hidden(
    tested: UnderTest,
    *,
    needle: bool,
    ruler: bool,
    lengths: Sequence[int],
    documents: int,
    seed: int,
    hay: str | None,
) -> None:
    """Hidden sentences by length and depth, and their picture."""
    from lmk_encoder.evaluation.extrapolation import extrapolation, hidden_sets

    _check(tested)
    sets = list(
        hidden_sets(
            needle=needle, ruler=ruler, lengths=lengths, documents=documents, seed=seed, hay=hay
        )
    )
    run = _Systems(tested)
    parts = extrapolation(sets, lambda one: run(one.data), against=tested.reference)
    _draw(tested, _report(tested, parts))


def run_mteb(tested: UnderTest, names: Sequence[str]) -> None:
    """MTEB tasks and the paper's lists of them."""
    from lmk_encoder.evaluation.evaluate import policy_of
    from lmk_encoder.evaluation.mteb_tasks import get_task, run_tasks
    from lmk_encoder.evaluation.presets import task_specs
    from lmk_encoder.evaluation.report import tasks_table

    _check_folders(tested)
    tasks = [(spec, get_task(spec)) for spec in task_specs(names)]
    encoder = tested.encoder()
    tokens = tested.granularities[0] if tested.granularities else encoder.config.granularity
    policy = policy_of(tested.landmarks, tokens)
    parts = run_tasks(encoder, tasks, policy=policy, progress=tested.progress)
    typer.echo(tasks_table(_collect(tested, parts)))


def analyse(tested: UnderTest, folders: Sequence[Path], max_documents: int | None) -> None:
    """The paper's analyses of what landmarks keep, and their picture."""
    from lmk_encoder.evaluation.analysis_run import analyses_table, analysis_panels, run_analyses
    from lmk_encoder.evaluation.evaluate import check_granularities
    from lmk_encoder.evaluation.pictures import draw

    _check(tested)
    sets = _load(folders, max_documents)
    encoder = tested.encoder()
    check_granularities(encoder, tested.granularities)
    longest = encoder.config.max_span_tokens
    granularities = tested.granularities or [g for g in GRANULARITIES if g <= longest]
    parts = (
        (
            one.name,
            run_analyses(
                encoder,
                one,
                granularities=granularities,
                policy=tested.landmarks,
                progress=tested.progress,
            ),
        )
        for one in sets
    )
    results = _collect(tested, parts)
    typer.echo(analyses_table(results))
    if tested.picture is not None:
        draw([analysis_panels(name, found) for name, found in results.items()], tested.picture)


class _Systems:
    """Loads the models, then runs every system on one set after the other."""

    def __init__(self, tested: UnderTest) -> None:
        from lmk_encoder.evaluation.evaluate import check_granularities

        self._tested = tested
        self._base = tested.base_model()
        self._encoder = tested.encoder()
        check_granularities(self._encoder, tested.granularities)
        self._poolings = {name: tested.encoder(name) for name in tested.poolings}
        self._progress = tested.progress

    def __call__(self, data: RetrievalSet) -> "dict[str, Ranked]":
        from lmk_encoder.evaluation.evaluate import run_systems

        return run_systems(
            self._encoder,
            data,
            granularities=self._tested.granularities,
            policy=self._tested.landmarks,
            poolings=self._poolings,
            base=self._base,
            progress=self._progress,
        )


def _fitted(config: "EncoderConfig", window: int) -> dict[str, int]:
    """Settings for another window: what does not fit it is cut to what does."""
    return {
        "window_tokens": window,
        "left_context_tokens": min(config.left_context_tokens, window // 4),
        "granularity": min(config.granularity, window // 2),
        "query_tokens": min(config.query_tokens, window // 2),
    }


def _check(tested: UnderTest) -> None:
    """Raise at once if a package is missing or the picture's name tells no format."""
    from lmk_encoder.evaluation.evaluate import system_names
    from lmk_encoder.evaluation.pictures import check_picture

    need("ir_measures")
    if tested.baselines:
        need("bm25s")
    names = system_names(tested.granularities, tested.poolings, baselines=tested.baselines)
    if tested.reference not in names:
        what = f"There is no system {tested.reference!r} to compare with."
        raise ConfigError(what, f"Use one of: {', '.join(names)}.")
    if tested.picture is not None:
        check_picture(tested.picture)
    _check_folders(tested)


def _check_folders(tested: UnderTest) -> None:
    """Raise now, not after hours of work, if a result has no folder to go to."""
    for path in (tested.json_file, tested.picture):
        if path is not None and not path.parent.is_dir():
            raise ConfigError(f"{path.parent} is no folder.", f"Make it, then {path} can go there.")


def _draw(tested: UnderTest, results: Results) -> None:
    from lmk_encoder.evaluation.pictures import draw, extrapolation_panels

    if tested.picture is not None:
        draw(extrapolation_panels(results), tested.picture)


def _load(folders: Sequence[Path], max_documents: int | None) -> list[RetrievalSet]:
    sets = [load_set(folder) for folder in folders]
    names = [one.name for one in sets]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"Two sets are called {twice[0]!r}.", "Rename one of the folders.")
    return sets if max_documents is None else [one.reduced(max_documents) for one in sets]


def _report(tested: UnderTest, parts: Parts) -> Results:
    from lmk_encoder.evaluation.report import results_table

    results = _collect(tested, parts)
    typer.echo(results_table(results))
    return results


def _collect(tested: UnderTest, parts: Parts) -> Results:
    """Take in set after set, and write what there is: a run that is stopped keeps its figures."""
    results: Results = {}
    for name, found in parts:
        results[name] = found
        if tested.json_file is not None:
            text = json.dumps(results, indent=2) + "\n"
            tested.json_file.write_text(text, encoding="utf-8")
    return results
