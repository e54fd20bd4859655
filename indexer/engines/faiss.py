"""FAISS on the processor or the GPU: a copy of the vectors in an index of its own.

The copy is kept beside the tables, named by what is in it: another set of rows has another
name, so that an old copy is never asked. Whoever writes the index writes the copy
(``save_faiss``); a reader that finds none makes one in memory and writes nothing.
"""

import logging
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from indexer.engines.base import RescoredEngine
from indexer.engines.vectors import Rows, Vectors
from lmk_encoder.errors import ConfigError
from lmk_encoder.types import FloatVector

logger = logging.getLogger(__name__)

FLAT_ROWS = 10_000  # fewer are compared one by one
LIST_ROWS = 1_000  # vectors in one list
TRAINING_ROWS = 64  # for each list
PROBED_SHARE = 0.5  # of the lists
LEAST_PROBED = 8
FOLDER = "faiss"


def import_faiss(*, gpu: bool = False) -> ModuleType:
    """The library. Raises ConfigError where it, or the GPU that was asked for, is not there."""
    extra = "faiss-gpu" if gpu else "faiss"
    try:
        import faiss
    except Exception as error:  # a GPU build without CUDA's libraries raises RuntimeError
        raise ConfigError(
            f"The engine {extra} needs FAISS, which cannot be loaded: {error}.",
            f'Install it with: pip install "lmk[{extra}]", or take --engine auto.',
        ) from error
    if gpu and not (hasattr(faiss, "get_num_gpus") and faiss.get_num_gpus() > 0):
        raise ConfigError(
            "The engine faiss-gpu needs an NVIDIA GPU and a GPU build of FAISS; none is there.",
            'Install it with: pip install "lmk[faiss-gpu]" (not beside faiss), '
            "or take --engine faiss.",
        )
    library: ModuleType = faiss
    return library


def build_faiss(faiss: ModuleType, rows: Vectors) -> Any:
    """A new index of all rows, by inner product: flat while they are few, else lists of 8-bit
    vectors."""
    dimension = rows.dimension
    if len(rows) <= FLAT_ROWS:
        index = faiss.IndexFlatIP(dimension)
    else:
        lists = max(LEAST_PROBED, len(rows) // LIST_ROWS)
        coarse = faiss.IndexFlatIP(dimension)
        index = faiss.IndexIVFScalarQuantizer(
            coarse, dimension, lists, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
        )
        drawn = np.random.default_rng(0).permutation(len(rows))[: TRAINING_ROWS * lists]
        index.train(rows[np.sort(drawn)])
        index.nprobe = max(LEAST_PROBED, round(lists * PROBED_SHARE))
    for begin in range(0, len(rows), 65_536):
        index.add(rows[begin : begin + 65_536])
    return index


def faiss_engine(rows: Vectors, folder: Path, key: str, *, gpu: bool = False) -> RescoredEngine:
    """The engine ``faiss`` or ``faiss-gpu`` over ``rows``, whose content is named ``key``."""
    faiss = import_faiss(gpu=gpu)
    file = _file(folder, key)
    index = _kept(faiss, file) or build_faiss(faiss, rows)
    if gpu:
        index = faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, index)

    def find(query: FloatVector, number: int) -> Rows:
        most = 2048 if gpu else number  # the most that FAISS finds at once on a GPU
        _, found = index.search(np.ascontiguousarray(query[None], np.float32), min(number, most))
        return np.asarray(found[0], dtype=np.int64)

    return RescoredEngine("faiss-gpu" if gpu else "faiss", rows, find)


def save_faiss(rows: Vectors, folder: Path, key: str) -> None:
    """Keep an index of ``rows`` beside the tables, in one step, and remove older ones."""
    faiss = import_faiss()
    file = _file(folder, key)
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        new = file.with_suffix(f".{os.getpid()}.new")
        faiss.write_index(build_faiss(faiss, rows), str(new))
        new.replace(file)
    for other in file.parent.iterdir():
        if other != file:
            other.unlink()


def _kept(faiss: ModuleType, file: Path) -> Any:
    """The index in ``file``; None where there is none, or a writer has just replaced it."""
    try:
        return faiss.read_index(str(file))
    except RuntimeError:
        logger.info("%s is not there: the FAISS index is made in memory", file)
        return None


def _file(folder: Path, key: str) -> Path:
    return folder / FOLDER / f"{key}.faiss"
