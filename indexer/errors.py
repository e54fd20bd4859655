"""What reading files, building and opening an index can raise on purpose.

LmkError (lmk_encoder.errors)
├── ParseError       a file could not be turned into a Document
│   ├── Locked       it needs a password
│   ├── NoText       it was read, and there is no text in it
│   │   ├── Blank        nothing is drawn on any of its pages
│   │   └── NoTextLayer  but images of text: it needs OCR
│   ├── Damaged      a PDF whose reader finds no page in it
│   ├── GivenUp      it broke a limit of time or memory, or crashed the parser
│   └── Unsupported  binary, or a format that no parser here reads
├── SourceNotFound   a path that was named does not exist
├── IndexNotFound    no index in that folder
├── IndexMismatch    the index was built by another model or schema version
│   └── IndexDamaged     its tables cannot be read
├── DiskFull         there was no room to write to the index
├── IndexBusy        another process is writing to the index
├── QueryError       a query asks for what cannot be done
└── TuningRefused    a checkpoint could not be fitted to an index, or got worse by it
"""

from lmk_encoder.errors import LmkError

WRONG_PASSWORD = "wrong password"  # in the reason of what is locked although one was given


class ParseError(LmkError):
    """A file could not be turned into a Document."""


class Locked(ParseError):
    """The file needs a password that was not given."""


class NoText(ParseError):
    """The file was read without error, and it holds no text (empty, or a scan)."""


class Blank(NoText):
    """Nothing is drawn on any page of the file, as far as its reader can see."""


class NoTextLayer(NoText):
    """The file shows something, and none of it is text: a scan, or fonts without letters."""


class Damaged(ParseError):
    """The file is broken: its reader cannot open it, or finds none of its pages."""


class GivenUp(ParseError):
    """The file broke a limit of time or memory, or made the parser crash."""


class Unsupported(ParseError):
    """Binary content, or a format that no parser here reads."""


class SourceNotFound(LmkError):
    """A path that was named does not exist."""


class IndexNotFound(LmkError):
    """There is no index in the folder."""


class IndexMismatch(LmkError):
    """The index was built by another model or another version of the schema."""


class IndexDamaged(IndexMismatch):
    """A table of the index is missing, truncated or unreadable."""


class DiskFull(LmkError):
    """There was no room to write to the index. What was published before is whole."""


class IndexBusy(LmkError):
    """Another process is writing to the index."""


class QueryError(LmkError):
    """A query asks for what cannot be done: no date, no pattern, a pattern without an end."""


class TuningRefused(LmkError):
    """A checkpoint could not be fitted to an index, or finds less than before."""
