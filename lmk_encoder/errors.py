"""Everything this project raises on purpose.

LmkError
├── ConfigError        a setting is missing, unknown or out of range
├── ModelError         a checkpoint is absent, incomplete or of another kind
├── DataError          a set to evaluate or train on cannot be used
├── MissingExtra       an optional package is needed and not installed
└── indexer.errors     (what files, documents and indexes can add)
"""


class LmkError(Exception):
    """An error with a remedy: ``what`` names the value that was wrong, ``fix`` what to do."""

    def __init__(self, what: str, fix: str) -> None:
        # Both in args, so that the error survives pickling out of a worker process.
        super().__init__(what, fix)
        self.what, self.fix = what, fix

    def __str__(self) -> str:
        return f"{self.what} {self.fix}"


class ConfigError(LmkError):
    """A setting is missing, unknown or out of range."""


class ModelError(LmkError):
    """A checkpoint is absent, incomplete or of another kind."""


class DataError(LmkError):
    """A set to evaluate or train on, or a row of it, is absent, incomplete or damaged."""


class MissingExtra(LmkError):
    """An optional package is needed and not installed."""
