"""Latent attention: tokens look at learned latents before they are averaged.

The variant of the paper (Doshi et al. 2026, arXiv:2601.21525), after NV-Embed (arXiv:2405.17428):
tokens are the queries, the latents keys and values. Parameter names are those of the authors'
checkpoints, so that their weights load.
"""

from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn

from lmk_encoder.dense import read_weights
from lmk_encoder.errors import ModelError
from lmk_encoder.files import read_json


class LatentAttention(nn.Module):
    """States (B, T, D) -> states (B, T, D), each token by itself: no mask is needed.

    Args:
        width: D.
        latents: number of learned latents.
        heads: heads of the attention; D / 64 in the paper.
        head_width: width of each head; D in the paper.
    """

    def __init__(
        self, width: int, *, latents: int = 64, heads: int | None = None, head_width: int = 0
    ) -> None:
        super().__init__()
        heads, head_width = heads or max(width // 64, 1), head_width or width
        self.settings = {
            "model_type": "latent_attention",
            "num_latents_value": latents,
            "num_cross_heads": heads,
            "hidden_dim": width,
            "latent_dim": width,
            "cross_dim_head": head_width,
            "output_normalize": True,
        }
        self.latents = nn.Parameter(torch.randn(latents, width))
        self.cross_attend_blocks = nn.ModuleList(
            [_Attention(width, heads, head_width), _FeedForward(width)]
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read ``config.json`` and weights, as the authors save them.

        Raises:
            ModelError: a part is missing or of another shape.
        """
        values = read_json(folder / "config.json")
        keys = ("hidden_dim", "num_latents_value", "num_cross_heads", "cross_dim_head")
        if not all(isinstance(values.get(key), int) for key in keys):
            what = f"{folder / 'config.json'} lacks one of {', '.join(keys)}."
            raise ModelError(what, "Copy the checkpoint anew.")
        width, latents, heads, head_width = (values[key] for key in keys)
        module = cls(width, latents=latents, heads=heads, head_width=head_width)
        try:
            module.load_state_dict(read_weights(folder))
        except RuntimeError as error:
            what = f"The latent attention in {folder} does not fit: {error}."
            raise ModelError(what, "Copy the checkpoint anew.") from error
        return module.eval().requires_grad_(False)

    def forward(self, states: Tensor) -> Tensor:
        """See the class."""
        attention, feed_forward = self.cross_attend_blocks
        states = states + attention(states, self.latents)
        result: Tensor = states + feed_forward(states)
        return result


class _Attention(nn.Module):
    def __init__(self, width: int, heads: int, head_width: int) -> None:
        super().__init__()
        self.norm, self.norm_context = nn.LayerNorm(width), nn.LayerNorm(width)
        self.fn = nn.ModuleDict(
            {
                "to_q": nn.Linear(width, heads * head_width, bias=False),
                "to_kv": nn.Linear(width, 2 * heads * head_width, bias=False),
                "to_out": nn.Linear(heads * head_width, width, bias=False),
            }
        )
        self._heads = heads

    def forward(self, states: Tensor, latents: Tensor) -> Tensor:
        queries = self._split(self.fn["to_q"](self.norm(states)))
        both = self.fn["to_kv"](self.norm_context(latents).unsqueeze(0))
        keys, values = (self._split(part) for part in both.chunk(2, dim=-1))
        shape = (len(states), *keys.shape[1:])
        seen = nn.functional.scaled_dot_product_attention(
            queries, keys.expand(shape), values.expand(shape)
        )
        result: Tensor = self.fn["to_out"](seen.transpose(1, 2).flatten(2))
        return result

    def _split(self, states: Tensor) -> Tensor:
        return states.view(*states.shape[:2], self._heads, -1).transpose(1, 2)


class _FeedForward(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        gate: Any = nn.Module()
        gate.net = nn.ModuleList(
            [nn.Linear(width, 8 * width), nn.Identity(), nn.Linear(4 * width, width)]
        )
        self.fn = gate

    def forward(self, states: Tensor) -> Tensor:
        inward, _, outward = self.fn.net
        values, gates = inward(self.norm(states)).chunk(2, dim=-1)
        result: Tensor = outward(values * nn.functional.gelu(gates))
        return result
