"""sentence-transformers' trainer with our batches, checkpoints and learning rate.

The only file that knows the trainer. What it adds to it: batches come from ``MixedBatches``, a
checkpoint is a folder that ``LandmarkEncoder`` loads, and the steps are told as they are done.
"""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from torch.utils.data import DataLoader, Dataset
from transformers import PrinterCallback, TrainerCallback

from lmk_encoder.errors import ConfigError
from lmk_encoder.training.collate import Collator
from lmk_encoder.training.config import RunSettings
from lmk_encoder.training.examples import Key
from lmk_encoder.training.journal import Journal, ProgressCallback, TrainingProgress
from lmk_encoder.training.mixing import Mix, MixedBatches
from lmk_encoder.training.objective import Objective
from lmk_encoder.training.schedule import rate_factor
from lmk_encoder.training.student import Student

CHECKPOINTS = "checkpoints"


class LandmarkTrainer(SentenceTransformerTrainer):  # type: ignore[misc]  # untyped base
    """Trains a ``Student`` by an ``Objective``.

    Args:
        student: the model.
        objective: made of the ``SentenceTransformer`` that holds it.
        settings: of the run.
        mixes: the sources as the sampler sees them.
        collator: makes batches of keys into tensors.
        reporter: told of every step.
    """

    def __init__(
        self,
        student: Student,
        objective: Callable[[SentenceTransformer], Objective],
        *,
        settings: RunSettings,
        mixes: list[Mix],
        collator: Collator,
        reporter: "Reporter",
    ) -> None:
        self._student, self._settings, self._mixes = student, settings, mixes
        model = SentenceTransformer(modules=[student], device=settings.device)
        super().__init__(
            model=model,
            args=_arguments(settings),
            train_dataset=_Keys(sum(mix.rows for mix in mixes)),
            data_collator=collator,
            loss=objective(model),
            callbacks=[reporter],
        )
        self.remove_callback(PrinterCallback)  # the reporter says it
        reporter.objective = self.loss

    def _build_dataloader(
        self, dataset: Any, batch_size: int, dataset_kind: str
    ) -> DataLoader[Any]:
        batches = MixedBatches(
            self._mixes,
            rounds=self._settings.steps * self._settings.accumulate,
            devices=self.args.world_size,
            seed=self._settings.seed,
        )
        return DataLoader(
            dataset,
            batch_sampler=batches,
            collate_fn=self.data_collator,
            num_workers=self._settings.workers,
        )

    def create_scheduler(
        self, num_training_steps: int, optimizer: torch.optim.Optimizer | None = None
    ) -> Any:
        """The learning rate of ``rate_factor``."""
        self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
            optimizer or self.optimizer, lambda step: rate_factor(step, self._settings)
        )
        return self.lr_scheduler

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """No card is written: the data is named in the run's config."""

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        self._student.save(output_dir or self.args.output_dir)

    def _load_from_checkpoint(self, checkpoint_path: str, model: Any = None) -> None:
        self._student.load_weights(Path(checkpoint_path))


class Reporter(TrainerCallback):  # type: ignore[misc]  # untyped base
    """Writes the journal, tells the progress, and stops a run that was asked to stop.

    Args:
        journal: of the run folder; None where another process writes it.
        progress: called after every step.
        should_stop: asked after every step; the run then saves a checkpoint and ends.
    """

    def __init__(
        self,
        journal: Journal | None,
        progress: ProgressCallback | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        self._journal, self._progress, self._should_stop = journal, progress, should_stop
        self.objective: Objective | None = None
        self.interrupted = False
        self._loss: float | None = None
        self._began, self._first_step = time.monotonic(), 0

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Start the clock."""
        self._began, self._first_step = time.monotonic(), state.global_step

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Tell the progress, and look whether to stop."""
        if self._progress is not None:
            self._progress(self._now(state))
        if state.global_step == state.max_steps:
            control.should_log = True
        if self._should_stop is not None and self._should_stop():
            self.interrupted = state.global_step < state.max_steps
            control.should_save = control.should_training_stop = True

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **_: Any
    ) -> None:
        """Write a line of metrics. Raises ConfigError if the loss is no number any more."""
        if logs is None or "loss" not in logs:
            return  # the library's summary at the end
        self._loss = logs["loss"]
        if not math.isfinite(self._loss):
            what = f"The loss is {self._loss} at step {state.global_step}."
            raise ConfigError(what, "Lower learning_rate, or raise warmup or temperature.")
        if self._journal is None or self.objective is None:
            return
        now, accuracy = self._now(state), self.objective.accuracy
        known = ("loss", "grad_norm", "learning_rate")
        terms = {f"loss_{key}": logs[key] for key in logs if key not in (*known, "epoch")}
        self._journal.add(
            {
                "step": state.global_step,
                **{key: logs[key] for key in known if key in logs},
                **terms,
                "accuracy": None if accuracy is None else round(float(accuracy), 4),
                "tokens": now.tokens,
                "tokens_per_s": round(now.tokens_per_s, 1),
            }
        )

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Draw the curves so far."""
        if self._journal is not None:
            self._journal.draw()

    def _now(self, state: Any) -> TrainingProgress:
        return TrainingProgress(
            step=state.global_step,
            steps=state.max_steps,
            first_step=self._first_step,
            tokens=0 if self.objective is None else self.objective.tokens,
            elapsed_s=time.monotonic() - self._began,
            loss=self._loss,
        )


class _Keys(Dataset[Key]):
    """Keys as they are: the collator reads the rows, in the processes that prepare batches."""

    column_names: tuple[str, ...] = ()

    def __init__(self, rows: int) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, key: Any) -> Key:
        return key  # type: ignore[no-any-return]


def _arguments(settings: RunSettings) -> SentenceTransformerTrainingArguments:
    return SentenceTransformerTrainingArguments(
        output_dir=str(settings.out / CHECKPOINTS),
        max_steps=settings.steps,
        per_device_train_batch_size=settings.batch,
        gradient_accumulation_steps=settings.accumulate,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.max_grad_norm,
        seed=settings.seed,
        bf16=settings.bf16,
        # Said even where there is nothing else: the library refuses bf16 without it.
        use_cpu=settings.device == "cpu" or not torch.accelerator.is_available(),
        save_strategy="steps",
        save_steps=settings.checkpoint_every,
        save_total_limit=settings.keep_checkpoints,
        logging_strategy="steps",
        logging_steps=settings.log_every,
        logging_nan_inf_filter=False,  # we say so instead of showing the mean of earlier steps
        dataloader_num_workers=settings.workers,
        dataloader_pin_memory=torch.cuda.is_available(),
        ddp_find_unused_parameters=False,
        report_to=[],
        disable_tqdm=True,
    )
