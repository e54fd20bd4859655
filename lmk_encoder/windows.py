"""What goes through the model at once: spans -> windows, cut at landmark borders (pure).

A text that fits is one window. A longer one is cut, and each window but the first is preceded by
a left context: spans that were encoded before, whose landmarks are read by the model and not
kept. So every token is kept exactly once, and memory is flat however long the text.

Where a window ends is decided by what stands there, not by counting from the start: of the
borders in its last third the one whose next span has the least key. So an edit of a long text
moves the borders near to it and no others, and the other windows need not be encoded again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lmk_encoder.errors import ConfigError
from lmk_encoder.landmarks import LandmarkSpan


@dataclass(frozen=True, slots=True)
class Window:
    """Kept spans ``[first, last)`` and, before them, token ranges of the left context."""

    first: int
    last: int
    context: tuple[tuple[int, int], ...] = ()


def plan_windows(
    spans: Sequence[LandmarkSpan],
    *,
    max_length: int,
    left_context: int,
    marks: int = 1,
    specials: int = 1,
    keys: Sequence[int] = (),
    multiple: int = 1,
) -> list[Window]:
    """Divide the ``spans`` of one text into windows.

    Args:
        spans: at least one, in order.
        max_length: ids in one window, special tokens and all landmarks included.
        left_context: content tokens of context, at most.
        marks: ids put at every span: its landmark.
        specials: ids put into every window besides: its start and end tokens.
        keys: a hash of each span's content; by default all spans are alike.
        multiple: what the ids of windows with context should be a multiple of, as far as a
            shorter context can do it.

    Raises:
        ConfigError: a span alone is longer than a window.
    """
    room_for_all = max_length - specials
    costs = [span.last - span.first + marks for span in spans]
    if max(costs) > room_for_all:
        what = f"A span of {max(costs) - marks} tokens does not fit a window of {max_length}."
        raise ConfigError(what, "Use a smaller landmark interval, or a larger window_tokens.")
    # Ids before each span: what spans [a, b) cost is total[b] - total[a].
    total = np.append(0, np.cumsum(costs))
    if total[-1] <= room_for_all:
        return [Window(0, len(spans))]
    windows: list[Window] = []
    first = 0
    while first < len(spans):
        context = _left_context(spans, first, left_context, room_for_all - costs[first], marks)
        room = room_for_all - sum(stop - start + marks for start, stop in context)
        last = _end(total, first, room, keys)
        ids = max_length - room + int(total[last] - total[first])
        windows.append(Window(first, last, _shortened(context, ids % multiple)))
        first = last
    return windows


def _shortened(context: tuple[tuple[int, int], ...], tokens: int) -> tuple[tuple[int, int], ...]:
    """``context`` without so many tokens at its start, if its first range has more."""
    if not context or context[0][1] - context[0][0] <= tokens:
        return context
    start, stop = context[0]
    return ((start + tokens, stop), *context[1:])


def _end(total: NDArray[np.int64], first: int, room: int, keys: Sequence[int]) -> int:
    """The span that the window from span ``first`` ends before. ``total[i]``: ids before span i."""
    left = int(total[-1] - total[first])
    if left <= room:
        return len(total) - 1
    low, high, aim = room * 2 / 3, float(room), float(room)
    if left < room * 4 / 3:  # two windows of a fair size, not one and a few tokens
        low, high, aim = left / 2 - room / 6, left / 2 + room / 6, left / 2
    start = int(np.searchsorted(total, total[first] + low))
    stop = int(np.searchsorted(total, total[first] + high, side="right"))
    near = [end for end in range(max(start, first + 1), stop) if end < len(total) - 1]
    if not near:  # spans are too long: as many as fit
        fits = int(np.searchsorted(total, total[first] + room, side="right")) - 1
        return max(fits, first + 1)
    away = {end: abs(float(total[end] - total[first]) - aim) for end in near}
    return min(near, key=lambda end: (keys[end] if keys else 0, away[end]))


def _left_context(
    spans: Sequence[LandmarkSpan], first: int, tokens: int, room: int, marks: int
) -> tuple[tuple[int, int], ...]:
    """Token ranges right before span ``first``: whole spans, or the tail of the last one."""
    context: list[tuple[int, int]] = []
    for span in reversed(spans[:first]):
        length = span.last - span.first
        if length > tokens or length + marks > room:
            tail = min(tokens, room - marks)
            if not context and tail > 0:
                context.append((span.last - tail, span.last))
            break
        if length == 0:
            break
        context.append((span.first, span.last))
        tokens -= length
        room -= length + marks
    return tuple(reversed(context))
