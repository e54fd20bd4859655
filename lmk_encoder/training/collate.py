"""Examples -> the tensors of one batch. Runs in the processes that prepare batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lmk_encoder.training.examples import Key, generator, make_example
from lmk_encoder.training.layouts import LaidOut, TextLayouts
from lmk_encoder.training.sources import Rows

_DRAW_PASSAGES, _DRAW_GRANULARITY = 0, 1  # purposes of generators
_TOKEN_ROUND = 8  # widths of batches are multiples of it, which suits matrix units


@dataclass(frozen=True, slots=True)
class Collator:
    """Makes batches of keys into the columns that ``Objective`` reads.

    ``query_*`` (absent for plain texts) and ``passage_*`` hold for W windows of N texts:
    ``input_ids`` and ``attention_mask`` (W, T); ``pooled`` (W, T) bool, the states that count in
    the vector of a text; ``landmarks`` (W, L, 2) position ranges, -1 where there is none;
    ``texts`` (W,) the text of each window; ``keys`` (N,) equal for equal texts; ``span_tokens``
    (M,) and ``span_texts``, of every landmark. ``label`` (B, G) holds raw teacher scores.
    Passages are in groups of G: those of the first query first.
    """

    sources: Sequence[Rows]
    groups: Sequence[int]
    layouts: Sequence[TextLayouts]
    seed: int
    pad_id: int

    def __call__(self, keys: Sequence[Key]) -> dict[str, Any]:
        """The batch of some uses of rows, all of one source."""
        examples = [
            make_example(
                self.sources[key.source],
                key.row,
                group_size=self.groups[key.source],
                random=generator(self.seed, key, _DRAW_PASSAGES),
            )
            for key in keys
        ]
        # One generator a row: its query and passages draw their granularities one after another.
        draws = [generator(self.seed, key, _DRAW_GRANULARITY) for key in keys]
        layouts = self.layouts[keys[0].source]
        batch: dict[str, Any] = {}
        if examples[0].query is not None:
            queries = [example.query or "" for example in examples]
            laid_out = [
                layouts.query(query, draw) for query, draw in zip(queries, draws, strict=True)
            ]
            batch |= self._columns("query", queries, laid_out)
            batch["label"] = torch.tensor([example.scores for example in examples])
        passages = [passage for example in examples for passage in example.passages]
        laid_out = [
            layouts.passage(passage, example.query, draw)
            for example, draw in zip(examples, draws, strict=True)
            for passage in example.passages
        ]
        return batch | self._columns("passage", passages, laid_out)

    def _columns(
        self, name: str, texts: Sequence[str], laid_out: Sequence[LaidOut]
    ) -> dict[str, Any]:
        windows = [window for text in laid_out for window in text.windows]
        length = max(len(window.ids) for window in windows)
        width = -(-length // _TOKEN_ROUND) * _TOKEN_ROUND
        most = max(len(window.landmarks) for window in windows)
        ids = np.full((len(windows), width), self.pad_id, dtype=np.int64)
        mask = np.zeros((len(windows), width), dtype=np.int64)
        pooled = np.zeros((len(windows), width), dtype=bool)
        landmarks = np.full((len(windows), most, 2), -1, dtype=np.int64)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1  # from lengths: a pad id may well be a landmark
            pooled[row, window.pooled] = True
            landmarks[row, : len(window.landmarks)] = window.landmarks
        owners = np.repeat(np.arange(len(texts)), [len(text.windows) for text in laid_out])
        tokens = [number for text in laid_out for number in text.span_tokens]
        columns: dict[str, Any] = {
            "input_ids": torch.from_numpy(ids),
            "attention_mask": torch.from_numpy(mask),
            "pooled": torch.from_numpy(pooled),
            "landmarks": torch.from_numpy(landmarks),
            "texts": torch.from_numpy(owners),
            "keys": text_keys(texts),
            "span_tokens": torch.tensor(tokens),
            "span_texts": [span for text in laid_out for span in text.span_texts],
        }
        return {f"{name}_{column}": value for column, value in columns.items()}


def text_keys(texts: Sequence[str]) -> Tensor:
    """(N,) int64 that are equal exactly for equal texts, on every device."""
    digests = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts
    )
    return torch.from_numpy(np.frombuffer(digests, dtype=np.int64).copy())
