"""The built-in checkpoint cut down to its first layer: what memory is measured with.

    python -m benchmarks.harness.shallow FOLDER

Vectors as wide, the same vocabulary, windows and landmarks, in a fraction of the time. A layer
keeps nothing of the one before it, so their number is seen in the weights only (4 MB each in
float16). Its vectors mean nothing.
"""

import json
import shutil
import sys
from pathlib import Path

# Run as a script, also where the project is installed without this folder.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.harness.plain import BUILTIN

_OTHER_LAYERS = tuple(f"layers.{number}." for number in range(1, 6))


def write_one_layer(folder: Path) -> None:
    """Write the checkpoint into ``folder``, which must not be there yet."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(BUILTIN, folder)
    weights = load_file(BUILTIN / "model.safetensors")
    kept = {name: value for name, value in weights.items() if not name.startswith(_OTHER_LAYERS)}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    for file, changes in (
        ("config.json", {"num_hidden_layers": 1}),
        ("lmk.json", {"name": "lmk-mini one layer"}),
    ):
        settings = json.loads((folder / file).read_text(encoding="utf-8")) | changes
        (folder / file).write_text(json.dumps(settings, indent=2), encoding="utf-8")


if __name__ == "__main__":
    write_one_layer(Path(sys.argv[1]))
