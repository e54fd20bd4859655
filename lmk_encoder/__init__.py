"""Text -> vectors: tokens with landmarks, windows, pooling. Knows no files, PDFs or tables.

In go texts with the places their landmarks should stand (``TextInput``); out come a document
vector and a vector for every landmark span (``EncodedDocument``). Importing this package does
not load torch: that happens with the first use of ``LandmarkEncoder``.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lmk_encoder.encoder import LandmarkEncoder
    from lmk_encoder.errors import ConfigError, LmkError, ModelError
    from lmk_encoder.landmarks import Interval, LandmarkPolicy, Sentences, Slices, Syntax
    from lmk_encoder.types import DocumentEncoder, EncodedDocument, Progress, TextInput

__all__ = [
    "ConfigError",
    "DocumentEncoder",
    "EncodedDocument",
    "Interval",
    "LandmarkEncoder",
    "LandmarkPolicy",
    "LmkError",
    "ModelError",
    "Progress",
    "Sentences",
    "Slices",
    "Syntax",
    "TextInput",
]

# Read by OpenMP when torch loads it, so it must be set before: threads that wait for one another
# sleep instead of spinning. On a machine with other work to do, spinning takes most of the
# processor (docs/experiments.md).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# The same for the threads of numpy's own library, which have no such setting: comparing vectors
# takes a thread alone less time than two of them lose by waiting.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_HOMES = {
    "encoder": ("LandmarkEncoder",),
    "errors": ("ConfigError", "LmkError", "ModelError"),
    "landmarks": ("Interval", "LandmarkPolicy", "Sentences", "Slices", "Syntax"),
    "types": ("DocumentEncoder", "EncodedDocument", "Progress", "TextInput"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"lmk_encoder.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
