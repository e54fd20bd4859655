"""The teacher is what its package holds: weights decoded, a folder that encodes, a rotation."""

import struct

import numpy as np
import pytest
import torch

from lmk_encoder import LandmarkEncoder
from scripts.e5_teacher import PROMPTS, procrustes, read_packed, write_model

WIDTH, HEADS, INNER, POSITIONS = 32, 4, 64, 64
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁oak", "▁elm", "s", "▁passage", ":", "▁query"]
SCORES = [0.0, 0.0, 0.0, 0.0, *(-float(n) for n in range(1, len(PIECES) - 3))]


def halves(shape, random):
    """Random weights as blocks of the file, and what they stand for."""
    scales = random.uniform(0.01, 0.02, np.prod(shape) // 32).astype(np.float16)
    values = random.integers(0, 16, (len(scales), 32), dtype=np.uint8)
    packed = values[:, :16] | values[:, 16:] << 4
    raw = np.concatenate([scales[:, None].view(np.uint8), packed], axis=1).tobytes()
    return raw, (values.astype(np.float32) - 8) * scales[:, None].astype(np.float32)


@pytest.fixture
def packed():
    """A file of one layer, and the values of two of its tensors."""
    random = np.random.default_rng(0)
    plain = {"emb.pos": (POSITIONS, WIDTH), "emb.type": (2, WIDTH)}
    plain |= {f"emb.ln.{part}": (WIDTH,) for part in "wb"}
    plain |= {f"l0.{name}.{part}": (WIDTH,) for name in ("aln", "oln") for part in "wb"}
    plain |= {f"l0.{name}.b": (WIDTH,) for name in ("q", "k", "v", "ao", "fo")}
    plain |= {"l0.fi.b": (INNER,)}
    blocks = {f"l0.{name}.w": (WIDTH, WIDTH) for name in ("q", "k", "v", "ao")}
    blocks |= {"l0.fi.w": (INNER, WIDTH), "l0.fo.w": (WIDTH, INNER)}
    blocks |= {"emb.word": (len(PIECES), WIDTH)}
    floats = {name: random.normal(0, 0.5, shape).astype("<f4") for name, shape in plain.items()}
    coded = {name: halves(shape, random) for name, shape in blocks.items()}
    contents = {name: (values.size, values.tobytes()) for name, values in floats.items()}
    contents |= {name: (values.size, raw) for name, (raw, values) in coded.items()}
    blob = "".join(PIECES).encode()
    offsets = np.cumsum([0, *(len(piece.encode()) for piece in PIECES)])
    head = b"E5S1" + struct.pack("<I", 1)
    head += struct.pack("<7i", WIDTH, 1, HEADS, INNER, len(PIECES), POSITIONS, 2)
    head += struct.pack("<fi5i", 1e-12, 32, len(PIECES), 0, 2, 1, 3)
    head += struct.pack("<Q", len(blob)) + offsets.astype("<u4").tobytes()
    head += np.array(SCORES, "<f4").tobytes() + blob
    head += struct.pack("<iI", 1, 9) + b"\0" * 9  # what Unicode folds: skipped
    sizes = [2 + len(name) + 1 + 4 + 16 for name in contents]
    at = len(head) + 4 + sum(sizes)
    table, data = struct.pack("<i", len(contents)), b""
    for name, (count, raw) in contents.items():
        table += struct.pack("<H", len(name)) + name.encode() + b"\0"
        table += struct.pack("<IQQ", count, at + len(data), len(raw))
        data += raw
    return head + table + data, floats["emb.pos"], coded["l0.fo.w"][1]


def test_weights_are_decoded(packed):
    data, positions, weights = packed

    found = read_packed(data)

    assert found.sizes["inner"] == INNER
    assert [piece for piece, _ in found.pieces] == PIECES
    np.testing.assert_array_equal(found.tensors["emb.pos"], positions.ravel())
    np.testing.assert_array_equal(found.tensors["l0.fo.w"], weights.ravel())


def test_another_version_is_refused():
    with pytest.raises(SystemExit, match="another version"):
        read_packed(b"E5S2" + bytes(100))


def test_the_folder_encodes_with_prompts(packed, tmp_path):
    write_model(read_packed(packed[0]), tmp_path)

    encoder = LandmarkEncoder(tmp_path, device="cpu", dtype="float32")

    assert encoder.config.pooling == "mean"
    assert encoder.config.query_prompt == PROMPTS["query"]
    assert encoder.count_tokens("oaks elm") == 3
    oak, elm = encoder.encode(["oak", "elm"])
    assert np.linalg.norm(oak - elm) > 1e-3


def test_procrustes_finds_a_rotation():
    torch.manual_seed(0)
    given = torch.randn(50, 8).numpy()
    rotation = np.linalg.qr(torch.randn(8, 8).numpy())[0]

    found = procrustes(given, given @ rotation.T)

    np.testing.assert_allclose(found, rotation, atol=1e-5)
