"""One set through all systems: the checkpoint at each granularity, and the baselines."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from lmk_encoder.errors import ConfigError
from lmk_encoder.evaluation.datasets import RetrievalSet
from lmk_encoder.evaluation.landmark import landmark_systems
from lmk_encoder.evaluation.lexical import bm25_system
from lmk_encoder.evaluation.ranked import Ranked
from lmk_encoder.landmarks import Interval, LandmarkPolicy, Sentences
from lmk_encoder.types import Progress, no_progress

if TYPE_CHECKING:
    from lmk_encoder.encoder import LandmarkEncoder
    from lmk_encoder.evaluation.base_model import BaseModel

BASELINES = ("bm25", "first512", "chunks", "chunks_mean", "late_chunking")
PolicyName = Literal["interval", "sentences"]


def run_systems(
    encoder: "LandmarkEncoder",
    data: RetrievalSet,
    *,
    granularities: Sequence[int] = (),
    policy: PolicyName = "interval",
    poolings: "Mapping[str, LandmarkEncoder] | None" = None,
    base: "BaseModel | None" = None,
    progress: Progress = no_progress,
) -> dict[str, Ranked]:
    """Every system on one set.

    Args:
        encoder: the checkpoint under test.
        data: the set.
        granularities: tokens a landmark. The first, by default the checkpoint's own, gives
            ``document`` and ``landmark``, every further one ``document@N`` and ``landmark@N``.
        policy: landmarks at an interval, as in the paper, or at sentence ends, as in an index.
        poolings: the same checkpoint under other poolings, by name: ``document:NAME``.
        base: for ``first512``, ``chunks``, ``chunks_mean``, ``late_chunking``, and ``bm25``;
            None leaves all five out.
        progress: called with the name of the set and the system, and characters.
    """

    def report(stage: str, done: int, total: int | None) -> None:
        progress(f"{data.name} {stage}", done, total)

    systems: dict[str, Ranked] = {}
    for index, tokens in enumerate(granularities or [encoder.config.granularity]):
        found = landmark_systems(
            encoder,
            data,
            policy=policy_of(policy, tokens),
            progress=report,
            settings=_settings(encoder, tokens, policy),
        )
        suffix = f"@{tokens}" if index else ""
        systems |= {f"{name}{suffix}": ranked for name, ranked in found.items()}
    for name, other in (poolings or {}).items():
        tokens = next(iter(granularities), other.config.granularity)
        found = landmark_systems(
            other,
            data,
            policy=policy_of(policy, tokens),
            progress=report,
            settings=_settings(other, tokens, policy),
        )
        systems[f"document:{name}"] = found["document"]
    if base is not None:
        from lmk_encoder.evaluation.chunked import base_systems

        systems["bm25"] = bm25_system(data)
        systems |= base_systems(base, data, report)
    return systems


def system_names(
    granularities: Sequence[int], poolings: Sequence[str], *, baselines: bool
) -> list[str]:
    """What ``run_systems`` will call its systems, in order, before any work is done."""
    return [
        *("document", "landmark"),
        *(f"{name}@{tokens}" for tokens in granularities[1:] for name in ("document", "landmark")),
        *(f"document:{name}" for name in poolings),
        *(BASELINES if baselines else ()),
    ]


def check_granularities(encoder: "LandmarkEncoder", granularities: Sequence[int]) -> None:
    """Raise ConfigError before any work is done if one is too long for the checkpoint's windows."""
    allowed = encoder.config.max_span_tokens
    if granularities and max(granularities) > allowed:
        what = f"--granularity {max(granularities)} is too long for windows of "
        raise ConfigError(f"{what}{encoder.max_window} tokens.", f"Use {allowed} or less.")


def policy_of(name: PolicyName, tokens: int) -> LandmarkPolicy:
    """A landmark every ``tokens`` tokens, or at sentence ends no further apart."""
    return Interval(tokens) if name == "interval" else Sentences(tokens)


def _settings(encoder: "LandmarkEncoder", tokens: int, policy: PolicyName) -> dict[str, str | int]:
    """What decides the vectors, to be kept with the figures."""
    return {
        "model": encoder.name,
        "fingerprint": encoder.fingerprint[:12],
        "dtype": encoder.dtype,
        "pooling": encoder.config.pooling,
        "window": encoder.max_window,
        "granularity": tokens,
        "landmarks": policy,
    }
