"""The checkpoint under test as two systems: ``document`` (one vector) and ``landmark`` (best).

Both come from the same pass over the documents, so they cost the same to make.
"""

from collections.abc import Iterator, Mapping, Sequence

from lmk_encoder.evaluation.datasets import RetrievalSet
from lmk_encoder.evaluation.grouping import grouped
from lmk_encoder.evaluation.ranked import Effort, Ranked, Vectors, rank
from lmk_encoder.evaluation.stopwatch import Stopwatch
from lmk_encoder.landmarks import LandmarkPolicy
from lmk_encoder.types import (
    DocumentEncoder,
    EncodedDocument,
    Progress,
    TextInput,
)

_WARM_UP = "The first pass of a model is slow: memory is fetched, kernels are chosen. " * 8


def landmark_systems(
    encoder: DocumentEncoder,
    data: RetrievalSet,
    *,
    policy: LandmarkPolicy,
    progress: Progress,
    settings: Mapping[str, str | int],
) -> dict[str, Ranked]:
    """``{"document": ..., "landmark": ...}`` of one set, with one policy for all its texts.

    Under another pooling than "landmark" the second are means of spans: late chunking.
    """
    encoder.encode_document([TextInput(_WARM_UP, policy)])
    with Stopwatch() as watch:
        encoded = list(encode_all(encoder, list(data.documents.values()), policy, progress))
    queries = encoder.encode_query(list(data.queries.values()))
    effort = Effort(sum(e.num_tokens for e in encoded), watch.seconds, watch.cpu_seconds)
    doc_ids = list(data.documents)
    whole = [(e.vector[None], e.spans[[0, -1], [0, 1]][None]) for e in encoded]
    parts = [(e.landmark_vectors, e.spans) for e in encoded]
    documents, landmarks = Vectors.stack(doc_ids, whole), Vectors.stack(doc_ids, parts)
    return {
        "document": rank(data, queries, documents, effort, settings=settings),
        "landmark": rank(data, queries, landmarks, effort, localise=True, settings=settings),
    }


def encode_all(
    encoder: DocumentEncoder, texts: Sequence[str], policy: LandmarkPolicy, progress: Progress
) -> Iterator[EncodedDocument]:
    """Encode texts group by group; ``progress`` counts characters."""
    for group, report in grouped(texts, progress, "landmark"):
        inputs = [TextInput(text, policy) for text in group]
        yield from encoder.encode_document(inputs, progress=report)
