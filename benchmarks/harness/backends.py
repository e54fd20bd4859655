"""sentence-transformers' other engines on a processor: ONNX Runtime and OpenVINO.

Included where ``optimum`` and an engine are installed: in an environment of its own, as they ask
for an older transformers (``benchmarks/README.md``). Their export does not know the built-in
model's architecture, so they run all-MiniLM-L6-v2, from which it was made: as many layers, as
wide, the same tokenizer, positions that cost a little less. Nothing is fetched.
"""

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness.plain import link_transformer

# What optimum's package for each engine is, and the engine.
_ONNX = ("optimum.onnxruntime", "onnxruntime")
_OPENVINO = ("optimum.intel", "openvino")


def load_backends(source: Path, length: int) -> dict[str, Any]:
    """The base model in ``source`` by each engine: SentenceTransformers with mean pooling.

    They cut texts at ``length`` ids. Exporting takes some ten seconds each. int8 is not as exact:
    docs/experiments.md.
    """
    loaders: dict[str, Callable[[Path], Any]] = {}
    if all(map(_is_installed, _ONNX)):
        loaders |= {"st onnx": _onnx, "st onnx int8": _onnx_int8}
    if all(map(_is_installed, _OPENVINO)):
        loaders |= {"st openvino": _openvino, "st openvino bfloat16": _openvino_bfloat16}
    models: dict[str, Any] = {}
    for name, load in loaders.items():
        with tempfile.TemporaryDirectory() as folder:
            link_transformer(source, Path(folder))
            models[name] = load(Path(folder))
        models[name].max_seq_length = length
    return models


def _is_installed(module: str) -> bool:
    parent = module.rpartition(".")[0]
    return (not parent or _is_installed(parent)) and importlib.util.find_spec(module) is not None


def _model(folder: Path, backend: str, **settings: Any) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(
        str(folder), backend=backend, device="cpu", local_files_only=True, model_kwargs=settings
    )


def _onnx(folder: Path, **settings: Any) -> Any:
    return _model(folder, "onnx", provider="CPUExecutionProvider", **settings)


def _onnx_int8(folder: Path) -> Any:
    from sentence_transformers import export_dynamic_quantized_onnx_model

    export_dynamic_quantized_onnx_model(_onnx(folder), "avx512_vnni", str(folder))
    (file,) = folder.rglob("*qint8*.onnx")
    return _onnx(folder, file_name=file.name)


def _openvino(folder: Path, precision: str = "f32") -> Any:
    return _model(folder, "openvino", ov_config={"INFERENCE_PRECISION_HINT": precision})


def _openvino_bfloat16(folder: Path) -> Any:
    return _openvino(folder, "bf16")
