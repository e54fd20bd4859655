"""Texts in groups, so that memory is bounded, and progress over all of them (pure)."""

from collections.abc import Iterator, Sequence

from lmk_encoder.types import Progress

GROUP_CHARS = 2_000_000  # encoded at once: many windows for full batches


def grouped(
    texts: Sequence[str], progress: Progress, stage: str
) -> Iterator[tuple[Sequence[str], Progress]]:
    """Groups of neighbouring texts, each with a callback for the work on it.

    The callbacks take any unit; ``progress`` hears characters of all texts.
    """
    total = sum(len(text) for text in texts)
    done = 0
    for group in groups(texts, GROUP_CHARS):
        size = sum(len(text) for text in group)
        yield group, _Share(progress, stage, done, size, total)
        done += size


def groups(texts: Sequence[str], max_chars: int) -> Iterator[Sequence[str]]:
    """Neighbouring texts of at most ``max_chars`` in all; a longer one is a group of its own."""
    first, size = 0, 0
    for index, text in enumerate(texts):
        if index > first and size + len(text) > max_chars:
            yield texts[first:index]
            first, size = index, 0
        size += len(text)
    if first < len(texts):
        yield texts[first:]


class _Share:
    """The progress of one group, as a share of the whole."""

    def __init__(self, progress: Progress, stage: str, before: int, size: int, total: int) -> None:
        self._progress, self._stage = progress, stage
        self._before, self._size, self._total = before, size, total

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        now = self._before + self._size * done // max(total or 1, 1)
        self._progress(self._stage, now, self._total)
