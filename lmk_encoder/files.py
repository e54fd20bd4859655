"""Reading the JSON files of a checkpoint."""

import json
from pathlib import Path
from typing import Any

from lmk_encoder.errors import ModelError


def read_json(file: Path) -> dict[str, Any]:
    """A JSON object. Raises ModelError naming the file if it is missing or damaged."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} cannot be read: {error}.", "Copy the checkpoint anew.") from error
    if not isinstance(values, dict):
        raise ModelError(f"{file} holds no JSON object.", "Copy the checkpoint anew.")
    return values
