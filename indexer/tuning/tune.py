"""Fit the checkpoint of an index to its documents, and refuse it if it finds less than before."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.access.model import require_here
from indexer.api import DocumentIndex
from indexer.errors import TuningRefused
from indexer.store.manifest import read_manifest
from indexer.tuning.pairs import SyntheticPair, document_pairs, unambiguous
from lmk_encoder.evaluation.datasets import RetrievalSet

if TYPE_CHECKING:
    from lmk_encoder.encoder import LandmarkEncoder
    from lmk_encoder.training.journal import ProgressCallback

PAIRS_FILE, HELD_OUT_FILE, FIGURES_FILE = "pairs.jsonl", "held-out.jsonl", "figures.json"
_MIN_PAIRS = 40
_MAX_HELD_OUT = 200
_SHARE_HELD_OUT = 0.2
_SYSTEMS = ("document", "landmark")


@dataclass(frozen=True, slots=True)
class TuningReport:
    """``model`` is the new checkpoint; nDCG@10 of held-out questions before and after."""

    model: Path
    pairs: int
    held_out: int
    before: float
    after: float


def tune(
    index_path: Path,
    out: Path,
    *,
    steps: int | None = None,
    seed: int = 0,
    device: str | None = None,
    progress: "ProgressCallback | None" = None,
    should_stop: Callable[[], bool] | None = None,
) -> TuningReport:
    """Train the checkpoint of an index on questions made from its documents.

    A fifth of the questions, with all questions of their documents, is held out. Before and after,
    the answers to those are looked for among the answers of all questions.

    Args:
        index_path: an index folder.
        out: run folder, which must not exist.
        steps: of training; by default two passes over the pairs, at most 500.
        seed: of the training.
        device: "cpu" forces the processor.
        progress: called after every step of training.
        should_stop: asked after every step.

    Raises:
        TuningRefused: there are too few questions, or the result finds less than before.
        ConfigError: ``out`` holds something.
    """
    from lmk_encoder.encoder import LandmarkEncoder
    from lmk_encoder.training.config import parse_config
    from lmk_encoder.training.run import train

    with DocumentIndex.open(index_path) as index:
        pairs = index_pairs(index)
    base = read_manifest(index_path).model_path or "builtin"
    require_here(index_path, base)
    training, held_out = split_pairs(pairs)
    if len(training) < _MIN_PAIRS or not held_out:
        what = f"{index_path} gives {len(pairs)} questions, {len(training)} of them to train on."
        fix = f"At least {_MIN_PAIRS} are needed: index more documents with titles or headings."
        raise TuningRefused(what, fix)
    batch = 16
    config = parse_config(
        {
            "model": {"base": base, "passage_tokens": 384, "chunks": "mixed", "dropout": 0.0},
            "train": {
                "out": str(out),
                "steps": steps or min(500, max(20, 2 * len(training) // batch)),
                "batch": batch,
                "group": 1,
                "seed": seed,
                "device": device,
                "learning_rate": 3e-5,
                "mini_batch_tokens": 8192,
            },
            "loss": [
                {"kind": "infonce", "on": "document", "temperature": 0.05, "reverse": 0.5},
                {"kind": "infonce", "on": "landmarks", "temperature": 0.05, "reverse": 0.5},
                # What the checkpoint could do before stays.
                {"kind": "landmark_distillation", "on": "landmarks", "teacher": "self"},
            ],
            "data": [{"path": str(out.with_name(f"{out.name}-data") / PAIRS_FILE)}],
        },
        "lmk train own",
    )
    data = config.data[0].path.parent
    data.mkdir(parents=True, exist_ok=True)
    _write(data / PAIRS_FILE, training)
    _write(data / HELD_OUT_FILE, held_out)
    check = held_out_set(training, held_out)
    before = retrieval_quality(
        LandmarkEncoder(None if base == "builtin" else base, device=device), check
    )
    report = train(config, progress=progress, should_stop=should_stop)
    if report.model is None:
        raise TuningRefused("The training was stopped.", "Run it again, with another --out.")
    after = retrieval_quality(LandmarkEncoder(report.model, device=device), check)
    figures = {"pairs": len(training), "held_out": len(held_out), "before": before, "after": after}
    (out / FIGURES_FILE).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if after < before:
        shutil.rmtree(report.model)
        what = (
            f"nDCG@10 of {len(held_out)} held-out questions fell from {before:.3f} to {after:.3f}."
        )
        raise TuningRefused(what, "The checkpoint was not kept; the index stays with its own.")
    return TuningReport(report.model, len(training), len(held_out), before, after)


def index_pairs(index: DocumentIndex) -> list[SyntheticPair]:
    """The unambiguous questions of all documents of an index."""
    found: list[SyntheticPair] = []
    for doc_id in sorted({record.doc_id for record in index.files() if record.doc_id}):
        document = index.document(doc_id)
        found += document_pairs(
            doc_id, document.title, document.kind, document.text, document.sections
        )
    return unambiguous(found)


def split_pairs(
    pairs: Sequence[SyntheticPair],
) -> tuple[list[SyntheticPair], list[SyntheticPair]]:
    """Pairs to train on and pairs held out, which share no section of text where documents do not.

    With five documents or more whole documents are held out; with fewer, every fifth question.
    """
    doc_ids = sorted({pair.doc_id for pair in pairs})
    every = round(1 / _SHARE_HELD_OUT)
    if len(doc_ids) >= every:
        chosen = set(doc_ids[::every])
        held_out = [pair for pair in pairs if pair.doc_id in chosen]
        training = [pair for pair in pairs if pair.doc_id not in chosen]
    else:
        held_out = list(pairs[::every])
        training = [pair for place, pair in enumerate(pairs) if place % every]
    return training, held_out[:_MAX_HELD_OUT]


def held_out_set(
    training: Sequence[SyntheticPair], held_out: Sequence[SyntheticPair]
) -> RetrievalSet:
    """The held-out questions, to be found among the answers of all."""
    answers = dict.fromkeys(pair.positive for pair in (*held_out, *training))
    ids = {text: f"d{number}" for number, text in enumerate(answers)}
    return RetrievalSet(
        name="held-out",
        documents={ids[text]: text for text in answers},
        queries={f"q{number}": pair.query for number, pair in enumerate(held_out)},
        qrels={f"q{number}": {ids[pair.positive]: 1} for number, pair in enumerate(held_out)},
    )


def retrieval_quality(encoder: "LandmarkEncoder", data: RetrievalSet) -> float:
    """Mean nDCG@10 of document vector and best landmark."""
    from lmk_encoder.evaluation.evaluate import run_systems
    from lmk_encoder.evaluation.metrics import MAIN_METRIC, per_query

    systems = run_systems(encoder, data)
    found = [per_query(data.qrels, systems[name].run)[MAIN_METRIC].mean() for name in _SYSTEMS]
    return float(np.mean(found))


def _write(path: Path, pairs: Sequence[SyntheticPair]) -> None:
    rows = [{"query": pair.query, "positive": pair.positive} for pair in pairs]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
