"""Options that take all the numbers that follow them: ``--lengths 512 1024 2048``."""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

from typer.core import TyperCommand


class NumbersCommand(TyperCommand):
    """A command whose ``many`` options may be named once for several whole numbers.

    ``--lengths 512 1024`` is read as ``--lengths 512 --lengths 1024``. A path that is a number
    is still a path when written as ``./512``.
    """

    many: ClassVar[frozenset[str]] = frozenset()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse after each number has been given its option."""
        rest: list[str] = super().parse_args(ctx, spread(args, self.many))
        return rest


def spread(args: Sequence[str], options: Collection[str]) -> list[str]:
    """Repeat each of ``options`` before every further number behind it."""
    result: list[str] = []
    current = ""
    for arg in args:
        if current and arg.isdecimal():
            if result[-1] != current:
                result.append(current)
        else:
            current = arg if arg in options else ""
        result.append(arg)
    return result
