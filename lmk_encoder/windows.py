"""What goes through the model at once: spans -> windows, cut at landmark borders (pure).

A text that fits is one window. A longer one is divided evenly, and each window but the first is
preceded by a left context: spans that were encoded before, whose landmarks are read by the
model and not kept. So every token is kept exactly once, and memory is flat however long the text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
) -> list[Window]:
    """Divide the ``spans`` of one text into windows.

    Args:
        spans: at least one, in order.
        max_length: ids in one window, special tokens and all landmarks included.
        left_context: content tokens of context, at most.
        marks: ids put at every span: its landmark.
        specials: ids put into every window besides: its start and end tokens.

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
        left = int(total[-1] - total[first])
        # An even share of what is left: no last window of a few tokens.
        share = total[first] + left / -(-left // room)
        last = int(np.searchsorted(total, share))
        if share - total[last - 1] < total[last] - share:
            last -= 1  # the border before is nearer
        fits = int(np.searchsorted(total, total[first] + room, side="right")) - 1
        last = max(min(last, fits), first + 1)
        windows.append(Window(first, last, context))
        first = last
    return windows


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
