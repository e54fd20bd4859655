"""Make a checkpoint the built-in model: ``python scripts/set_builtin.py FOLDER``.

Takes the weights in float16, the tokenizer, the settings, the card and the notices; checks that
what was taken gives the same vectors; and only then replaces the folder of the package.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lmk_encoder.checkpoint import BUILTIN_FOLDER
from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.errors import LmkError, ModelError
from lmk_encoder.formats.writing import write_settings

NEEDED = ("config.json", "tokenizer.json", "tokenizer_config.json", "lmk.json", "README.md")
NOTICES = ("LICENSE*", "NOTICE*")
SAME_COSINE = 0.999  # float16 weights against those given
PROBES = ("How are frames checked?", "A landmark closes a span of a long document.", "x")


def main(argv: list[str] | None = None) -> int:
    """Check, convert, replace; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="a checkpoint folder with lmk.json")
    parser.add_argument("--target", type=Path, default=BUILTIN_FOLDER, help="(for tests)")
    options = parser.parse_args(argv)
    try:
        size, fingerprint = set_builtin(options.folder, options.target)
    except LmkError as error:
        print(f"set_builtin: {error}", file=sys.stderr)
        return 1
    print(f"{options.folder} is the built-in model now: {size / 1e6:.1f} MB, {fingerprint[:12]}.")
    print("Indexes made with the old one ask to be made anew. Run: make test")
    return 0


def set_builtin(folder: Path, target: Path) -> tuple[int, str]:
    """Replace ``target`` by a float16 copy of ``folder``; its bytes and fingerprint.

    Raises ModelError or ConfigError, and touches nothing, if a part is missing or the copy
    gives other vectors.
    """
    given = LandmarkEncoder(folder, device="cpu", dtype="float32")
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    notices = [file for pattern in NOTICES for file in sorted(folder.glob(pattern))]
    if missing or not notices:
        what = f"{folder} lacks {', '.join(missing) or 'a NOTICE or LICENSE'}."
        raise ModelError(what, "A model that is shipped has a card, settings and its notices.")
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        copy = Path(scratch, "builtin")
        copy.mkdir()
        for file in [*(folder / name for name in NEEDED), *notices]:
            shutil.copyfile(file, copy / file.name)
        _write_weights(folder, copy)
        write_settings(copy, given.config)  # for sentence-transformers, too
        taken = LandmarkEncoder(copy, device="cpu", dtype="float32")
        cosines = (given.encode_query(PROBES) * taken.encode_query(PROBES)).sum(axis=1)
        if float(np.min(cosines)) < SAME_COSINE:
            what = f"In float16 {folder} gives other vectors (cosine {np.min(cosines):.4f})."
            raise ModelError(what, "Find the weights that overflow before shipping it.")
        old = Path(scratch, "old")
        if target.exists():
            target.rename(old)
        copy.rename(target)
    size = sum(file.stat().st_size for file in target.iterdir())
    return size, LandmarkEncoder(target).fingerprint


def _write_weights(folder: Path, copy: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    weights = {}
    for file in sorted(folder.glob("*.safetensors")):
        weights |= {name: value.to(torch.float16) for name, value in load_file(file).items()}
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    (copy / "model.safetensors").chmod(0o644)  # it is written for its owner alone
    config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    config["dtype"] = "float16"
    text = json.dumps(config, indent=2, sort_keys=True)
    (copy / "config.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
