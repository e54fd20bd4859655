"""Linear layers behind the pooling, as folders of sentence-transformers have them."""

from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from lmk_encoder.checkpoint import weight_files
from lmk_encoder.errors import ModelError
from lmk_encoder.files import read_json
from lmk_encoder.types import FloatMatrix

# The library would import whatever a folder names; these are the ones that models have.
_ACTIVATIONS = {
    "Identity": nn.Identity,
    "Tanh": nn.Tanh,
    "ReLU": nn.ReLU,
    "GELU": nn.GELU,
    "SiLU": nn.SiLU,
    "Sigmoid": nn.Sigmoid,
}


class Dense:
    """One layer: a linear map, an activation, and perhaps what came in added again."""

    def __init__(
        self, weights: dict[str, Tensor], activation: nn.Module, *, residual: bool
    ) -> None:
        self._weights = {name: value.float() for name, value in weights.items()}
        self._activation = activation
        self._residual = residual

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read a layer.

        Raises:
            ModelError: weights are missing, or the activation is unknown.
        """
        values = read_json(folder / "config.json")
        name = str(values.get("activation_function", "torch.nn.Tanh")).rpartition(".")[2]
        if name not in _ACTIVATIONS:
            what = f"{folder} has the activation {name}, which is not supported."
            raise ModelError(what, f"Known are: {', '.join(_ACTIVATIONS)}.")
        weights = read_weights(folder)
        residual = bool(values.get("use_residual"))
        if "linear.weight" not in weights:
            raise ModelError(f"{folder} lacks linear.weight.", "Copy the checkpoint anew.")
        return cls(weights, _ACTIVATIONS[name](), residual=residual)

    def __call__(self, matrix: FloatMatrix) -> FloatMatrix:
        """(N, D) -> (N, out), float32."""
        with torch.inference_mode():
            given = torch.from_numpy(np.ascontiguousarray(matrix))
            weight, bias = self._weights["linear.weight"], self._weights.get("linear.bias")
            result = self._activation(nn.functional.linear(given, weight, bias))
            if self._residual:
                around = self._weights.get("residual.weight")
                result = result + (given if around is None else given @ around.T)
            projected: FloatMatrix = result.numpy()
            return projected


def read_weights(folder: Path) -> dict[str, Any]:
    """All tensors of a folder by name. Raises ModelError if there are none to read."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    weights: dict[str, Any] = {}
    try:
        for file in weight_files(folder):
            is_safe = file.suffix == ".safetensors"
            weights |= load_file(file) if is_safe else torch.load(file, weights_only=True)
    except (OSError, RuntimeError, SafetensorError) as error:
        what = f"Weights in {folder} cannot be read: {error}."
        raise ModelError(what, "Copy the checkpoint anew.") from error
    return weights
