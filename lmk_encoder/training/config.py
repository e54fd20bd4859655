"""TrainingConfig: everything one training run is decided by, read from a TOML file.

Four tables: ``[model]``, ``[train]``, and one ``[[loss]]`` and ``[[data]]`` each for every loss
and source. docs/training.md lists the keys; an unknown one is an error naming the nearest.
"""

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from lmk_encoder.config import Pooling
from lmk_encoder.errors import ConfigError

LossKind = Literal["infonce", "distillation", "landmark_distillation"]
TrainingChunks = Literal["balanced", "fixed", "sentences", "mixed"]
Schedule = Literal["linear", "cosine", "constant"]
Granularity = Annotated[int, Field(ge=1)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelSettings(_Table):
    """What is trained, and how texts are laid out for it."""

    base: str = Field(
        default="builtin", description='Folder to start from; "builtin" is the built-in.'
    )
    name: str = Field(default="", description="Name of the trained checkpoint.")
    pooling: Pooling | None = Field(
        default=None, description="How states become a vector; none keeps that of the base."
    )
    chunks: TrainingChunks = Field(
        default="balanced",
        description='Where landmarks stand: "balanced" at word ends, "fixed" after exactly so many '
        'tokens (the paper), "sentences" at their ends, "mixed": each text draws balanced or '
        "sentences.",
    )
    granularity: Granularity | tuple[Granularity, ...] = Field(
        default=(32, 64, 128, 256),
        description="Tokens a landmark; of several, each text draws one.",
    )
    inference_granularity: int | None = Field(
        default=None,
        ge=1,
        description="Tokens a landmark after training; none keeps that of the base.",
    )
    inference_window_tokens: int | None = Field(
        default=None,
        ge=8,
        description="Ids in one pass after training; none keeps that of the base.",
    )
    query_tokens: int = Field(default=128, ge=1, description="Queries are cut to so many ids.")
    passage_tokens: int = Field(default=512, ge=2, description="Passages are cut to so many ids.")
    passage_part: Literal["beginning", "best"] = Field(
        default="beginning",
        description="What is kept of a longer passage; best: the part that shares the rarest words "
        "with its query. Of plain texts, a random part is.",
    )
    window_tokens: int | None = Field(
        default=None,
        ge=8,
        description="Ids in one pass; longer passages take several. None: one pass.",
    )
    normalize_landmarks: bool | None = Field(
        default=None,
        description="Landmark states have length 1 in the mean; none keeps the base's way.",
    )
    dropout: float | None = Field(
        default=None, ge=0, lt=1, description="Dropout while training; none keeps that of the base."
    )
    weights: Literal["float32", "float16", "bfloat16"] = Field(
        default="float32", description="Number type of the weights in the finished folder."
    )


class LossSettings(_Table):
    """One term of the loss; the terms are added."""

    kind: LossKind = Field(description="Which loss; see above.")
    weight: float = Field(default=1.0, gt=0, description="Factor of the term.")
    on: Literal["document", "landmarks", "queries", "texts"] = Field(
        default="document",
        description="What a query is scored by: the document vector, or the best landmarks. For "
        "landmark distillation: whose landmarks learn, those of all passages (landmarks), of plain "
        "texts only (texts), or of queries.",
    )
    temperature: float = Field(default=0.02, gt=0, description="Similarities are divided by it.")
    reverse: float = Field(
        default=0.0, ge=0, description="Weight of finding the query by its passage, too."
    )
    sharpness: float = Field(default=20.0, gt=0, description="Of the soft maximum over landmarks.")
    teacher: str | None = Field(
        default=None,
        description='A checkpoint that teaches landmarks, or "self".',
    )
    context: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Share of the teacher's vector of a span within its passage in what is taught; "
        "the rest is its vector of the span alone.",
    )
    divergence: float = Field(
        default=1.0, ge=0, description="Weight of the likeness within the batch beside the cosine."
    )
    short_spans: int = Field(
        default=0,
        ge=0,
        description="Spans of fewer tokens count less in the cosine, in proportion.",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.kind == "landmark_distillation") is (self.teacher is None):
            raise ValueError("teacher belongs to kind landmark_distillation, and to no other")
        if self.context and (self.teacher in (None, "self") or self.on == "queries"):
            raise ValueError("context is for the passages of a teacher that is another checkpoint")
        allowed = ("landmarks", "queries", "texts") if self.teacher else ("document", "landmarks")
        if self.on not in allowed:
            raise ValueError(f"on={self.on!r} is nothing for {self.kind}: use one of {allowed}")
        return self


class DataSettings(_Table):
    """One source of rows."""

    path: Path = Field(description="File or folder, seen from the folder the command runs in.")
    weight: float = Field(
        default=1.0, gt=0, description="Share of the batches, relative to the others."
    )
    where: dict[str, str] = Field(
        default={}, description="Only rows with these values under these keys."
    )
    cluster: str | None = Field(
        default=None,
        description="A key: half of the rows come in batches whose rows share its value, so that "
        "they are harder negatives for one another.",
    )
    neighbours: Literal["bm25"] | None = Field(
        default=None,
        description='"bm25": half of the rows come in batches of rows whose passages BM25 ranks '
        "high for one another's queries. Not together with cluster.",
    )
    batch: int | None = Field(
        default=None, ge=1, description="Rows a device and step; none: train.batch."
    )
    group: int | None = Field(
        default=None, ge=1, description="Passages a query; none: train.group."
    )
    passage_tokens: int | None = Field(
        default=None, ge=2, description="Passages are cut to so many ids; none: that of [model]."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.cluster is not None and self.neighbours is not None:
            raise ValueError("cluster and neighbours exclude one another")
        return self


class RunSettings(_Table):
    """How the weights are moved."""

    out: Path = Field(default=Path("run"), description="The run folder.")
    steps: int = Field(default=1000, ge=1, description="Moves of the weights.")
    batch: int = Field(default=32, ge=1, description="Rows a device and step.")
    group: int = Field(default=8, ge=1, description="Passages a query, the positive included.")
    accumulate: int = Field(default=1, ge=1, description="Batches added up before each step.")
    learning_rate: float = Field(default=2e-5, gt=0, description="The highest, after warmup.")
    final_learning_rate: float = Field(default=0.0, ge=0, description="At the last step.")
    schedule: Schedule = Field(
        default="linear", description='How the rate falls: "linear", "cosine", or "constant".'
    )
    warmup: int = Field(default=0, ge=0, description="Steps of linear rise.")
    weight_decay: float = Field(default=0.0, ge=0, description="Of AdamW; none on biases.")
    max_grad_norm: float = Field(default=1.0, gt=0, description="Longer gradients are scaled.")
    seed: int = Field(default=0, ge=0, description="Of every draw: rows, granularities, dropout.")
    device: str | None = Field(
        default=None, description='"cpu" forces the processor; none: the best.'
    )
    bf16: bool = Field(default=False, description="Compute in bfloat16; weights stay in float32.")
    gradient_checkpointing: bool = Field(
        default=False,
        description="Keep only the inputs of layers and compute the rest again: less memory.",
    )
    mini_batch_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Ids that go through the model at once, texts of like length together; the "
        "gradients are those of the whole batch. None: all at once.",
    )
    gradient_caching: bool = Field(
        default=False,
        description="Compute the activations of each mini-batch anew for its gradient: the memory "
        "of one mini-batch, however large the batch.",
    )
    workers: int = Field(default=0, ge=0, description="Processes that prepare batches.")
    checkpoint_every: int = Field(default=1000, ge=1, description="Steps between checkpoints.")
    keep_checkpoints: int = Field(default=2, ge=1, description="Older ones are deleted.")
    log_every: int = Field(default=10, ge=1, description="Steps between lines of metrics.")


class TrainingConfig(_Table):
    """One training run."""

    model: ModelSettings = ModelSettings()
    train: RunSettings = RunSettings()
    loss: tuple[LossSettings, ...] = (LossSettings(kind="infonce"),)
    data: tuple[DataSettings, ...]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.data or not self.loss:
            raise ValueError("at least one [[data]] and one [[loss]] are needed")
        named = [(loss.kind, loss.on) for loss in self.loss]
        if len(set(named)) < len(named):
            raise ValueError("two [[loss]] tables have the same kind and on: join their weights")
        if self.train.gradient_caching and self.train.mini_batch_tokens is None:
            raise ValueError("gradient_caching needs mini_batch_tokens")
        if self.train.warmup >= self.train.steps:
            raise ValueError(f"warmup={self.train.warmup} leaves none of {self.train.steps} steps")
        return self


def load_config(path: Path, **changes: Any) -> TrainingConfig:
    """Read a TOML file.

    Args:
        path: the file.
        changes: values of ``[train]`` that replace those of the file; None changes nothing.

    Raises:
        ConfigError: the file is missing or no TOML, or a key or value is wrong: it is named, an
            unknown key with the nearest that is known.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        fix = "Name a TOML file; recipes/ has examples."
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", fix) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.", "Correct that line.") from error
    given = {key: value for key, value in changes.items() if value is not None}
    if given:
        values["train"] = {**values.get("train", {}), **given}
    return parse_config(values, str(path))


def parse_config(values: dict[str, Any], where: str) -> TrainingConfig:
    """Check the tables of a TOML file; ``where`` names it in messages. Raises ConfigError."""
    try:
        return TrainingConfig.model_validate(values)
    except ValidationError as error:
        raise ConfigError(*_explain(error.errors()[0], where)) from error


def _explain(error: Any, where: str) -> tuple[str, str]:
    """What was wrong and what to do, from pydantic's account of one fault."""
    path = [part for part in error["loc"] if isinstance(part, str)]
    key = ".".join(path) or "the file"
    match error["type"]:
        case "extra_forbidden":
            known = sorted(_table_at(path[:-1]).model_fields)
            near = difflib.get_close_matches(path[-1], known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}."
            return f"There is no setting {key} ({where}).", hint
        case "missing":
            return f"{key} is missing ({where}).", "Add it; docs/training.md lists the keys."
        case "value_error":
            return f"{error['msg'].removeprefix('Value error, ')} ({where}).", f"Correct {key}."
        case _:
            what = f"{key} = {error['input']!r}: {error['msg']} ({where})."
            return what, "Correct the value."


def _table_at(path: list[str]) -> type[_Table]:
    tables: dict[str, type[_Table]] = {
        "model": ModelSettings,
        "train": RunSettings,
        "loss": LossSettings,
        "data": DataSettings,
    }
    return tables[path[0]] if path else TrainingConfig
