"""MTEB tasks through a checkpoint's document vector. The only file that knows mteb (extra mteb).

No prompts but the checkpoint's own. Results are not taken from mteb's cache and not put there:
its key knows nothing of granularity and pooling.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lmk_encoder.errors import ConfigError, DataError
from lmk_encoder.evaluation.extras import need
from lmk_encoder.evaluation.figures import Figures
from lmk_encoder.evaluation.grouping import groups
from lmk_encoder.evaluation.presets import TaskSpec
from lmk_encoder.landmarks import LandmarkPolicy
from lmk_encoder.types import FloatMatrix, Progress

if TYPE_CHECKING:
    from lmk_encoder.encoder import LandmarkEncoder

GROUP_CHARS = 500_000  # between two signs of progress
_COMMON = {
    "ndcg@10": "ndcg_at_10",
    "recall@10": "recall_at_10",
    "recall@100": "recall_at_100",
    "mrr@10": "mrr_at_10",
    "accuracy@1": "precision_at_1",
}


def get_task(spec: TaskSpec) -> Any:
    """The task of a spec, limited to its splits and languages.

    Raises:
        MissingExtra: mteb is not installed.
        ConfigError: mteb knows no such task.
    """
    mteb: Any = need("mteb", extra="mteb")
    try:
        return mteb.get_task(
            spec.name,
            eval_splits=list(spec.splits) or None,
            languages=list(spec.languages) or None,
        )
    except KeyError as error:
        what = f"mteb knows no task {spec.name!r}."
        raise ConfigError(what, str(error.args[0]) if error.args else "Check its name.") from error


def run_tasks(
    encoder: "LandmarkEncoder",
    tasks: Iterable[tuple[TaskSpec, Any]],
    *,
    policy: LandmarkPolicy | None,
    progress: Progress,
) -> Iterator[tuple[str, dict[str, Figures]]]:
    """Name and figures of every task: ``{"document": {"main", "metric", "by_split" ...}}``.

    Args:
        encoder: the checkpoint under test.
        tasks: with the spec of each, see ``get_task``.
        policy: where landmarks stand; None is the checkpoint's own way.
        progress: called with the task's name and texts.

    Raises:
        DataError: the data of a task cannot be loaded.
    """
    mteb: Any = need("mteb", extra="mteb")
    for spec, task in tasks:
        max_tokens = length_limit(encoder, spec.max_tokens)
        name = task.metadata.name
        model = MtebEncoder(encoder, policy, max_tokens, progress)
        try:
            task.load_data()
        except Exception as error:  # mteb's loaders raise whatever a hub, a disk or a parser does
            what = f"The data of {name} cannot be loaded: {error!r}."
            fix = "It comes from the Hugging Face hub: fetch it once where there is a connection."
            raise DataError(what, fix) from error
        found = mteb.evaluate(model, task, cache=None, show_progress_bar=False, co2_tracker=False)
        figures = _figures(found.task_results[0].scores, spec.metric or task.metadata.main_score)
        figures |= {"model": encoder.name, "max_tokens": max_tokens or 0}
        yield name, {"document": figures}


def length_limit(encoder: "LandmarkEncoder", max_tokens: int | None) -> int | None:
    """Tokens to cut texts to: the wanted number, if the checkpoint reads so many in one pass.

    Else None: the text is read whole, in windows.
    """
    if max_tokens is None or max_tokens > encoder.max_window:
        return None
    return max_tokens


class MtebEncoder:
    """A checkpoint as mteb wants an encoder to be."""

    def __init__(
        self,
        encoder: "LandmarkEncoder",
        policy: LandmarkPolicy | None,
        max_tokens: int | None,
        progress: Progress,
    ) -> None:
        self._encoder, self._policy = encoder, policy
        self._max_tokens, self._progress = max_tokens, progress

    @property
    def mteb_model_meta(self) -> Any:
        """What mteb writes beside results."""
        meta: Any = need("mteb.models.model_meta", extra="mteb")
        told = {"name": f"lmk/{self._encoder.name}", "revision": self._encoder.fingerprint[:12]}
        return meta.ModelMeta.create_empty(told)

    def encode(
        self, inputs: Iterable[dict[str, Any]], *, task_metadata: Any, **options: Any
    ) -> FloatMatrix:
        """(N, D) of the texts of all batches; queries in the way of queries."""
        texts = [text for batch in inputs for text in batch["text"]]
        kind = options.get("prompt_type")
        is_query = kind is not None and kind.value == "query"
        stage = f"{task_metadata.name} {'queries' if is_query else 'documents'}"
        parts: list[FloatMatrix] = []
        done = 0
        for group in groups(texts, GROUP_CHARS):
            parts.append(self._vectors(group, is_query=is_query))
            done += len(group)
            self._progress(stage, done, len(texts))
        return np.concatenate(parts)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """(N, M) cosines of unit vectors, of the kind of tensor that came in."""
        return embeddings1 @ embeddings2.T

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """(N,) cosines of unit vectors."""
        return (embeddings1 * embeddings2).sum(-1)

    def _vectors(self, texts: Sequence[str], *, is_query: bool) -> FloatMatrix:
        policy = None if is_query else self._policy
        return self._encoder.encode(
            texts, is_query=is_query, policy=policy, max_tokens=self._max_tokens
        )


def _figures(scores: dict[str, list[dict[str, Any]]], metric: str) -> Figures:
    """Means over the splits that were run and their subsets; every one of them apart, too."""
    by_split = {
        split: {row["hf_subset"]: float(row[metric]) for row in rows}
        for split, rows in scores.items()
    }
    rows = [row for split in scores.values() for row in split]
    main = float(np.mean([value for split in by_split.values() for value in split.values()]))
    common = {
        name: float(np.mean([row[key] for row in rows]))
        for name, key in _COMMON.items()
        if all(key in row for row in rows)
    }
    return {"main": main, "metric": metric, "by_split": by_split, **common}
