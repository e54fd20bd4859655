"""What the index knows of a document that is about to be replaced: its windows' vectors."""

from collections.abc import Collection

import numpy as np

from indexer.store.tables import Tables
from lmk_encoder.types import FloatMatrix


def known_windows(tables: Tables, doc_ids: Collection[str]) -> dict[bytes, FloatMatrix]:
    """Landmark vectors (L, D) of unit length of every window of these documents, by digest.

    Documents of one window are left out: if anything of them changed, that window did.
    """
    rows = tables.read_in(tables.documents, ["doc_id", "windows"], "doc_id", doc_ids).to_pylist()
    windows_of = {row["doc_id"]: row["windows"] for row in rows if len(row["windows"]) > 1}
    known: dict[bytes, FloatMatrix] = {}
    for doc_id, windows in windows_of.items():
        stored = tables.read_in(tables.landmarks, ["ordinal", "vector"], "doc_id", [doc_id])
        array = stored.sort_by("ordinal")["vector"].combine_chunks()
        flat = array.flatten().to_numpy(zero_copy_only=False)  # float16: half the memory
        vectors = flat.reshape(len(array), -1)
        ends = np.cumsum([window["landmarks"] for window in windows])
        if ends[-1] == len(vectors):
            parts = np.split(vectors, ends[:-1])
            known |= {w["digest"]: part for w, part in zip(windows, parts, strict=True)}
    return known
