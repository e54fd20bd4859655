"""One training run from its settings to the finished folder."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from accelerate import PartialState

from lmk_encoder.automodel import load_model, quiet_transformers
from lmk_encoder.checkpoint import Checkpoint
from lmk_encoder.config import EncoderConfig
from lmk_encoder.errors import ConfigError
from lmk_encoder.formats.reading import read_checkpoint
from lmk_encoder.latent import LatentAttention
from lmk_encoder.tokenization import LandmarkTokenizer
from lmk_encoder.training.attention import use_product_attention
from lmk_encoder.training.collate import Collator
from lmk_encoder.training.config import DataSettings, ModelSettings, TrainingConfig
from lmk_encoder.training.journal import Journal, ProgressCallback
from lmk_encoder.training.layouts import TextLayouts
from lmk_encoder.training.mining import BM25, bm25_neighbours
from lmk_encoder.training.mixing import Mix
from lmk_encoder.training.objective import Objective
from lmk_encoder.training.sources import FileRows, Rows, open_rows
from lmk_encoder.training.student import Student, set_dropout
from lmk_encoder.training.teachers import load_teacher
from lmk_encoder.training.trainer import CHECKPOINTS, LandmarkTrainer, Reporter

CONFIG_FILE, MODEL_FOLDER = "config.json", "model"
_STATE_FILE = "trainer_state.json"  # written last: a checkpoint without it is incomplete


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What came of a run.

    ``model`` is the finished folder; None if the run was stopped before its last step. ``tokens``
    went through the model in this process, ``is_main`` is the first of several.
    """

    model: Path | None
    steps: int
    tokens: int
    is_main: bool = True


def train(
    config: TrainingConfig,
    *,
    resume: bool = False,
    progress: ProgressCallback | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> TrainingReport:
    """Train as ``config`` says, into the run folder that it names.

    Args:
        resume: go on from the last complete checkpoint of the run folder. The result is that of
            a run that was never interrupted.
        progress: called after every step.
        should_stop: asked after every step.

    Raises:
        ConfigError: the run folder holds another run, or settings do not fit together.
        DataError: a row cannot be used.
        ModelError: the base or a teacher cannot be loaded.
    """
    settings = config.train
    process = PartialState(cpu=settings.device == "cpu")
    with process.main_process_first():  # the others then find what the first one has written
        checkpoint = _prepare_folder(config, resume=resume or not process.is_main_process)
    sources = [open_rows(data.path, data.where) for data in config.data]
    torch.manual_seed(settings.seed)
    base = read_checkpoint(None if config.model.base == "builtin" else config.model.base)
    encoder_config = checkpoint_config(base.config, config.model)
    student = _student(base, encoder_config)
    if config.model.dropout is not None:
        set_dropout(student.model, config.model.dropout)
    teachers = [load_teacher(loss, student) for loss in config.loss if loss.teacher is not None]
    if settings.bf16:
        use_product_attention(student.model)
    if settings.gradient_checkpointing:
        student.model.gradient_checkpointing_enable({"use_reentrant": False})
    collator = Collator(
        sources,
        [data.group or settings.group for data in config.data],
        _layouts(base, encoder_config, config),
        settings.seed,
        int(getattr(student.model.config, "pad_token_id", None) or 0),
    )
    step = int(checkpoint.name.rpartition("-")[2]) if checkpoint else 0
    journal = Journal(settings.out, resume_from=step) if process.is_main_process else None
    reporter = Reporter(journal, progress if process.is_main_process else None, should_stop)
    trainer = LandmarkTrainer(
        student,
        lambda model: Objective(
            model,
            config.loss,
            teachers,
            settings.mini_batch_tokens,
            gradient_caching=settings.gradient_caching,
        ),
        settings=settings,
        mixes=[
            _mix(rows, data, settings.batch)
            for rows, data in zip(sources, config.data, strict=True)
        ],
        collator=collator,
        reporter=reporter,
    )
    with quiet_transformers():
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    done = int(trainer.state.global_step)
    tokens = trainer.loss.tokens
    if reporter.interrupted:
        return TrainingReport(None, done, tokens, process.is_main_process)
    folder = settings.out / MODEL_FOLDER
    if process.is_main_process:
        _save(student, folder, config.model.weights)
    process.wait_for_everyone()
    return TrainingReport(folder, done, tokens, process.is_main_process)


def _save(student: Student, folder: Path, weights: str) -> None:
    student.to(getattr(torch, weights))
    with quiet_transformers():
        student.save(str(folder))


def checkpoint_config(base: EncoderConfig, settings: ModelSettings) -> EncoderConfig:
    """``lmk.json`` of the trained checkpoint: that of the base with what training changes."""
    pooling = settings.pooling or base.pooling
    end_token = base.end_token
    if pooling != base.pooling:  # landmarks close a text themselves; the others need an end
        end_token = "" if pooling == "landmark" else base.end_token or base.landmark_token
    granularity = settings.inference_granularity or base.granularity
    chunks = "balanced" if settings.chunks == "mixed" else settings.chunks
    normalize = settings.normalize_landmarks
    return replace(
        base,
        name=settings.name,
        variant="",
        pooling=pooling,
        end_token=end_token,
        chunks=chunks,
        granularity=granularity,
        query_tokens=granularity if settings.chunks == "fixed" else settings.query_tokens,
        window_tokens=settings.inference_window_tokens or base.window_tokens,
        normalize_landmarks=base.normalize_landmarks if normalize is None else normalize,
    )


def _student(base: Checkpoint, config: EncoderConfig) -> Student:
    if base.dense:
        what = f"{base.folder} has linear layers behind the pooling, which training leaves out."
        raise ConfigError(what, "Start from a model without them, or from its transformer alone.")
    model = load_model(base.transformer, torch.float32)
    latent = None
    if config.pooling == "latent":
        latent = LatentAttention(int(model.config.hidden_size))
        if base.latent is not None:
            latent.load_state_dict(LatentAttention.load(base.latent).state_dict())
    return Student(model, config, base.transformer, latent)


def last_checkpoint(out: Path) -> Path | None:
    """The complete checkpoint with the most steps in a run folder."""
    found = [path.parent for path in out.glob(f"{CHECKPOINTS}/checkpoint-*/{_STATE_FILE}")]
    return max(found, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def _prepare_folder(config: TrainingConfig, *, resume: bool) -> Path | None:
    """Make the run folder and write its config; the checkpoint to go on from."""
    out = config.train.out
    file = out / CONFIG_FILE
    written = config.model_dump(mode="json")
    if not file.exists():
        out.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
        return None
    if not resume:
        raise ConfigError(f"{out} holds a run already.", "Go on with --resume, or name another.")
    before = json.loads(file.read_text(encoding="utf-8"))
    for table, values in written.items():
        if values != before.get(table):
            what = f"{out} was begun with other settings under {table}."
            raise ConfigError(what, f"Restore them ({file}), or name another run folder.")
    checkpoint = last_checkpoint(out)
    if checkpoint is None:
        shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    return checkpoint


def _layouts(
    base: Checkpoint, encoder_config: EncoderConfig, config: TrainingConfig
) -> list[TextLayouts]:
    """One for every source."""
    tokenizer = LandmarkTokenizer.load(base.transformer, encoder_config)
    lengths = [data.passage_tokens or config.model.passage_tokens for data in config.data]
    return [
        TextLayouts(
            tokenizer, encoder_config, config.model.model_copy(update={"passage_tokens": length})
        )
        for length in lengths
    ]


def _mix(rows: Rows, data: DataSettings, batch: int) -> Mix:
    size = data.batch or batch
    clusters = neighbours = None
    if data.neighbours == BM25:
        neighbours = bm25_neighbours(rows, count=2 * size)
    elif data.cluster is not None:
        if not isinstance(rows, FileRows):
            what = f"cluster={data.cluster!r} needs rows of JSON Lines, and {data.path} has none."
            raise ConfigError(what, "Leave cluster out.")
        clusters = rows.clusters(data.cluster)
    return Mix(len(rows), data.weight, size, clusters, neighbours)
