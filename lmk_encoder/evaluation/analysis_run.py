"""All analyses of one set, and how they are shown."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lmk_encoder.errors import DataError
from lmk_encoder.evaluation.analyses import (
    POSITION_BINS,
    TOP,
    affinity,
    landmark_views,
    neighbour_hits,
    position_of_content,
    position_of_evidence,
    spread,
)
from lmk_encoder.evaluation.datasets import RetrievalSet
from lmk_encoder.evaluation.evaluate import PolicyName, policy_of, run_systems
from lmk_encoder.evaluation.figures import figures
from lmk_encoder.evaluation.pictures import Line, Panel
from lmk_encoder.evaluation.report import table
from lmk_encoder.types import Progress

if TYPE_CHECKING:
    from lmk_encoder.encoder import LandmarkEncoder

Analyses = dict[str, Any]


def run_analyses(
    encoder: "LandmarkEncoder",
    data: RetrievalSet,
    *,
    granularities: Sequence[int],
    policy: PolicyName,
    progress: Progress,
) -> Analyses:
    """``{"neighbours", "affinity", "position", "granularity"}`` of one set.

    Neighbours, affinity and position are told at the first granularity.

    Raises:
        DataError: no document has two landmarks, so that there are no neighbours.
    """
    results = {}
    for tokens in granularities:
        ranked = run_systems(
            encoder, data, granularities=[tokens], policy=policy, progress=progress
        )
        results[tokens] = figures(data, ranked)
        if tokens == granularities[0]:
            evidence = {name: position_of_evidence(data, found) for name, found in ranked.items()}
    texts = list(data.documents.values())
    views = list(landmark_views(encoder, texts, policy_of(policy, granularities[0]), progress))
    if not views:
        what = f"No document of {data.name} has two landmarks."
        raise DataError(what, "Take a set of longer documents, or a smaller --granularity.")
    return {
        "neighbours": neighbour_hits(views),
        "affinity": affinity(views),
        "position": {"content": position_of_content(views), "evidence": evidence},
        "granularity": spread(results),
        "model": encoder.name,
        "documents": len(views),
    }


def analyses_table(results: Mapping[str, Analyses]) -> str:
    """One line a set."""
    header = (
        f"set left@{TOP} right@{TOP} chance left-wins cos-first-fifth cos-last-fifth "
        "spread-document spread-landmark"
    ).split()
    rows = [
        [
            name,
            *(
                f"{value:.3f}"
                for value in (
                    found["neighbours"][f"left@{TOP}"],
                    found["neighbours"][f"right@{TOP}"],
                    found["neighbours"][f"chance@{TOP}"],
                    found["affinity"]["left_wins"],
                    found["position"]["content"][0],
                    found["position"]["content"][-1],
                    found["granularity"]["document"]["spread"],
                    found["granularity"]["landmark"]["spread"],
                )
            ),
        ]
        for name, found in results.items()
    ]
    return table(header, rows, num_left=1)


def analysis_panels(name: str, found: Analyses) -> list[Panel]:
    """Affinity by distance, position of content, and nDCG@10 by granularity."""
    near = found["affinity"]["by_distance"]
    content = found["position"]["content"]
    by_tokens: dict[str, Line] = {}
    for system in ("document", "landmark"):
        values = sorted(
            (int(g), v) for g, v in found["granularity"][system]["by_granularity"].items()
        )
        by_tokens[system] = ([g for g, _ in values], [v for _, v in values])
    return [
        Panel(
            f"{name}: landmark and chunk",
            "chunks behind the landmark's own",
            "mean cosine",
            {"landmark": ([int(distance) for distance in near], list(near.values()))},
            limits=None,
        ),
        Panel(
            f"{name}: document vector and chunk",
            "place in the document",
            "mean cosine",
            {"document": ([(i + 0.5) / POSITION_BINS for i in range(len(content))], content)},
            limits=None,
        ),
        Panel(f"{name}: granularity", "tokens a landmark", "nDCG@10", by_tokens, is_log=True),
    ]
