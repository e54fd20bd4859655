"""What must be true of the rows of one document (pure). Design: the index on disk."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indexer.documents import hash_words

_UNIT_LENGTH = 0.01  # float16 rounds a unit vector by less than a tenth of it

DOCUMENT_COLUMNS = (
    "doc_id",
    "text_hash",
    "n_chars",
    "n_landmarks",
    "n_units",
    "unit_starts",
    "unit_labels",
    "sections",
    "furniture",
    "windows",
    "vector",
)
LANDMARK_COLUMNS = ("ordinal", "start", "end", "unit_first", "unit_last", "text", "vector")


def broken_rules(row: dict[str, Any], landmarks: pa.Table) -> Iterator[str]:
    """Say what is wrong with a document; nothing if all is well.

    Args:
        row: ``DOCUMENT_COLUMNS`` of it.
        landmarks: ``LANDMARK_COLUMNS`` of its landmarks, in any order.
    """
    landmarks = landmarks.sort_by("ordinal")
    count = row["n_landmarks"]
    if count < 1 or landmarks["ordinal"].to_pylist() != list(range(count)):
        yield f"it should have {count} landmarks, and {landmarks.num_rows} are there"
        return  # all that follows would only say so again
    yield from _broken_spans(row, landmarks)
    yield from _broken_structure(row, landmarks)
    width = len(row["vector"])
    vectors = landmarks["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    lengths = np.linalg.norm(vectors.reshape(-1, width).astype(np.float32), axis=1)
    if not (np.abs(lengths - 1) < _UNIT_LENGTH).all():  # false for nan, too
        yield "a landmark's vector is not of length 1"
    if not abs(np.linalg.norm(np.asarray(row["vector"])) - 1) < _UNIT_LENGTH:
        yield "its vector is not of length 1"


def _broken_spans(row: dict[str, Any], landmarks: pa.Table) -> Iterator[str]:
    starts, ends = landmarks["start"].to_numpy(), landmarks["end"].to_numpy()
    if starts[0] != 0 or ends[-1] != row["n_chars"] or (starts[1:] != ends[:-1]).any():
        yield "its landmarks do not tile its text"
    if (pc.utf8_length(landmarks["text"]).to_numpy() != ends - starts).any():
        yield "a landmark's text is not as long as its range"
    text = "".join(landmarks["text"].to_pylist())
    furniture = zip(row["furniture"][::2], row["furniture"][1::2], strict=True)
    if hash_words(text, tuple(furniture)) != row["text_hash"]:
        yield "its text is not the text it was"


def _broken_structure(row: dict[str, Any], landmarks: pa.Table) -> Iterator[str]:
    n_chars, units = row["n_chars"], np.asarray(row["unit_starts"])
    if len(units) != row["n_units"] or units[0] != 0:
        yield f"it should have {row['n_units']} units from 0 on"
        return
    if (np.diff(units) < 0).any() or units[-1] > max(n_chars, 0):
        yield "its units do not tile its text"
    if len(row["unit_labels"]) not in (0, len(units)):
        yield "its units and their labels are not equally many"
    starts, ends = landmarks["start"].to_numpy(), landmarks["end"].to_numpy()
    for column, offsets in (("unit_first", starts), ("unit_last", np.maximum(starts, ends - 1))):
        numbers = np.maximum(np.searchsorted(units, offsets, side="right"), 1)
        if (landmarks[column].to_numpy() != numbers).any():
            yield f"{column} of a landmark is not the unit its text lies in"
    if any(not 0 <= s["start"] <= s["end"] <= n_chars for s in row["sections"]):
        yield "a section lies outside of its text"
    if sum(window["landmarks"] for window in row["windows"]) != row["n_landmarks"]:
        yield "its windows do not hold its landmarks"
