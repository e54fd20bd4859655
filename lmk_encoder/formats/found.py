"""What a folder says of itself, and the defaults for what it does not say."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmk_encoder.files import read_json
from lmk_encoder.tokenization import SpecialTokens

_POSITION_KEYS = ("max_position_embeddings", "n_positions", "max_sequence_length")
_OFFSET_MODELS = ("roberta", "xlm-roberta", "camembert", "mpnet")  # two positions are reserved
_NO_LIMIT = 1_000_000  # tokenizers write a huge number where they know no limit


@dataclass(frozen=True, slots=True)
class Found:
    """Settings as far as a folder says them, and where its parts lie. See ``Checkpoint``."""

    settings: dict[str, Any]
    transformer: Path
    layout: str
    dense: tuple[Path, ...] = ()
    latent: Path | None = None
    notes: tuple[str, ...] = ()


def with_defaults(
    values: dict[str, Any], transformer: Path, tokens: SpecialTokens
) -> dict[str, Any]:
    """``values`` and, for the keys they lack, what fits this model."""
    pooling = values.get("pooling", "landmark")
    has_landmarks = pooling == "landmark"
    keeps_own = values.get("variant") == "C"
    window = values.get("window_tokens") or model_window(transformer)
    half, quarter = (window // part if isinstance(window, int) else 0 for part in (2, 4))
    defaults = {
        "start_token": tokens.start if has_landmarks and not keeps_own else tokens.leading,
        "end_token": "" if has_landmarks and not keeps_own else tokens.trailing,
        "landmark_token": tokens.separator,
        "window_tokens": window,
        "left_context_tokens": min(64, quarter),
        "granularity": min(32 if has_landmarks else 64, half),
        "chunks": "fixed" if has_landmarks else "balanced",
        "normalize_landmarks": False,
        "strip": has_landmarks,
    }
    merged = defaults | values
    if has_landmarks:  # a text of one interval is one span, whatever it is for
        return {"query_tokens": merged["granularity"]} | merged
    return {"query_tokens": min(250, half)} | merged


def model_window(transformer: Path) -> int:
    """Ids that a model takes in one pass, as its files say; 512 if they do not."""
    limits = [model_positions(transformer)]
    file = transformer / "tokenizer_config.json"
    if file.is_file():
        limits.append(read_json(file).get("model_max_length"))
    known = [limit for limit in limits if isinstance(limit, int) and 0 < limit < _NO_LIMIT]
    return min(known, default=512)


def model_positions(transformer: Path) -> int | None:
    """Positions of a model, as its ``config.json`` says."""
    values = read_json(transformer / "config.json")
    for key in _POSITION_KEYS:
        if isinstance(values.get(key), int) and values[key] > 0:
            reserved = 2 if values.get("model_type") in _OFFSET_MODELS else 0
            return int(values[key]) - reserved
    return None
